import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import type { Quota } from "@sluice/contracts/money";
import { QuotaLeases } from "@sluice/control-plane/gateway/quota/leases.ts";
import type { LeaseStore } from "@sluice/control-plane/gateway/quota/model.ts";
import { LeaseTerm } from "@sluice/control-plane/gateway/quota/term.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { LeaseLedger, onlyBudget } from "../../../support/leases/lease-ledger.ts";
import { passTime } from "../../../support/values/fake-time.ts";

const log = createLog("error", () => undefined);
const q = (amount: bigint): Quota => amount as Quota;

/** Two replicas on a ledger, each with what it asks of it. */
function setUp(granted: bigint, delayMs: number) {
  const network = { fate: () => "answered" as const, delayMs: () => delayMs, lateMs: () => 0 };
  const replicas: Record<string, QuotaLeases> = {};
  const ledger = new LeaseLedger(
    granted,
    (name, recall) => void replicas[name]?.onRecall(onlyBudget, recall),
    () => {
      for (const leases of Object.values(replicas)) {
        leases.onBudgetChanged(onlyBudget);
      }
    },
  );
  const join = (name: string) => {
    const term = new LeaseTerm(60_000);
    const store = ledger.storeOf(name, network);
    const wants: bigint[] = [];
    const returns: bigint[] = [];
    const noting: LeaseStore = {
      ...store,
      lease: (asked) => {
        wants.push(asked.want);
        return store.lease(asked);
      },
      giveBack: (returned) => {
        returns.push(returned.amount);
        return store.giveBack(returned);
      },
    };
    const leases = new QuotaLeases(noting, term, systemClock, log);
    leases.renew(performance.now(), ledger.renew(name, term));
    replicas[name] = leases;
    return { leases, wants, returns };
  };
  return { ledger, one: join("one"), other: join("other") };
}

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

test("while calls wait all the time, idle quota of another replica still serves them", async () => {
  const { one, other } = setUp(20_000n, 20);
  void other.leases.hold(onlyBudget, q(1_000n));
  await passTime(200);
  other.leases.settle(onlyBudget, q(1_000n), q(0n));
  const answers = new Map<string, number>();
  for (let call = 0; call < 2_000; call += 1) {
    void Promise.resolve(one.leases.hold(onlyBudget, q(10n))).then((answer) =>
      answers.set(answer, (answers.get(answer) ?? 0) + 1),
    );
    await passTime(1, 1);
  }
  await passTime(2_000);
  expect(Object.fromEntries(answers)).toEqual({ held: 2_000 });
});

test("while a replica spares quota for another, it does not double what it will ask for", async () => {
  const { one, other } = setUp(1_000_000n, 1);
  const call = async () => {
    const answer = one.leases.hold(onlyBudget, q(10n));
    await passTime(20);
    expect(await answer).toBe("held");
    one.leases.settle(onlyBudget, q(10n), q(0n));
  };
  await call();
  expect(one.wants).toEqual([320n]);
  for (let calls = 0; calls < 100; calls += 1) {
    if (calls % 20 === 0) {
      void other.leases.hold(onlyBudget, q(2_000_000n));
    }
    await call();
  }
  await passTime(2_000);
  one.wants.length = 0;
  void one.leases.hold(onlyBudget, q(1_000n));
  await passTime(20);
  expect(one.wants).toEqual([32_000n]);
});

test("a replica that has nothing of a budget sends no answer to its recalls", async () => {
  const { one, other } = setUp(100n, 1);
  void other.leases.hold(onlyBudget, q(50n));
  await passTime(20);
  for (let recall = 1n; recall < 5n; recall += 1n) {
    void one.leases.onRecall(onlyBudget, recall);
    await passTime(20);
  }
  expect(one.returns).toEqual([]);
});

test("a recall is not forgotten with a slice that was not used for a minute", async () => {
  const { ledger, one } = setUp(1_000n, 1);
  void one.leases.onRecall(onlyBudget, 1n);
  await passTime(59_900, 100);
  void one.leases.onRecall(onlyBudget, 2n);
  await passTime(200);
  one.leases.renew(performance.now(), ledger.renew("one", new LeaseTerm(60_000)));
  await one.leases.sweep();
  void one.leases.hold(onlyBudget, q(1n));
  await passTime(20);
  expect(ledger.leaseOf("one")).toBe(1n);
});

test("a call is refused as soon as all have answered, and what lies idle since then serves one that needs less", async () => {
  const { one, other } = setUp(100n, 20);
  void other.leases.hold(onlyBudget, q(100n));
  await passTime(200);
  const answers: [string, number][] = [];
  const begunMs = performance.now();
  const hold = async (amount: bigint) => {
    const answer = await one.leases.hold(onlyBudget, q(amount));
    answers.push([answer, performance.now() - begunMs]);
  };
  void hold(2_000n).then(() => other.leases.settle(onlyBudget, q(100n), q(0n)));
  void hold(10n);
  await passTime(1_000);
  expect(answers.map(([answer]) => answer)).toEqual(["insufficient", "held"]);
  expect(answers[0]?.[1]).toBeLessThan(300);
});
