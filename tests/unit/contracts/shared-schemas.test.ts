import { expect, test } from "bun:test";
import { displayText } from "@sluice/contracts/keys";
import { exactText, listContract } from "@sluice/contracts/lists";
import { reasonText } from "@sluice/contracts/readable-text";
import { z } from "zod";

test("fields of the same length share their schema, which keeps to its own length", () => {
  for (const textOf of [displayText, exactText, reasonText]) {
    expect(textOf(40)).toBe(textOf(40));
    expect(textOf(41)).not.toBe(textOf(40));
    expect(textOf(40).safeParse("a".repeat(41)).success).toBe(false);
    expect(textOf(41).safeParse("a".repeat(41)).success).toBe(true);
  }
});

test("lists share the schemas of what they have in common", () => {
  const list = (name: string) =>
    listContract({
      name,
      row: z.strictObject({ id: z.string(), at: z.string() }),
      rowId: "id",
      filters: { user: exactText(30) },
      sorts: ["at"],
      defaultSort: "-at",
    });
  const [first, second] = [list("first"), list("second")];
  const shared = (kind: "input" | "exportInput" | "output") =>
    Object.entries(first[kind].shape).flatMap(([name, schema]) => (schema === second[kind].shape[name] ? [name] : []));
  expect(shared("input")).toEqual(["rows", "from_day", "to_day", "zone", "cursor", "limit"]);
  expect(shared("exportInput")).toEqual(["rows", "from_day", "to_day", "zone", "format"]);
  expect(shared("output")).toEqual(["next_cursor", "total", "range"]);
});
