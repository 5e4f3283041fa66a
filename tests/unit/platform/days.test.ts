import { describe, expect, test } from "bun:test";
import { dayMs, utcDay } from "@sluice/control-plane/platform/clock.ts";
import { addDays, countDays, startOfDay, todayIn } from "@sluice/control-plane/platform/days.ts";

describe("the UTC day of a moment", () => {
  const moment = Date.UTC(2026, 10, 22, 23, 59, 59, 999);

  test("changes at midnight, in whatever order moments are asked for", () => {
    expect([moment, moment + 1, moment - dayMs, moment].map(utcDay)).toEqual([
      "2026-11-22",
      "2026-11-23",
      "2026-11-21",
      "2026-11-22",
    ]);
  });

  test("is right again after moments that no calendar represents in this form", () => {
    for (const odd of [8.64e15, -8.64e15, -1, Date.UTC(12_000, 0, 1)]) {
      utcDay(odd);
      expect(utcDay(moment)).toBe("2026-11-22");
    }
    expect(() => utcDay(Number.NaN)).toThrow(RangeError);
    expect(utcDay(moment)).toBe("2026-11-22");
  });
});

describe("days of the calendar", () => {
  test("are counted across the ends of months and years", () => {
    expect(addDays("2028-02-28", 1)).toBe("2028-02-29");
    expect(addDays("2026-01-01", -1)).toBe("2025-12-31");
    expect([countDays("2026-12-31", "2027-01-01"), countDays("2026-03-01", "2026-03-01")]).toEqual([2, 1]);
    expect(countDays("2026-03-02", "2026-03-01")).toBe(0);
  });

  test("begin with their first moment, even if clocks skip midnight", () => {
    const day = Temporal.PlainDate.from("2026-04-24");
    // Egypt puts its clocks forward at midnight of the last Friday of April.
    expect(startOfDay(day, "Africa/Cairo").toISOString()).toBe("2026-04-23T22:00:00.000Z");
    expect(todayIn("Africa/Cairo", Date.parse("2026-04-23T21:59:59Z")).toString()).toBe("2026-04-23");
    expect(todayIn("Africa/Cairo", Date.parse("2026-04-23T22:00:00Z")).toString()).toBe("2026-04-24");
  });
});
