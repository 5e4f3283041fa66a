import { expect, test } from "bun:test";
import type { BudgetId } from "@sluice/contracts/ids";
import { refusalMs } from "@sluice/control-plane/gateway/quota/lease-limits.ts";
import { Remainders } from "@sluice/control-plane/gateway/quota/remainders.ts";
import { leaves } from "../../../support/leases/scripted-leases.ts";
import { threadMs } from "../../../support/values/processor-time.ts";

/** Remainders by a clock that a test sets, and how often the database is asked. @param answer of the database, at once by default */
function scene(answer: () => Promise<void> = async () => undefined) {
  const state = { tick: 0, reads: 0 };
  const store = {
    readRemainders: async (budgetIds: readonly BudgetId[]) => {
      state.reads += 1;
      await answer();
      return budgetIds.map(() => leaves(0n));
    },
  };
  const remainders = new Remainders(store, { now: () => 0, tick: () => state.tick });
  const ask = (key: number) => remainders.of([1n, BigInt(key)] as BudgetId[]);
  return { state, ask };
}

test("what is left of the same budgets is read once for as long as a refusal is repeated", async () => {
  const { state, ask } = scene();
  for (const [tick, reads] of [
    [0, 1],
    [refusalMs - 1, 1],
    [refusalMs, 2],
    [2 * refusalMs - 1, 2],
  ] as const) {
    state.tick = tick;
    await ask(2);
    expect(state.reads).toBe(reads);
  }
});

test("while they are being read they are not read again, and a read that fails is not kept", async () => {
  const answer = Promise.withResolvers<void>();
  const { state, ask } = scene(() => answer.promise);
  const first = ask(2);
  state.tick = 10 * refusalMs;
  const second = ask(2);
  expect(state.reads).toBe(1);
  answer.resolve();
  expect(await second).toBe(await first);

  const broken = scene(() => Promise.reject(new Error("no database")));
  await expect(broken.ask(2)).rejects.toThrow("no database");
  const tries = broken.state.reads;
  await expect(broken.ask(2)).rejects.toThrow("no database");
  expect(broken.state.reads).toBe(2 * tries);
});

test("a refusal does not wait for a database that is silent", async () => {
  const silence = Promise.withResolvers<void>();
  const { ask } = scene(() => silence.promise);
  await expect(ask(2)).rejects.toThrow("was not read in time");
  silence.resolve();
});

test("a refusal takes no longer while twenty thousand keys are refused", async () => {
  const { state, ask } = scene();
  const keys = 20_000;
  const startedMs = threadMs();
  for (let call = 0; call < 2 * keys; call += 1) {
    state.tick = (call * (refusalMs + 1)) / keys;
    await ask(call % keys);
  }
  expect(state.reads).toBe(2 * keys);
  // Looking at all of them each time took five seconds.
  expect(threadMs() - startedMs).toBeLessThan(2_500);
});
