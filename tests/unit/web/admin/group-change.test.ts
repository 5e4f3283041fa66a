import { describe, expect, test } from "bun:test";
import { describeChange } from "@sluice/web/src/admin/pages/groups/describe-change.ts";

const group = { multiplier: "0.8", visibility: "public", rank: 1 } as const;
const row = { accounts: 3, members: 1, keys: 1 };
const same = { multiplier: "0.80", visibility: "public", rank: 1 } as const;

describe("what a change of a group would do", () => {
  test("is nothing while multiplier, rank and visibility mean what they did", () => {
    expect(describeChange(group, same, row)).toEqual([]);
  });

  test("names who pays another price, and which way it goes", () => {
    expect(describeChange(group, { ...same, multiplier: "1" }, row)).toEqual([
      "Calls in this group cost × 1 instead of × 0.8 from now on, which is more. 4 accounts have it, and 1 live key names it.",
    ]);
    expect(describeChange(group, { ...same, multiplier: "0.5" }, row)[0]).toContain("which is less");
  });

  test("warns of keys that are refused once a group is not public any more", () => {
    expect(describeChange(group, { ...same, visibility: "assigned" }, row)).toHaveLength(1);
    expect(describeChange({ ...group, visibility: "plan" }, same, row)).toEqual([
      "Every user may name it for their keys from now on.",
    ]);
    expect(describeChange(group, { ...same, rank: 2 }, row)).toHaveLength(1);
  });
});
