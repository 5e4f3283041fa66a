import { expect, test } from "bun:test";
import { refuseObjectsWithin } from "@sluice/control-plane/gateway/options/refuse-objects.ts";
import { AppError } from "@sluice/control-plane/platform/errors.ts";
import { processorMsOf } from "../../../support/values/processor-time.ts";

test("a list of a million numbers is looked through at once", () => {
  const list = Array.from({ length: 1_000_000 }, () => 1);
  // On a quiet machine it is 10 ms.
  expect(processorMsOf(() => refuseObjectsWithin({ type: "text", text: "Hi", more: list }, "part"))).toBeLessThan(500);
});

test("a file of the account is refused inside lists of lists", () => {
  expect(() => refuseObjectsWithin({ more: [[1, { file_id: "file-1" }]] }, "part")).toThrow(AppError);
});
