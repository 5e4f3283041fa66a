import { describe, expect, test } from "bun:test";
import { daysOfRequest } from "@sluice/control-plane/platform/request-days.ts";

const idOf = (startedMs: number): string => {
  const hex = startedMs.toString(16).padStart(12, "0");
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
};

describe("the days of a request id", () => {
  test("are that on which it began and its neighbours", () => {
    expect(daysOfRequest(idOf(Date.parse("2027-03-01T00:00:00Z")))).toEqual(["2027-02-28", "2027-03-01", "2027-03-02"]);
    expect(daysOfRequest(idOf(Date.parse("2026-12-31T23:59:59.999Z")))[1]).toBe("2026-12-31");
  });

  test("are days that a calendar can represent, whatever the id says", () => {
    const farMs = [0, 253_402_300_799_999, 253_402_300_800_000, 2 ** 48 - 1];
    for (const day of farMs.flatMap((ms) => daysOfRequest(idOf(ms)))) {
      expect(day).toMatch(/^(1969|1970|[89]\d{3})-\d\d-\d\d$/);
      expect(new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10)).toBe(day);
    }
  });
});
