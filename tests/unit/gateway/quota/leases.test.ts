import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { QuotaLeases } from "@sluice/control-plane/gateway/quota/leases.ts";
import { LeaseTerm } from "@sluice/control-plane/gateway/quota/term.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { onlyBudget } from "../../../support/leases/lease-ledger.ts";
import { answerOf, oneReplica, q, termMs } from "../../../support/leases/one-replica.ts";
import { passTime } from "../../../support/values/fake-time.ts";

const log = createLog("error", () => undefined);

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

test("while the database is unreachable, a replica continues to the last unit of what it has leased", async () => {
  const { network, ledger, leases } = oneReplica(1_000n);
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

test.each([1, 2, 3])("a call is admitted although %i statements in a row were lost", async (losses) => {
  const { network, ledger, leases } = oneReplica(1_000n);
  let sent = 0;
  network.fate = () => {
    sent += 1;
    return sent <= losses ? "lost" : "answered";
  };
  expect(await answerOf(leases.hold(onlyBudget, q(1n)))).toBe("held");
  expect(leases.totals().leased).toBe(ledger.leaseOf("one"));
});

/** A call of 1 quota, after so many ms; its hold is ten times as much. */
async function callAfter(leases: QuotaLeases, ms: number): Promise<string> {
  await passTime(ms, ms);
  const asked = leases.hold(onlyBudget, q(10n));
  const answer = typeof asked === "string" ? asked : await answerOf(asked, 30);
  if (answer === "held") {
    leases.settle(onlyBudget, q(10n), q(1n));
  }
  return answer;
}

test.each([100, 20, 500])(
  "a user with an ample balance who calls every %d ms continues for half a minute without a database",
  async (ms) => {
    const { network, leases, renew } = oneReplica(1_000_000n);
    for (let passed = 0; passed < 20_000; passed += ms) {
      expect(await callAfter(leases, ms)).toBe("held");
    }
    renew();
    network.next = "lost";
    for (let passed = 0; passed < 30_000; passed += ms) {
      expect(await callAfter(leases, ms)).toBe("held");
    }
  },
);

test("a slice never takes more than a share of what is left, whatever its pace", async () => {
  const { ledger, leases } = oneReplica(2_000n);
  for (let call = 0; call < 1_000; call += 1) {
    expect(await callAfter(leases, 5)).toBe("held");
    const idle = leases.totals().idle;
    // The usual slice of 32 calls, and half of what is left.
    expect(idle).toBeLessThanOrEqual(320n + 2n * 320n + ledger.remaining / 2n);
  }
});

test("idle quota of a budget with plenty left is kept longer, and that of others is not", async () => {
  for (const [granted, kept] of [
    [10_000n, 320n],
    // What the call was charged is not committed.
    [2_000n, 1n],
  ] as const) {
    const { ledger, leases } = oneReplica(granted);
    leases.keptMs = 60_000;
    expect(await callAfter(leases, 1)).toBe("held");
    for (let second = 0; second < 5; second += 1) {
      await passTime(1_000, 50);
      await answerOf(leases.sweep());
    }
    expect(ledger.leaseOf("one")).toBe(kept);
  }
});

test("nobody waits longer than two seconds for a silent database", async () => {
  const { network, leases } = oneReplica(1_000n);
  network.delay = 60_000;
  const answer = leases.hold(onlyBudget, q(1n));
  expect(await answerOf(answer, 2_005)).toBe("unavailable");
});

test("a call that was answered because it waited too long holds nothing when its lease comes", async () => {
  const { network, ledger, leases } = oneReplica(1_000n);
  network.delay = 1_500;
  expect(await answerOf(leases.hold(onlyBudget, q(1n)), 2_005)).toBe("unavailable");
  await passTime(1_100);
  expect(leases.totals()).toMatchObject({ leased: ledger.leaseOf("one"), held: 0n });
});

test("a lease whose response was lost is found again and given back", async () => {
  const { network, ledger, leases } = oneReplica(1_000n);
  network.next = "answer_lost";
  expect(await answerOf(leases.hold(onlyBudget, q(1n)))).toBe("unavailable");
  expect(ledger.leaseOf("one")).toBe(32n);
  network.next = "answered";
  for (let second = 0; second < 5; second += 1) {
    await passTime(1_000, 50);
    await answerOf(leases.sweep());
  }
  expect(ledger.leaseOf("one")).toBe(0n);
  expect(ledger.remaining).toBe(1_000n);
});

test("before its first term a replica admits nothing", async () => {
  const { ledger, network } = oneReplica(100n);
  const leases = new QuotaLeases(ledger.storeOf("two", network), new LeaseTerm(termMs), systemClock, log);
  expect(leases.hold(onlyBudget, q(1n))).toBe("unavailable");
});

test("half a minute without a database ends no term", async () => {
  const { ledger, leases } = oneReplica(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(10n)))).toBe("held");
  leases.settle(onlyBudget, q(10n), q(0n));
  await passTime(30_000, 1_000);
  expect(ledger.leaseOf("one")).toBe(25n);
  expect(leases.hold(onlyBudget, q(10n))).toBe("held");
});

