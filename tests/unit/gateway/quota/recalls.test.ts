import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import type { Quota } from "@sluice/contracts/money";
import { recallMsMax } from "@sluice/control-plane/gateway/quota/lease-limits.ts";
import { QuotaLeases } from "@sluice/control-plane/gateway/quota/leases.ts";
import { Recall } from "@sluice/control-plane/gateway/quota/recall.ts";
import { LeaseTerm } from "@sluice/control-plane/gateway/quota/term.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { LeaseLedger, onlyBudget } from "../../../support/leases/lease-ledger.ts";
import { passTime } from "../../../support/values/fake-time.ts";

const delayMs = 20;

/** One replica on a ledger with 1,000 quota. */
function setUp() {
  const ledger = new LeaseLedger(
    1_000n,
    () => undefined,
    () => undefined,
  );
  const term = new LeaseTerm(60_000);
  const network = { fate: () => "answered" as const, delayMs: () => delayMs, lateMs: () => 0 };
  const store = ledger.storeOf("one", network);
  const leases = new QuotaLeases(
    store,
    term,
    systemClock,
    createLog("error", () => undefined),
  );
  leases.renew(performance.now(), ledger.renew("one", term));
  const hold = async (): Promise<string> => {
    const answer = Promise.resolve(leases.hold(onlyBudget, 1n as Quota));
    await passTime(4 * delayMs);
    return await answer;
  };
  return { ledger, leases, hold };
}

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

test("a replica that has heard a recall leases only what its calls need, also if it had no lease, and as usual later", async () => {
  const { ledger, leases, hold } = setUp();
  await leases.onRecall(onlyBudget, 1n);
  expect(await hold()).toBe("held");
  expect(ledger.leaseOf("one")).toBe(1n);
  await passTime(recallMsMax);
  expect(await hold()).toBe("held");
  expect(ledger.leaseOf("one")).toBe(33n);
});

test("a loan that was requested before a recall is given back by its response, as far as no call needs it", async () => {
  const { ledger, leases, hold } = setUp();
  const held = hold();
  await passTime(1);
  const answered = leases.onRecall(onlyBudget, 1n);
  expect(await held).toBe("held");
  await passTime(4 * delayMs);
  await answered;
  expect(ledger.leaseOf("one")).toBe(1n);
  expect(ledger.leases.get("one")?.recallSeen).toBe(1n);
});

test("a recall that is not answered by all is repeated, and one that ended is not", () => {
  const recall = new Recall(0);
  recall.wait(5n, 1_000);
  recall.wait(5n, 1_299);
  expect(recall.number).toBe(5n);
  recall.wait(5n, 1_300);
  expect(recall.number).toBe(0n);
  recall.wait(6n, 1_301);
  recall.end();
  expect(recall.number).toBe(0n);
});
