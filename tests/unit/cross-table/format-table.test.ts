import { expect, test } from "bun:test";
import { formatTable } from "../../cross-table/format-table.ts";
import type { CellResult } from "../../support/cross-table/cell-log.ts";
import { dialects, themes } from "../../support/cross-table/model.ts";

const client = { name: "A client", dialect: "chat", family: "gpt", note: "it says less" } as const;
const all = dialects.flatMap((channel) =>
  themes.flatMap((theme) =>
    [false, true].map(
      (isStream): CellResult => ({ client: client.name, channel, theme, isStream, result: "served", reason: null }),
    ),
  ),
);

test("a square that is not served names its reason, and each reason is printed once", () => {
  const results = all.map(
    (one): CellResult => (one.channel === "gemini" ? { ...one, result: "refused", reason: "no conversion" } : one),
  );
  const { text, missing } = formatTable([client], results);
  expect(missing).toBe(0);
  expect(
    text
      .split("\n")
      .find((line) => line.includes("gemini"))
      ?.trim(),
  ).toMatch(/^gemini +(2 +){7}2$/);
  expect(text.split("\n").find((line) => line.startsWith("A client (1)"))).toMatch(/chat +(yes +){7}yes$/);
  expect(text.match(/no conversion/g)).toHaveLength(1);
  expect(text).toContain("1  it says less");
  expect(text).toContain("24 served, 8 refused");
});

test("a square that nothing is known about is counted", () => {
  const { text, missing } = formatTable([client], all.slice(1));
  expect(missing).toBe(1);
  expect(text).toContain("1 unknown");
});

test("a failure is shown as one", () => {
  const { text } = formatTable(
    [client],
    [...all.slice(1), { ...(all[0] as CellResult), result: "failed", reason: "x" }],
  );
  expect(text).toContain("FAIL");
  expect(text).toContain("1 failed");
});