test("after the end of its term a replica admits nothing, and continues with its leases once it is renewed", async () => {
  const { ledger, leases, renew } = oneReplica(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(10n)))).toBe("held");
  await passTime(termMs, 1_000);
  expect(leases.hold(onlyBudget, q(1n))).toBe("unavailable");
  // Nor does the end of a call admit a waiting one.
  leases.settle(onlyBudget, q(10n), q(0n));
  expect(leases.hold(onlyBudget, q(1n))).toBe("unavailable");
  renew();
  expect(ledger.leaseOf("one")).toBe(25n);
  expect(leases.hold(onlyBudget, q(25n))).toBe("held");
});

test("a call waiting when the term ends is admitted neither by the end of another call nor by a late lease", async () => {
  const { network, ledger, leases } = oneReplica(200n);
  expect(await answerOf(leases.hold(onlyBudget, q(20n)))).toBe("held");
  await passTime(termMs - 500, 1_000);
  network.delay = 400;
  const answer = leases.hold(onlyBudget, q(40n));
  await passTime(500);
  expect(leases.hold(onlyBudget, q(1n))).toBe("unavailable");
  leases.settle(onlyBudget, q(20n), q(0n));
  expect(await answerOf(answer, 1_500)).toBe("unavailable");
  expect(ledger.leaseOf("one")).toBeGreaterThanOrEqual(40n);
  expect(leases.totals().held).toBe(0n);
});

test("the end of a call serves nobody once the term is over", async () => {
  const { network, leases } = oneReplica(200n);
  expect(await answerOf(leases.hold(onlyBudget, q(40n)))).toBe("held");
  await passTime(termMs - 500, 1_000);
  network.delay = 60_000;
  const answer = leases.hold(onlyBudget, q(30n));
  await passTime(600);
  leases.settle(onlyBudget, q(40n), q(0n));
  expect(await answerOf(answer, 2_000)).toBe("unavailable");
});

test("the term is counted from before it was requested, and a late response renews nothing", async () => {
  const { ledger, leases } = oneReplica(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(10n)))).toBe("held");
  const askedTick = performance.now();
  const answer = { era: ledger.eraOf("one") ?? "", isRenewed: true, live: 1 };
  await passTime(termMs, 1_000);
  leases.renew(askedTick, answer);
  expect(leases.hold(onlyBudget, q(1n))).toBe("unavailable");
});

test("a lease that was written off is not spent, and running calls are covered before anything else is admitted", async () => {
  const { ledger, leases, renew } = oneReplica(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(10n)))).toBe("held");
  await passTime(termMs * 2, 1_000);
  ledger.giveUp("one");
  expect(ledger.writeOff()).toEqual(["one"]);
  renew();
  expect(leases.hold(onlyBudget, q(1n))).toBe("unavailable");
  renew();
  expect(await answerOf(leases.hold(onlyBudget, q(90n)))).toBe("held");
  expect(ledger.leaseOf("one")).toBe(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(1n)), 1_000)).toBe("insufficient");
});

