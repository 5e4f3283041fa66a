import { describe, expect, test } from "bun:test";
import type { Decimal } from "@sluice/contracts/money";
import { isBelow, isDiscount, shownMultiplier } from "@sluice/control-plane/gateway/groups/save-group.ts";
import type { GroupSettings } from "@sluice/control-plane/gateway/groups/store.ts";

const groupOf = (more: Partial<GroupSettings> = {}): GroupSettings => ({
  ...{ name: "pro", description: "", multiplier: "1.000000" as Decimal, visibility: "assigned", rank: 0 },
  ...{ isStart: false, emailDomains: [] },
  ...more,
});
const cheap = groupOf({ multiplier: "0.999999" as Decimal });

describe("a group needs a second person", () => {
  test("when its multiplier falls, however little, and not when it rises or stays", () => {
    expect(isDiscount(groupOf(), cheap)).toBeTrue();
    expect(isDiscount(cheap, groupOf())).toBeFalse();
    expect(isDiscount(cheap, { ...cheap, description: "Cheaper." })).toBeFalse();
  });

  test("when it is cheap and becomes public, or is public from the start", () => {
    expect(isDiscount(cheap, { ...cheap, visibility: "public" })).toBeTrue();
    expect(isDiscount(null, { ...cheap, visibility: "public" })).toBeTrue();
    expect(isDiscount(null, cheap)).toBeFalse();
    expect(isDiscount(groupOf(), groupOf({ visibility: "public" }))).toBeFalse();
  });

  test("when its rank changes, because calls then use another group, which can be cheaper", () => {
    expect(isDiscount(cheap, { ...cheap, rank: 1 })).toBeTrue();
    expect(isDiscount(groupOf({ rank: 1 }), groupOf())).toBeTrue();
    expect(isDiscount(null, groupOf({ rank: 1 }))).toBeFalse();
  });
});

test("a group needs a second person when more accounts start in it, because the one before can be dearer", () => {
  expect(isDiscount(cheap, { ...cheap, isStart: true })).toBeTrue();
  expect(isDiscount(cheap, { ...cheap, emailDomains: ["example.org"] })).toBeTrue();
  const started = { ...cheap, isStart: true, emailDomains: ["example.org"] };
  expect(isDiscount(started, started)).toBeFalse();
  expect(isDiscount(started, cheap)).toBeFalse();
  expect(isDiscount(groupOf(), groupOf({ isStart: true }))).toBeTrue();
});

test("multipliers are compared and shown by their values, not by how they are written", () => {
  const [one, written] = ["1" as Decimal, "1.000000" as Decimal];
  expect(isBelow(one, written)).toBeFalse();
  expect(isBelow("0.5" as Decimal, written)).toBeTrue();
  expect(shownMultiplier(written)).toBe(one);
  expect(shownMultiplier("0.250000" as Decimal)).toBe("0.25" as Decimal);
});
