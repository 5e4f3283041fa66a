import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { refusalMs } from "@sluice/control-plane/gateway/quota/lease-limits.ts";
import type { Remainder, SpendLimit } from "@sluice/control-plane/gateway/quota/model.ts";
import { onlyBudget } from "../../../support/leases/lease-ledger.ts";
import { answerOf, oneReplica, q } from "../../../support/leases/one-replica.ts";
import { passTime } from "../../../support/values/fake-time.ts";

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

test("an amount that was refused is refused for a moment without asking the database, and then asked for again", async () => {
  const { network, leases } = oneReplica(10n);
  let sent = 0;
  network.fate = () => {
    sent += 1;
    return "answered";
  };
  expect(await answerOf(leases.hold(onlyBudget, q(20n)), 10)).toBe("insufficient");
  const before = sent;
  expect([leases.hold(onlyBudget, q(20n)), leases.hold(onlyBudget, q(21n))]).toEqual(["insufficient", "insufficient"]);
  expect(sent).toBe(before);
  await passTime(refusalMs);
  expect(await answerOf(leases.hold(onlyBudget, q(20n)), 10)).toBe("insufficient");
  expect(sent).toBeGreaterThan(before);
});

test("an amount stays refused without asking the database while other calls hold less and give it back unused", async () => {
  const { network, leases } = oneReplica(10n);
  expect(await answerOf(leases.hold(onlyBudget, q(5n)))).toBe("held");
  leases.settle(onlyBudget, q(5n), q(0n));
  expect(await answerOf(leases.hold(onlyBudget, q(20n)), 10)).toBe("insufficient");
  network.fate = () => {
    throw new Error("the database is asked");
  };
  for (let call = 0; call < 3; call += 1) {
    expect(leases.hold(onlyBudget, q(5n))).toBe("held");
    leases.settle(onlyBudget, q(5n), q(0n));
    expect(leases.hold(onlyBudget, q(20n))).toBe("insufficient");
  }
});

test("quota that comes back after a loan was refused is lent, and no call is refused", async () => {
  const { network, ledger, leases } = oneReplica(10n);
  let sent = 0;
  network.fate = () => {
    sent += 1;
    if (sent === 2) {
      ledger.granted = 100n;
    }
    return "answered";
  };
  expect(await answerOf(leases.hold(onlyBudget, q(20n)), 20)).toBe("held");
  expect(leases.hold(onlyBudget, q(5n))).toBe("held");
});

test("quota that a call gives back while the database is asked what is short lets a waiting one in", async () => {
  const { network, leases } = oneReplica(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(60n)))).toBe("held");
  let sent = 0;
  network.fate = () => {
    sent += 1;
    if (sent === 2) {
      leases.settle(onlyBudget, q(60n), q(10n));
    }
    return "answered";
  };
  expect(await answerOf(leases.hold(onlyBudget, q(80n)), 20)).toBe("held");
});

test("a call over a spending limit is told so, even if another call ends at that moment", async () => {
  const limit: SpendLimit = { period: "daily", limit: q(70n), spent: q(0n), resetsAt: new Date(0) };
  const remainder: Remainder = { limit, whole: q(70n), free: q(10n) };
  const asked = Promise.withResolvers<Remainder[]>();
  const { leases } = oneReplica(100n, { readRemainders: () => asked.promise });
  expect(await answerOf(leases.hold(onlyBudget, q(60n)))).toBe("held");
  const seen = Promise.resolve(leases.hold(onlyBudget, q(80n))).then(
    (answer) => [answer, leases.refusedBy(onlyBudget)] as const,
  );
  await passTime(20);
  asked.resolve([remainder]);
  // Runs after the refusal, and before its caller hears of it.
  queueMicrotask(() => leases.settle(onlyBudget, q(60n), q(10n)));
  expect(await answerOf(seen)).toEqual(["insufficient", remainder]);
});

test("the end of a call lets a waiting one in at once, however slow the database is", async () => {
  const { network, leases } = oneReplica(100n);
  expect(await answerOf(leases.hold(onlyBudget, q(100n)))).toBe("held");
  network.delay = 1_000;
  const waiting = leases.hold(onlyBudget, q(50n));
  await passTime(10);
  leases.settle(onlyBudget, q(100n), q(50n));
  expect(await answerOf(waiting, 1)).toBe("held");
});

test("a call that comes in the moment in which an acquisition ends is served as well", async () => {
  const { leases } = oneReplica(1_000n);
  const first = Promise.resolve(leases.hold(onlyBudget, q(1n)));
  // It needs more than the first one has brought.
  const next = first.then(() => leases.hold(onlyBudget, q(500n)));
  expect(await answerOf(next)).toBe("held");
});

test("a call that waited for too long takes no other with it", async () => {
  const { network, leases } = oneReplica(1_000n);
  network.delay = 1_100;
  const late = leases.hold(onlyBudget, q(1n));
  await passTime(1_000);
  const next = leases.hold(onlyBudget, q(1n));
  await passTime(1_500);
  expect([await late, await next]).toEqual(["unavailable", "held"]);
});