test("leases that were taken away are not spent, and calls that ran meanwhile are charged to new ones", async () => {
  const { ledger, leases, renew } = oneReplica(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(40n)))).toBe("held");
  leases.settle(onlyBudget, q(40n), q(30n));
  ledger.release("one");
  renew();
  renew();
  expect(await answerOf(leases.hold(onlyBudget, q(70n)))).toBe("held");
  await leases.commit(async () => {
    const { taken } = ledger.charge("one", [{ id: 1, charge: 30n }]);
    const charges = [{ budgetId: onlyBudget, charged: q(30n), taken: q(taken) }];
    return { charges, totals: new Map([[onlyBudget, 30n]]), isRetry: false };
  });
  expect(ledger.remaining).toBe(0n);
  expect(leases.totals()).toMatchObject({ leased: ledger.leaseOf("one"), held: 70n, pending: 0n });
});

test("the response to a request from before the leases were taken lends nothing", async () => {
  const { network, ledger, leases, renew } = oneReplica(100n);
  network.delay = 500;
  const answer = leases.hold(onlyBudget, q(40n));
  // It was executed, and its response is on the way.
  await passTime(700);
  expect(ledger.leaseOf("one")).toBe(40n);
  ledger.release("one");
  renew();
  renew();
  await passTime(350);
  network.delay = 1;
  expect(await answerOf(answer, 1_000)).toBe("held");
  expect(ledger.leaseOf("one")).toBeGreaterThanOrEqual(40n);
  expect(leases.totals().leased).toBe(ledger.leaseOf("one"));
});

test("what was lent after the leases were taken and before this replica knew of that is found again", async () => {
  const { network, ledger, leases, renew } = oneReplica(200n);
  network.delay = 500;
  const answer = leases.hold(onlyBudget, q(40n));
  await passTime(200);
  ledger.release("one");
  await passTime(400);
  expect(ledger.leaseOf("one")).toBe(50n);
  renew();
  renew();
  network.delay = 1;
  expect(await answerOf(answer, 1_000)).toBe("held");
  await answerOf(leases.sweep());
  expect(leases.totals().leased).toBe(ledger.leaseOf("one"));
});

test("a reading that began before the leases were taken lends nothing", async () => {
  const { network, ledger, leases, renew } = oneReplica(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(10n)))).toBe("held");
  leases.settle(onlyBudget, q(10n), q(10n));
  await leases.commit(async () => ({ charges: [], totals: new Map([[onlyBudget, 10n]]), isRetry: true }));
  network.delay = 500;
  const swept = leases.sweep();
  // It was read, and the response is on the way.
  await passTime(700);
  expect(ledger.leaseOf("one")).toBe(25n);
  ledger.release("one");
  renew();
  renew();
  await passTime(350);
  await swept;
  expect(leases.totals().leased).toBe(0n);
});

test("what an earlier process spent and could not record is not spent again", async () => {
  const { ledger, leases: earlier, network } = oneReplica(100n);
  expect(await answerOf(earlier.hold(onlyBudget, q(100n)))).toBe("held");
  const term = new LeaseTerm(termMs);
  const leases = new QuotaLeases(ledger.storeOf("one", network), term, systemClock, log);
  leases.owe(new Map([[onlyBudget, 30n]]));
  leases.renew(performance.now(), ledger.renew("one", term));
  expect(await answerOf(leases.hold(onlyBudget, q(71n)))).toBe("insufficient");
  expect(await answerOf(leases.hold(onlyBudget, q(70n)))).toBe("held");
  expect(leases.totals()).toMatchObject({ leased: 100n, held: 70n, pending: 30n });
});

test("a slice is not forgotten while usage rows of it are uncommitted, however long that takes", async () => {
  const { ledger, leases, renew } = oneReplica(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(40n)))).toBe("held");
  leases.settle(onlyBudget, q(40n), q(30n));
  ledger.release("one");
  renew();
  renew();
  await answerOf(leases.sweep());
  await passTime(termMs + 1_000, 1_000);
  await answerOf(leases.sweep());
  await leases.commit(async () => {
    const { taken } = ledger.charge("one", [{ id: 1, charge: 30n }]);
    const charges = [{ budgetId: onlyBudget, charged: q(30n), taken: q(taken) }];
    return { charges, totals: new Map([[onlyBudget, 30n]]), isRetry: false };
  });
  // Else 30 that were charged could be held once more.
  expect(leases.totals()).toMatchObject({ pending: 0n, idle: 0n });
});

