import { expect, test } from "bun:test";
import type { BudgetId } from "@sluice/contracts/ids";
import { refusalMs } from "@sluice/control-plane/gateway/quota/lease-limits.ts";
import { Remainders } from "@sluice/control-plane/gateway/quota/remainders.ts";
import { leaves } from "../../../support/leases/scripted-leases.ts";
import { processorMsOf } from "../../../support/values/processor-time.ts";

/** Remainders by a clock that a test sets, and how often the database is asked. */
function scene() {
  const state = { tick: 0, reads: 0 };
  const store = {
    readRemainders: async (budgetIds: readonly BudgetId[]) => {
      state.reads += 1;
      return budgetIds.map(() => leaves(0n));
    },
  };
  const remainders = new Remainders(store, { now: () => 0, tick: () => state.tick });
  const ask = (key: number): void => void remainders.of([1n, BigInt(key)] as BudgetId[]);
  return { state, ask };
}

test("what is left of the same budgets is read once for as long as a refusal is repeated", () => {
  const { state, ask } = scene();
  for (const [tick, reads] of [
    [0, 1],
    [refusalMs - 1, 1],
    [refusalMs, 2],
    [2 * refusalMs - 1, 2],
  ] as const) {
    state.tick = tick;
    ask(2);
    expect(state.reads).toBe(reads);
  }
});

test("a refusal takes no longer while twenty thousand keys are refused", () => {
  const { state, ask } = scene();
  const keys = 20_000;
  const spent = processorMsOf(() => {
    for (let call = 0; call < 2 * keys; call += 1) {
      state.tick = (call * (refusalMs + 1)) / keys;
      ask(call % keys);
    }
  });
  expect(state.reads).toBe(2 * keys);
  // Looking at all of them each time took five seconds.
  expect(spent).toBeLessThan(1_500);
});
