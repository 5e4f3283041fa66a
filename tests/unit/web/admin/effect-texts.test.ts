import { expect, test } from "bun:test";
import { consequenceTexts } from "@sluice/web/src/admin/parts/what-changes/effect-texts.ts";
import { shareBetween } from "@sluice/web/src/admin/parts/what-changes/share-between.ts";

type Consequence = Parameters<typeof consequenceTexts>[0][number];

const affected = (kind: Consequence["kind"], count: number, names: readonly string[] = []): Consequence =>
  ({ kind, count, names }) as unknown as Consequence;

test("calls, those who made them and what they paid are one sentence, in the singular and the plural", () => {
  expect(
    consequenceTexts([
      affected("calls", 1_204),
      affected("callers", 2),
      affected("calling_keys", 1),
      affected("charged_quota", 2_500_000),
    ]),
  ).toEqual(["In the last 7 days: 1,204 calls of 2 accounts with 1 key, charged $5.00."]);
  expect(consequenceTexts([affected("calls", 1)])).toEqual(["In the last 7 days: 1 call."]);
});

test("names are listed, and how many are left out", () => {
  const names = ["a (x)", "b (x)"];
  expect(consequenceTexts([affected("unreachable", 2, names)])).toEqual(["Can't be called any more: a (x), b (x)."]);
  expect(consequenceTexts([affected("unreachable", 7, names)])).toEqual([
    "Can't be called any more: a (x), b (x), 5 more.",
  ]);
});

test("the share of a change is that of the amount before, if there was one", () => {
  expect(shareBetween("20.00", "25")).toBeCloseTo(0.25);
  expect(shareBetween("2", "1")).toBeCloseTo(-0.5);
  expect([shareBetween("", "3"), shareBetween("0", "3"), shareBetween("cheap", "3")]).toEqual([null, null, null]);
});
