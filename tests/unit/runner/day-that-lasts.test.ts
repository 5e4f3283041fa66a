import { expect, test } from "bun:test";
import { untilDayLastsMs } from "../../support/values/day-that-lasts.ts";

test("a test that needs one day waits for the next only in the last minute before midnight in UTC", () => {
  const waits = ["00:00:00.000", "12:00:00.000", "23:59:00.000", "23:59:00.001", "23:59:59.999"].map((time) =>
    untilDayLastsMs(Date.parse(`2028-02-29T${time}Z`)),
  );
  expect(waits).toEqual([0, 0, 0, 59_999, 1]);
});