test("an empty slice is forgotten after a minute without use", async () => {
  const { leases } = oneReplica(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(1n)))).toBe("held");
  leases.settle(onlyBudget, q(1n), q(0n));
  await passTime(59_000, 1_000);
  await answerOf(leases.sweep());
  expect(leases.totals()).toMatchObject({ budgets: 1, leased: 0n });
  await passTime(2_000, 1_000);
  await answerOf(leases.sweep());
  expect(leases.totals().budgets).toBe(0);
});

test("a repeated commit costs the lease its rows and no more, even while the database is unreachable", async () => {
  const { network, ledger, leases } = oneReplica(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(10n)))).toBe("held");
  leases.settle(onlyBudget, q(10n), q(10n));
  ledger.charge("one", [{ id: 1, charge: 10n }]);
  await leases.commit(async () => ({ charges: [], totals: new Map([[onlyBudget, 10n]]), isRetry: true }));
  network.next = "lost";
  expect(leases.hold(onlyBudget, q(15n))).toBe("held");
});

test("a refusal of a large amount does not block smaller ones", async () => {
  const { leases } = oneReplica(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(20n)))).toBe("held");
  expect(await answerOf(leases.hold(onlyBudget, q(90n)), 20)).toBe("insufficient");
  // Within the time for which the refusal is remembered.
  expect(await answerOf(leases.hold(onlyBudget, q(40n)))).toBe("held");
});

test("of waiting calls, one that needs too much is refused and the next is served", async () => {
  const { network, leases } = oneReplica(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(20n)))).toBe("held");
  network.delay = 50;
  const answers = Promise.all([leases.hold(onlyBudget, q(90n)), leases.hold(onlyBudget, q(40n))]);
  expect(await answerOf(answers, 1_000)).toEqual(["insufficient", "held"]);
});

test("a small request does not overtake a larger waiting one", async () => {
  const { network, leases } = oneReplica(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(20n)))).toBe("held");
  network.delay = 50;
  const order: string[] = [];
  const first = Promise.resolve(leases.hold(onlyBudget, q(60n))).then((given) => order.push(`60 ${given}`));
  // Five are left in the slice: they are for callers already waiting.
  const second = leases.hold(onlyBudget, q(5n));
  expect(second).toBeInstanceOf(Promise);
  const third = Promise.resolve(second).then((given) => order.push(`5 ${given}`));
  await passTime(1_000);
  await Promise.all([first, third]);
  expect(order).toEqual(["60 held", "5 held"]);
});

test("quota returned by a call can be held at once by one that was refused a moment before", async () => {
  const { ledger, leases } = oneReplica(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(100n)))).toBe("held");
  expect(await answerOf(leases.hold(onlyBudget, q(60n)), 20)).toBe("insufficient");
  // Within the time for which a refusal is remembered; the slice alone does not cover the present request.
  leases.settle(onlyBudget, q(100n), q(40n));
  ledger.granted += 20n;
  expect(await answerOf(leases.hold(onlyBudget, q(80n)))).toBe("held");
});

test("a commit that found the lease gone reports that, although nobody knew that it was taken", async () => {
  const { ledger, leases } = oneReplica(100n);
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
  const { ledger, leases } = oneReplica(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(20n)))).toBe("held");
  leases.settle(onlyBudget, q(20n), q(50n));
  expect(await answerOf(leases.hold(onlyBudget, q(51n)), 1_000)).toBe("insufficient");
  expect(await answerOf(leases.hold(onlyBudget, q(50n)))).toBe("held");
  expect(ledger.remaining).toBe(0n);
});

test("after the stop nothing more is sent to the database", async () => {
  const { ledger, leases } = oneReplica(100n);
  const answer = leases.hold(onlyBudget, q(10n));
  await answerOf(leases.stop());
  expect(await answerOf(answer)).toBe("unavailable");
  ledger.release("one");
  await passTime(1_000);
  expect(ledger.remaining).toBe(100n);
});
