import { describe, expect, test } from "bun:test";
import { appliedLimits, type Limits, type LimitsBySource } from "@sluice/control-plane/gateway/account-limits/model.ts";

const noSpend = { spend_per_day: null, spend_per_month: null };
const limits = (requests_per_minute: number | null): Limits => ({
  ...{ requests_per_minute, tokens_per_minute: null, concurrency_max: null },
  ...noSpend,
});
const none: LimitsBySource = { default: null, group: null, plan: null, user: null, key: null };
const applied = (by: Partial<LimitsBySource>) => appliedLimits({ ...none, ...by }).requests_per_minute;

describe("the limit that counts", () => {
  test("is the strictest of group, user and key, and says where it is set", () => {
    expect(applied({ group: limits(60), user: limits(30), key: limits(90) })).toEqual({ value: 30, source: "user" });
    expect(applied({ group: limits(60), key: limits(9) })).toEqual({ value: 9, source: "key" });
    expect(applied({ group: limits(60), user: limits(null) })).toEqual({ value: 60, source: "group" });
  });

  test("is the default only where the group has no value of its own, even a higher one", () => {
    expect(applied({ default: limits(10), group: limits(60) })).toEqual({ value: 60, source: "group" });
    expect(applied({ default: limits(10), group: limits(null) })).toEqual({ value: 10, source: "default" });
    expect(applied({ default: limits(10), user: limits(60) })).toEqual({ value: 10, source: "default" });
  });

  test("is that of a plan in place of the default, unless its group, user or key has a stricter one", () => {
    expect(applied({ default: limits(10), plan: limits(60) })).toEqual({ value: 60, source: "plan" });
    expect(applied({ default: limits(10), plan: limits(null) })).toEqual({ value: 10, source: "default" });
    expect(applied({ group: limits(30), plan: limits(60) })).toEqual({ value: 30, source: "group" });
    expect(applied({ plan: limits(60), user: limits(90), key: limits(5) })).toEqual({ value: 5, source: "key" });
  });

  test("is none if nothing is set, and each limit is judged by itself", () => {
    expect(applied({})).toBeNull();
    expect(appliedLimits({ ...none, user: limits(5) })).toEqual({
      ...{ requests_per_minute: { value: 5, source: "user" }, tokens_per_minute: null, concurrency_max: null },
      ...noSpend,
    });
  });
});
