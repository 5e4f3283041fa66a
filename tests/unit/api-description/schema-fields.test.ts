import { expect, test } from "bun:test";
import { schemaBlock, typeOf } from "@sluice/control-plane/api-description/schema-fields.ts";

const textOf = (html: { toString(): string }): string =>
  html
    .toString()
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&quot;", '"')
    .replaceAll(/\s+/g, " ")
    .trim();

test.each([
  [{ type: "string", minLength: 1, maxLength: 4096 }, "string, 1 to 4,096 characters"],
  [{ type: "string", format: "date-time" }, "timestamp"],
  [{ type: "string", pattern: "^[a-z]+$" }, "string, matching ^[a-z]+$"],
  [{ type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER }, "integer, at least 0"],
  [{ type: "integer", exclusiveMinimum: 0, maximum: 9 }, "integer, above 0, at most 9"],
  [{ anyOf: [{ type: "string" }, { type: "integer" }, { type: "null" }] }, "string, integer or null"],
  [{ enum: ["all", "live"] }, '"all" or "live"'],
  [{ type: "array", items: { $ref: "#/components/schemas/Key" }, minItems: 1 }, "array of Key , at least 1"],
  [{ type: "object", additionalProperties: { type: "boolean" } }, "object of boolean"],
  [{}, "anything"],
])("the type %j is put into words", (schema, words) => {
  expect(textOf(typeOf(schema))).toBe(words);
});

test("a schema is a table of its fields, with those inside below them, and nothing in it is markup", () => {
  const inner = { type: "object", properties: { usd: { type: "string", description: "<b>Dollars</b>" } } };
  const html = schemaBlock({
    type: "object",
    required: ["items"],
    properties: { items: { type: "array", items: inner }, status: { enum: ["all"], default: "all" } },
  }).toString();
  expect(textOf(html)).toBe(
    'Field Presence Value items required array of object items[].usd optional string &lt;b&gt;Dollars&lt;/b&gt; status optional "all" , "all" if not sent',
  );
});

test("each form of a schema that has several is a table", () => {
  const form = (name: string) => ({ type: "object", properties: { [name]: { type: "string" } } });
  const html = schemaBlock({ anyOf: [form("email"), form("code")] }).toString();
  expect(html.match(/<table>/g)?.length).toBe(2);
  expect(textOf(html)).toStartWith("One of 2 forms: Field Presence Value email");
});
