import { expect, test } from "bun:test";
import { type Description, findApiBreaks } from "../../releases/compare-api.ts";

type Keys = { readonly input?: object; readonly output?: object; readonly parameters?: readonly object[] };

/** A description of one operation. */
function describeKeys({ input = {}, output = {}, parameters = [] }: Keys): Description {
  const content = (schema: object) => ({ content: { "application/json": { schema } } });
  return {
    paths: { "/keys/": { post: { parameters, requestBody: content(input), responses: { 200: content(output) } } } },
    components: { schemas: { Key: { type: "object", properties: { id: { type: "string" } } } } },
  } as unknown as Description;
}

const object = (properties: object, required: readonly string[] = []): object => ({
  type: "object",
  properties,
  required,
});
const list = { type: "array", items: { $ref: "#/components/schemas/Key" } };

test("what only gains operations, fields and free parameters breaks nothing", () => {
  const before = describeKeys({
    input: object({ name: { type: "string" } }, ["name"]),
    output: object({ keys: list }),
  });
  const now = describeKeys({
    input: object({ name: { type: "string" }, group: object({ id: { type: "string" } }, ["id"]) }, ["name"]),
    output: object({ keys: list, total: { type: "integer" } }),
    parameters: [{ in: "query", name: "limit" }],
  });
  const more = { ...now, paths: { ...now.paths, "/groups/": now.paths["/keys/"] ?? {} } };
  expect(findApiBreaks(before, more)).toEqual([]);
  expect(findApiBreaks(before, before)).toEqual([]);
});

test.each([
  ["an operation", { output: object({}) }, null, "is gone"],
  [
    "a field of a list",
    { output: object({ keys: list }) },
    { output: object({ keys: { type: "array" } }) },
    "output keys[].id is gone",
  ],
  [
    "a type",
    { output: object({ id: { type: "string" } }) },
    { output: object({ id: { type: "integer" } }) },
    "output id was string, and is number",
  ],
  [
    "a field of the input",
    { input: object({ name: { type: "string" } }) },
    { input: object({}) },
    "input name is gone",
  ],
  [
    "the freedom to send nothing",
    { input: object({}) },
    { input: object({ name: { type: "string" } }, ["name"]) },
    "input name is now required",
  ],
  ["a parameter", { parameters: [{ in: "query", name: "limit" }] }, {}, "query limit is gone"],
  [
    "the freedom of a parameter",
    {},
    { parameters: [{ in: "query", name: "limit", required: true }] },
    "query limit is now required",
  ],
] as const)("the loss of %s is named", (_, before, now, fault) => {
  const current = now === null ? { paths: {} } : describeKeys(now);
  expect(findApiBreaks(describeKeys(before), current)).toEqual([`post /keys/: ${fault}`]);
});

test("one of several choices is enough, and a field that became nullable is the same", () => {
  const before = describeKeys({ output: object({ key: { type: "string" } }) });
  const now = describeKeys({ output: object({ key: { anyOf: [{ type: "string" }, { type: "null" }] } }) });
  expect(findApiBreaks(before, now)).toEqual([]);
});

test("a parameter that is described once for several operations is the same parameter", () => {
  const limit = { in: "query", name: "limit" };
  const before = describeKeys({ parameters: [limit] });
  const now = describeKeys({ parameters: [{ $ref: "#/components/parameters/limit" }] });
  const components = { ...now.components, parameters: { limit } };
  expect(findApiBreaks(before, { ...now, components })).toEqual([]);
  expect(findApiBreaks(before, now)).toEqual(["post /keys/: query limit is gone"]);
});
