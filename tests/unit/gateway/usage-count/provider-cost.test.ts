import { expect, test } from "bun:test";
import { providerCostOf } from "@sluice/control-plane/gateway/usage-count/provider-cost.ts";
import { reportedBy } from "../../../support/calls/reported-usage.ts";

test.each([
  ["a number", 0.00013512, "0.00013512"],
  ["a small number", 1.5e-7, "0.00000015"],
  ["nothing", 0, "0"],
  ["more places than are kept", 0.12345678901267, "0.123456789013"],
  ["a list with a total", { input_tokens_cost: 0.00001, request_cost: 0.005, total_cost: 0.00501 }, "0.00501"],
])("the provider's own cost is read from %s", (_what, cost, usd) => {
  expect<string | null>(providerCostOf({ cost })).toBe(usd);
});

test.each([-1, Number.NaN, 1e9, "0.5", null, {}, { total_cost: "1" }])("%p is not a cost", (cost) => {
  expect(providerCostOf({ cost })).toBeNull();
});

test("the provider's own cost belongs to the usage that names it", () => {
  const usage = { prompt_tokens: 1, completion_tokens: 2, cost: 0.25 };
  expect<string | undefined>(reportedBy([{ choices: [], usage }])?.providerCost).toBe("0.25");
  expect(reportedBy([{ choices: [], usage: { cost: 0.25 } }])).toBeNull();
});
