import { describe, expect, test } from "bun:test";
import { column } from "@sluice/control-plane/platform/list-query/model.ts";
import { readRange } from "@sluice/control-plane/platform/list-query/time-range.ts";
import fc from "fast-check";

const at = column("timestamptz", "at");
const nowMs = Date.parse("2026-11-21T20:00:00Z");
const rangeOf = (asked: { from_day?: string; to_day?: string; zone: string }) =>
  readRange({ at }, asked, { nowMs, isOpen: false });

describe("a day in a time zone", () => {
  test.each([
    [
      "is 24 hours long without a shift",
      { day: "2026-03-10", zone: "Asia/Shanghai", begin: "2026-03-09T16:00:00.000Z", hours: 24 },
    ],
    [
      "begins when clocks have been put forward at midnight",
      { day: "2018-11-04", zone: "America/Sao_Paulo", begin: "2018-11-04T03:00:00.000Z", hours: 23 },
    ],
    [
      "has the hour twice that clocks are put back by",
      { day: "2026-10-25", zone: "Europe/Berlin", begin: "2026-10-24T22:00:00.000Z", hours: 25 },
    ],
    [
      "may begin at a quarter to",
      { day: "2026-01-01", zone: "Asia/Kathmandu", begin: "2025-12-31T18:15:00.000Z", hours: 24 },
    ],
    [
      "that a country has left out has no length",
      { day: "2011-12-30", zone: "Pacific/Apia", begin: "2011-12-30T10:00:00.000Z", hours: 0 },
    ],
  ])("%s", (_, { day, zone, begin, hours }) => {
    const { from, to } = rangeOf({ from_day: day, to_day: day, zone });
    expect(from?.toISOString()).toBe(begin);
    expect(((to?.getTime() ?? 0) - (from?.getTime() ?? 0)) / 3_600_000).toBe(hours);
  });

  test("ends where the next one begins, in every zone", () => {
    const zones = Intl.supportedValuesOf("timeZone");
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 12_000 }), (zone, days) => {
        const first = Temporal.PlainDate.from("2000-01-01").add({ days });
        const next = first.add({ days: 1 }).toString();
        const end = rangeOf({ from_day: first.toString(), to_day: first.toString(), zone }).to;
        expect(end).toEqual(rangeOf({ from_day: next, zone }).from);
      }),
    );
  });
});

describe("days that are not requested", () => {
  const limited = { at, daysDefault: 31, daysMax: 400 };

  test("are the last ones of the zone, if a list has a default", () => {
    const range = readRange(limited, { zone: "Pacific/Auckland" }, { nowMs, isOpen: false });
    expect(range).toMatchObject({ fromDay: "2026-10-23", toDay: null, to: null });
    const until = readRange(limited, { to_day: "2026-03-31", zone: "UTC" }, { nowMs, isOpen: false });
    expect(until).toMatchObject({ fromDay: "2026-03-01", toDay: "2026-03-31" });
  });

  test("are all of them if a filter finds its row by itself, or a list has no default", () => {
    expect(readRange(limited, { zone: "UTC" }, { nowMs, isOpen: true })).toMatchObject({ from: null, to: null });
    expect(rangeOf({ zone: "UTC" })).toMatchObject({ from: null, to: null });
  });

  test.each([
    [{ from_day: "2026-02-02", to_day: "2026-02-01", zone: "UTC" }],
    [{ from_day: "2025-10-01", zone: "UTC" }],
  ])("%j are refused", (asked) => {
    expect(() => readRange(limited, asked, { nowMs, isOpen: false })).toThrow();
  });
});
