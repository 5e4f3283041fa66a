import { describe, expect, test } from "bun:test";
import {
  findMessagesModel,
  type ListedModel,
  type ModelPageQuery,
  toMessagesModel,
  toMessagesModelPage,
} from "@sluice/messages-conversion/models/to-messages-models";
import { refusalOf } from "../../support/messages/messages-calls.ts";

const model = (name: string, day: string | null = "2026-01-01"): ListedModel => ({
  name,
  displayName: name.toUpperCase(),
  createdAt: day === null ? null : new Date(`${day}T00:00:00Z`),
});
const query = (fields: Partial<ModelPageQuery> = {}): ModelPageQuery => ({
  limit: null,
  afterId: null,
  beforeId: null,
  ...fields,
});
const idsOf = (models: readonly ListedModel[], fields: Partial<ModelPageQuery> = {}) => {
  const { data, has_more } = toMessagesModelPage(models, query(fields));
  return [data.map(({ id }) => id).join(" "), has_more];
};

describe("M5 one model", () => {
  test("M5 has every field of the format", () => {
    expect(
      toMessagesModel({
        name: "claude-x",
        displayName: "Claude X",
        createdAt: new Date("2026-01-01T00:00:00Z"),
        outputTokensMax: 64_000,
      }),
    ).toEqual({
      type: "model",
      id: "claude-x",
      display_name: "Claude X",
      created_at: "2026-01-01T00:00:00Z",
      max_input_tokens: null,
      max_tokens: 64_000,
      capabilities: null,
    });
  });

  test("M5 without a known release date has the date 1970-01-01", () => {
    expect(toMessagesModel(model("a", null)).created_at).toBe("1970-01-01T00:00:00Z");
  });

  test("M5 is found by its whole name", () => {
    expect(findMessagesModel([model("a/b"), model("a")], "a/b").id).toBe("a/b");
    expect(refusalOf(() => findMessagesModel([model("a")], "b"))).toMatchObject({
      status: 404,
      type: "not_found_error",
      message: "model: b",
    });
  });
});

describe("M5 pages", () => {
  const models = ["b", "a", "c", "e", "d"].map((name) => model(name));

  test("M5 without models are one empty page", () => {
    expect(toMessagesModelPage([], query())).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
  });

  test("M5 are sorted newest first, then by name", () => {
    expect(
      idsOf([model("b"), model("old", "2020-01-01"), model("a"), model("new", "2026-06-01"), model("never", null)]),
    ).toEqual(["new a b old never", false]);
  });

  test("M5 name their first and last model", () => {
    expect(toMessagesModelPage(models, query({ limit: "2" }))).toMatchObject({
      first_id: "a",
      last_id: "b",
      has_more: true,
    });
  });

  test.each<[string, Partial<ModelPageQuery>, [string, boolean]]>([
    ["M5 a page", { limit: "2" }, ["a b", true]],
    ["M5 the next page", { limit: "2", afterId: "b" }, ["c d", true]],
    ["M5 the last page", { limit: "2", afterId: "d" }, ["e", false]],
    ["M5 after the last one", { limit: "2", afterId: "e" }, ["", false]],
    ["M5 the page before", { limit: "2", beforeId: "d" }, ["b c", true]],
    ["M5 the first page, read backwards", { limit: "2", beforeId: "c" }, ["a b", false]],
    ["M5 a page that is just full", { limit: "5" }, ["a b c d e", false]],
  ])("%s", (_rule, fields, expected) => {
    expect(idsOf(models, fields)).toEqual(expected);
  });

  test("M5 have twenty models by default", () => {
    const many = Array.from({ length: 25 }, (_, index) => model(`m${index}`));
    expect(toMessagesModelPage(many, query())).toMatchObject({ data: { length: 20 }, has_more: true });
    expect(toMessagesModelPage(many, query({ limit: "1000" })).data).toHaveLength(25);
  });

  test.each<[string, Partial<ModelPageQuery>]>([
    ["M5 a limit of 0", { limit: "0" }],
    ["M5 a limit beyond 1000", { limit: "1001" }],
    ["M5 a limit that is not a number", { limit: "ten" }],
    ["M5 a limit that is not an integer", { limit: "1.5" }],
    ["M5 a cursor that is not a model", { afterId: "x" }],
    ["M5 another cursor that is not a model", { beforeId: "x" }],
    ["M5 two cursors", { afterId: "a", beforeId: "c" }],
  ])("%s is refused", (_rule, fields) => {
    expect(refusalOf(() => toMessagesModelPage(models, query(fields)))).toMatchObject({
      status: 400,
      type: "invalid_request_error",
    });
  });
});
