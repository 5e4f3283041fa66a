import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import type { Quota } from "@sluice/contracts/money";
import { QuotaLeases } from "@sluice/control-plane/gateway/quota/leases.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { passTime } from "../../../support/fake-time.ts";
import { type Fate, LeaseLedger, onlyBudget } from "../../../support/lease-ledger.ts";

const log = createLog("error", () => undefined);
const q = (amount: bigint): Quota => amount as Quota;
const trustMs = 300_000;

/** One replica on a ledger, over a network whose state a test sets. */
function setUp(granted: bigint) {
  const network = {
    next: "answered" as Fate,
    delay: 1,
    fate: () => network.next,
    delayMs: () => network.delay,
    lateMs: () => 0,
  };
  const ledger = new LeaseLedger(
    granted,
    () => undefined,
    () => undefined,
  );
  return { network, ledger, leases: new QuotaLeases(ledger.storeOf("one", network), systemClock, log) };
}

async function answerOf<T>(answer: T | Promise<T>, ms = 100): Promise<T> {
  const settled = Promise.resolve(answer);
  await passTime(ms);
  return await settled;
}

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

test("while the database is away, a replica goes on to the last unit of what it has leased", async () => {
  const { network, ledger, leases } = setUp(1_000n);
  expect(await answerOf(leases.hold(onlyBudget, q(1n)))).toBe("held");
  const lent = ledger.leaseOf("one");
  expect(lent).toBe(32n);
  network.next = "lost";
  for (let unit = 1n; unit < lent; unit += 1n) {
    // A refill fails somewhere on the way; it must not cost what is there.
    expect(leases.hold(onlyBudget, q(1n))).toBe("held");
    await passTime(50);
  }
  expect(await answerOf(leases.hold(onlyBudget, q(1n)))).toBe("unavailable");
  network.next = "answered";
  expect(await answerOf(leases.hold(onlyBudget, q(1n)))).toBe("held");
  expect(leases.totals().leased).toBe(ledger.leaseOf("one"));
});

test("nobody waits longer than two seconds for a database that is silent", async () => {
  const { network, leases } = setUp(1_000n);
  network.delay = 60_000;
  const answer = leases.hold(onlyBudget, q(1n));
  expect(await answerOf(answer, 2_005)).toBe("unavailable");
});

test("a lease whose answer was lost is found again and given back", async () => {
  const { network, ledger, leases } = setUp(1_000n);
  network.next = "answer_lost";
  expect(await answerOf(leases.hold(onlyBudget, q(1n)))).toBe("unavailable");
  expect(ledger.leaseOf("one")).toBe(32n);
  network.next = "answered";
  for (let second = 0; second < 5; second += 1) {
    await passTime(1_000, 50);
    await answerOf(leases.tend());
  }
  expect(ledger.leaseOf("one")).toBe(0n);
  expect(ledger.remaining).toBe(1_000n);
});

test("after a silence in which its leases may have been taken, a replica holds nothing until it was heard of again", async () => {
  const { ledger, leases } = setUp(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(10n)))).toBe("held");
  await passTime(trustMs + 1_000, 1_000);
  expect(leases.hold(onlyBudget, q(1n))).toBe("unavailable");
  ledger.release("one");
  leases.renew(performance.now());
  // What runs still is covered by a new lease before anything else is let in.
  expect(await answerOf(leases.hold(onlyBudget, q(90n)))).toBe("held");
  expect(ledger.leaseOf("one")).toBe(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(1n)), 1_000)).toBe("insufficient");
});

test("leases that were taken are not spent, and calls that ran meanwhile are charged out of new ones", async () => {
  const { ledger, leases } = setUp(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(40n)))).toBe("held");
  leases.settle(onlyBudget, q(40n), q(30n));
  ledger.release("one");
  leases.distrust();
  expect(await answerOf(leases.hold(onlyBudget, q(70n)))).toBe("held");
  await leases.commit(async () => {
    const { taken } = ledger.charge("one", [{ id: 1, charge: 30n }]);
    const charges = [{ budgetId: onlyBudget, charged: q(30n), taken: q(taken) }];
    return { charges, totals: new Map([[onlyBudget, 30n]]), isRetry: false };
  });
  expect(ledger.remaining).toBe(0n);
  expect(leases.totals()).toMatchObject({ leased: ledger.leaseOf("one"), held: 70n, pending: 0n });
});

test("a commit that found the lease gone says so, although nobody was told that it was taken", async () => {
  const { ledger, leases } = setUp(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(10n)))).toBe("held");
  leases.settle(onlyBudget, q(10n), q(10n));
  ledger.release("one");
  await leases.commit(async () => {
    const { taken } = ledger.charge("one", [{ id: 1, charge: 10n }]);
    const charges = [{ budgetId: onlyBudget, charged: q(10n), taken: q(taken) }];
    return { charges, totals: new Map([[onlyBudget, 10n]]), isRetry: false };
  });
  expect(leases.totals().idle).toBe(0n);
});

test("a call that costs more than was set aside for it takes the rest from what others could have held", async () => {
  const { ledger, leases } = setUp(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(20n)))).toBe("held");
  leases.settle(onlyBudget, q(20n), q(50n));
  expect(await answerOf(leases.hold(onlyBudget, q(51n)), 1_000)).toBe("insufficient");
  expect(await answerOf(leases.hold(onlyBudget, q(50n)))).toBe("held");
  expect(ledger.remaining).toBe(0n);
});

test("after the stop nothing is sent to the database any more", async () => {
  const { ledger, leases } = setUp(100n);
  const answer = leases.hold(onlyBudget, q(10n));
  await answerOf(leases.stop());
  expect(await answerOf(answer)).toBe("unavailable");
  ledger.release("one");
  await passTime(1_000);
  expect(ledger.remaining).toBe(100n);
});
