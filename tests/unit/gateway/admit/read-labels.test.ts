import { describe, expect, test } from "bun:test";
import { tagsHeader } from "@sluice/contracts/usage-labels";
import { bodyLabels } from "@sluice/control-plane/gateway/admit/parse-request/body-labels.ts";
import { readLabels } from "@sluice/control-plane/gateway/admit/read-labels.ts";

const kept = { areLabelsKept: true };
const read = (header: string | null, labels: ReturnType<typeof bodyLabels> = null, key = kept) =>
  readLabels(new Headers(header === null ? {} : { [tagsHeader]: header }), { labels }, key);

describe("what a body says about a call", () => {
  test("is nothing for most calls", () => {
    expect(bodyLabels({ model: "m", messages: [] })).toBeNull();
    expect(bodyLabels({ metadata: {}, user: null })).toBeNull();
  });

  test.each([
    [{ user: "u-1" }, "u-1"],
    [{ safety_identifier: "s-1", user: "u-1" }, "s-1"],
    [{ metadata: { user_id: "m-1" } }, "m-1"],
    [{ user: 5, metadata: { user_id: "m-1" } }, "m-1"],
    [{ user: "é 漢" }, "é 漢"],
  ])("names the end user: %j", (fields, endUser) => {
    expect(bodyLabels(fields)?.endUser).toBe(endUser);
  });

  test.each([["x".repeat(257)], [""], ["a\nb"], ["a\u0000"], ["\u202e"], ["\ud800"], [{ id: 1 }]])(
    "is not kept if it can't be an end user: %j",
    (user) => {
      expect(bodyLabels({ user })).toBeNull();
    },
  );

  test("has metadata as tags only where the values are short and plain", () => {
    const metadata = {
      user_id: "me",
      team: "search",
      long: "x".repeat(65),
      n: 5,
      "bad name": "a",
      html: "<b>",
      at: "a b",
    };
    expect(bodyLabels({ metadata })).toEqual({ endUser: "me", tags: ["team=search", "at=a b"] });
  });

  test("has at most eight tags, whatever is sent", () => {
    const metadata = Object.fromEntries(Array.from({ length: 1_000 }, (_, index) => [`n${index}`, "v"]));
    expect(bodyLabels({ metadata })?.tags).toHaveLength(8);
    expect(bodyLabels({ metadata: ["a", "b"] })).toBeNull();
  });
});

describe("the header with tags", () => {
  test("is a list, and comes before the metadata of the same name", () => {
    expect(read("team=search, feature=chat")).toEqual({ endUser: null, tags: ["team=search", "feature=chat"] });
    expect(read("team=search", { endUser: "me", tags: ["team=ads", "env=test"] })).toEqual({
      endUser: "me",
      tags: ["team=search", "env=test"],
    });
  });

  test.each([
    "",
    "team",
    "team=",
    "=a",
    "team=a,",
    "team=a,team=b",
    "team=<b>",
    `team=${"x".repeat(65)}`,
    `${"x".repeat(33)}=a`,
    Array.from({ length: 9 }, (_, index) => `n${index}=v`).join(","),
    `team=a,${" ".repeat(1_024)}b=c`,
  ])("is refused if it is not one: %j", (header) => {
    expect(() => read(header)).toThrow(/x-sluice-tags/);
  });

  test("of a key that keeps none is not even read", () => {
    expect(read("<>", { endUser: "me", tags: ["a=b"] }, { areLabelsKept: false })).toBeNull();
  });
});
