import { expect, test } from "bun:test";
import { rawTarget } from "@sluice/control-plane/platform/request-target.ts";

test.each([
  ["http://sluice.test/v1/models", "/v1/models"],
  ["http://sluice.test/v1/../a%2Fb//c?x=/y", "/v1/../a%2Fb//c?x=/y"],
  ["http://sluice.test", "/"],
])("the target of %s is %s, with nothing normalised", (url, target) => {
  expect(rawTarget(url)).toBe(target);
});
