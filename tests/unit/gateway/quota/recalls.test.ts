import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { recallMsMax } from "@sluice/control-plane/gateway/quota/lease-limits.ts";
import { Recall } from "@sluice/control-plane/gateway/quota/recall.ts";
import { onlyBudget } from "../../../support/leases/lease-ledger.ts";
import { oneReplica, q } from "../../../support/leases/one-replica.ts";
import { passTime } from "../../../support/values/fake-time.ts";

const delayMs = 20;

function setUp() {
  const { network, ledger, leases } = oneReplica(1_000n);
  network.delay = delayMs;
  const hold = async (): Promise<string> => {
    const answer = Promise.resolve(leases.hold(onlyBudget, q(1n)));
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

test("others get the same time to give back idle quota for a first call, and again after each loan, with a recall of its own", () => {
  const recall = new Recall(500);
  expect(recall.number).toBe(0n);
  expect([recall.isOver(500 + recallMsMax - 1), recall.isOver(500 + recallMsMax)]).toEqual([false, true]);
  recall.wait(5n, 700);
  recall.restart(1_000);
  expect(recall.number).toBe(0n);
  expect([recall.isOver(1_000 + recallMsMax - 1), recall.isOver(1_000 + recallMsMax)]).toEqual([false, true]);
});
