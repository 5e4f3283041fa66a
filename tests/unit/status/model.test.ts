import { expect, test } from "bun:test";
import { percentileMs } from "@sluice/control-plane/platform/histogram.ts";
import { overallOf, shareOf, stateOf } from "@sluice/control-plane/status/model.ts";

test("a share of few calls is not shown, and others are rounded down to thousandths", () => {
  expect(shareOf({ answered: 19, failed: 0 })).toBeNull();
  expect(shareOf({ answered: 20, failed: 0 })).toBe(1);
  // Never all of the calls as long as one failed.
  expect(shareOf({ answered: 99_999, failed: 1 })).toBe(0.999);
  expect(shareOf({ answered: 0, failed: 50 })).toBe(0);
});

test("a model is as well as its latest calls, and unknown without them", () => {
  expect(stateOf({ answered: 9, failed: 0 })).toBe("unknown");
  expect(stateOf({ answered: 98, failed: 2 })).toBe("operational");
  expect(stateOf({ answered: 97, failed: 3 })).toBe("degraded_performance");
  expect(stateOf({ answered: 89, failed: 11 })).toBe("partial_outage");
  expect(stateOf({ answered: 4, failed: 6 })).toBe("major_outage");
});

test("the service is as its worst model or open incident", () => {
  expect(overallOf([], []).indicator).toBe("none");
  expect(overallOf(["operational", "unknown"], []).indicator).toBe("none");
  expect(overallOf(["operational", "degraded_performance"], ["maintenance"]).indicator).toBe("minor");
  expect(overallOf(["operational", "major_outage"], []).indicator).toBe("major");
  expect(overallOf(["major_outage", "major_outage"], []).indicator).toBe("critical");
  expect(overallOf(["operational"], ["critical", "minor"]).indicator).toBe("critical");
  expect(overallOf(["operational"], ["maintenance"]).indicator).toBe("maintenance");
});

test("no calls have no percentile", () => {
  expect(percentileMs(new Map(), 0.5)).toBeNull();
  expect(percentileMs(new Map([[3, 0]]), 0.5)).toBeNull();
});
