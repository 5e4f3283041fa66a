import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import type { BudgetId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import { QuotaLeases } from "@sluice/control-plane/gateway/quota/leases.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { seededRandom } from "@sluice/sandbox-provider/wire/seeded-random";
import fc from "fast-check";
import { passTime, settlePromises } from "../../../support/fake-time.ts";
import { type Fate, LeaseLedger, type Network, onlyBudget, type UsageEntry } from "../../../support/lease-ledger.ts";

const { TEST_FULL } = process.env;
const runs = TEST_FULL === "1" ? 2_000 : 120;
const timeoutMs = 300_000;
const granted = 400n;
const replicaNames = ["a", "b", "c"] as const;
const log = createLog("error", () => undefined);
const q = (amount: bigint): Quota => amount as Quota;

type Weather = "good" | "flaky" | "away";

/** One process: what it holds in memory, the calls that run on it, and the rows in its spool. */
class Replica {
  readonly name: string;
  readonly #world: World;
  weather: Weather = "flaky";
  leases: QuotaLeases;
  holds: bigint[] = [];
  rows: UsageEntry[] = [];
  /** Rows that are recorded, while their hold is not settled yet. */
  unsettled: { held: bigint; charge: bigint }[] = [];
  #batch: { readonly entries: readonly UsageEntry[]; isRetry: boolean } | null = null;
  #committing: Promise<void> | null = null;
  /** Counts lives: what an earlier one waited for is nothing to the next. */
  life = 0;

  constructor(name: string, world: World) {
    this.name = name;
    this.#world = world;
    this.leases = this.#born();
  }

  /** What a life sends after its end is lost. */
  #networkOf(life: number): Network {
    const { random } = this.#world;
    return {
      fate: () => {
        if (life !== this.life) {
          return "lost";
        }
        const fates: Record<Weather, readonly Fate[]> = {
          good: ["answered"],
          flaky: ["answered", "answered", "lost", "answer_lost", "late"],
          away: ["lost", "late"],
        };
        const possible = fates[this.weather];
        return possible[Math.floor(random() * possible.length)] ?? "answered";
      },
      delayMs: () => Math.floor(random() * 20),
      lateMs: () => Math.floor(random() * 400),
    };
  }

  #born(): QuotaLeases {
    return new QuotaLeases(this.#world.ledger.storeOf(this.name, this.#networkOf(this.life)), systemClock, log);
  }

  setWeather(weather: Weather): void {
    this.weather = weather;
  }

  hold(amount: bigint): void {
    const { life } = this;
    const note = (given: string) => {
      this.#world.answers.set(given, (this.#world.answers.get(given) ?? 0) + 1);
      if (given === "held" && life === this.life) {
        this.holds.push(amount);
      }
    };
    const answer = this.leases.hold(onlyBudget, q(amount));
    if (answer instanceof Promise) {
      void answer.then(note);
    } else {
      note(answer);
    }
  }

  /** A call ends: its row is recorded, and its hold is settled now or a moment later. */
  settle(charge: (held: bigint) => bigint, isLater: boolean): void {
    const held = this.holds.shift();
    if (held !== undefined) {
      this.rows.push({ id: this.#world.nextRow(), charge: charge(held) });
      this.unsettled.push({ held, charge: charge(held) });
      if (!isLater) {
        this.settleRest();
      }
    }
  }

  settleRest(): void {
    for (const { held, charge } of this.unsettled.splice(0)) {
      this.leases.settle(onlyBudget, q(held), q(charge));
    }
  }

  /** One attempt of the drain; a batch that failed is what the next attempt tries again. */
  commit(): void {
    this.#committing ??= this.#commitOnce().finally(() => {
      this.#committing = null;
    });
  }

  async #commitOnce(): Promise<void> {
    const { life, name } = this;
    const batch = this.#batch ?? { entries: [...this.rows], isRetry: false };
    this.#batch = batch;
    const total = batch.entries.reduce((sum, { charge }) => sum + charge, 0n);
    const totals: ReadonlyMap<BudgetId, bigint> = new Map(total > 0n ? [[onlyBudget, total]] : []);
    try {
      await this.leases.commit(async () => {
        const { taken } = await this.#world.ledger.commit(name, this.#networkOf(life), batch.entries);
        const charges = [{ budgetId: onlyBudget, charged: q(total), taken: q(taken) }];
        return { charges, totals, isRetry: batch.isRetry };
      });
    } catch {
      batch.isRetry = true;
      return;
    }
    if (life === this.life) {
      this.rows = this.rows.slice(batch.entries.length);
      this.#batch = null;
    }
  }

  /** SIGKILL and a new life: running calls are gone, the spool is replayed, the leases of the old life are given back. */
  async die(): Promise<void> {
    this.life += 1;
    await passTime(5);
    this.#world.ledger.charge(this.name, this.rows);
    this.#world.ledger.release(this.name);
    this.rows = [];
    this.holds = [];
    this.unsettled = [];
    this.#batch = null;
    this.#committing = null;
    this.leases = this.#born();
  }
}

/** Some replicas on one ledger. */
class World {
  readonly random: () => number;
  readonly ledger: LeaseLedger;
  readonly replicas: readonly Replica[];
  readonly answers = new Map<string, number>();
  #rows = 0;

  constructor(seed: number) {
    this.random = seededRandom(seed);
    this.ledger = new LeaseLedger(
      granted,
      (name, recall) => this.#announce(name, (leases) => void leases.onRecall(onlyBudget, recall)),
      () => {
        for (const { name } of this.replicas) {
          this.#announce(name, (leases) => leases.onBudgetChanged(onlyBudget));
        }
      },
    );
    this.replicas = replicaNames.map((name) => new Replica(name, this));
  }

  nextRow(): number {
    this.#rows += 1;
    return this.#rows;
  }

  /** A message that comes unless the network of the replica is bad. */
  #announce(name: string, deliver: (leases: QuotaLeases) => void): void {
    const replica = this.replicas.find((one) => one.name === name);
    if (replica !== undefined && (replica.weather === "good" || this.random() < 0.5)) {
      setTimeout(() => deliver(replica.leases), 1);
    }
  }

  /** Nobody may hold what is not lent to it, and what is spent, lent and left is what was granted. */
  check(): void {
    expect(this.ledger.remaining).toBeGreaterThanOrEqual(0n);
    for (const { name, leases, holds, rows } of this.replicas) {
      const open = rows.filter(({ id }) => !this.ledger.committed.has(id));
      const owed = open.reduce((sum, { charge }) => sum + charge, 0n);
      const held = holds.reduce((sum, amount) => sum + amount, 0n);
      const spendable = this.ledger.leaseOf(name) - held - owed;
      expect(spendable).toBeGreaterThanOrEqual(0n);
      expect(leases.totals().idle).toBeLessThanOrEqual(spendable);
    }
  }

  pass(ms: number, stepMs: number): Promise<void> {
    return passTime(ms, stepMs, () => this.check());
  }

  /** The network is good again, every call ends, everything is committed: all must end in step. */
  async comeToRest(): Promise<void> {
    for (const replica of this.replicas) {
      replica.weather = "good";
      replica.settleRest();
      while (replica.holds.length > 0) {
        replica.settle((held) => held, false);
      }
    }
    for (let round = 0; round < 30; round += 1) {
      await this.pass(1_000, 25);
      for (const replica of this.replicas) {
        while (replica.holds.length > 0) {
          replica.settle((held) => held, false);
        }
        replica.commit();
        void replica.leases.tend();
        void replica.leases.reconcile();
      }
      this.check();
    }
  }
}

type Step = (world: World) => void | Promise<void>;

const anyReplica = fc.nat(replicaNames.length - 1);
const on = (world: World, index: number): Replica => world.replicas[index] as Replica;
const ignore = (): undefined => undefined;
const often = (weight: number, arbitrary: fc.Arbitrary<Step & { toString(): string }>) => ({ weight, arbitrary });

/** Something that happens on one replica, after which a moment passes. */
function onReplica<Detail>(
  text: string,
  details: fc.Arbitrary<Detail>,
  run: (replica: Replica, detail: Detail) => unknown,
): fc.Arbitrary<Step & { toString(): string }> {
  return fc.tuple(anyReplica, details, fc.constantFrom(0, 5, 40)).map(([index, detail, ms]) => {
    const step: Step = async (world) => {
      await run(on(world, index), detail);
      await world.pass(ms, 5);
    };
    return Object.assign(step, { toString: () => `${text} ${index} (${detail}), ${ms} ms` });
  });
}

const nothing = fc.constant("");
const shares = fc.tuple(fc.integer({ min: 0, max: 4 }), fc.boolean());
const weathers = fc.constantFrom<Weather>("good", "flaky", "flaky", "away");
const moments = fc.constantFrom(30, 200, 3_100);
const endCall = (replica: Replica, [quarters, isLater]: [number, boolean]) =>
  replica.settle((held) => (held * BigInt(quarters)) / 4n, isLater);
const wait = moments.map((ms) =>
  Object.assign((world: World) => world.pass(ms, ms > 500 ? 50 : 5), { toString: () => `${ms} ms` }),
);
const steps = fc.oneof(
  often(
    10,
    onReplica("hold", fc.integer({ min: 1, max: 120 }), (replica, amount) => replica.hold(BigInt(amount))),
  ),
  often(6, onReplica("end a call", shares, endCall)),
  often(
    5,
    onReplica("commit", nothing, (replica) => replica.commit()),
  ),
  often(
    2,
    onReplica("settle the rest", nothing, (replica) => replica.settleRest()),
  ),
  often(
    5,
    onReplica("tend", nothing, (replica) => void replica.leases.tend()),
  ),
  often(
    1,
    onReplica("reconcile", nothing, (replica) => void replica.leases.reconcile().catch(ignore)),
  ),
  often(
    3,
    onReplica("network", weathers, (replica, weather) => replica.setWeather(weather)),
  ),
  often(
    1,
    onReplica("kill", nothing, (replica) => replica.die()),
  ),
  often(5, wait),
);

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
});

test(
  "whatever goes astray, no replica holds what it was not lent, and all end in step with the database",
  async () => {
    const seen = new Map<string, number>();
    const property = fc.asyncProperty(
      fc.integer(),
      fc.array(steps, { minLength: 5, maxLength: 120, size: "max" }),
      async (seed, script) => {
        const world = new World(seed);
        for (const step of script) {
          await step(world);
          await settlePromises();
          world.check();
        }
        await world.comeToRest();
        for (const { leases } of world.replicas) {
          expect(leases.totals()).toMatchObject({ leased: 0n, held: 0n, pending: 0n });
        }
        expect(world.ledger.leases.values().reduce((sum, { amount }) => sum + amount, 0n)).toBe(0n);
        expect(world.ledger.remaining).toBe(granted - world.ledger.used);
        await expectAllCanBeHeld(world);
        for (const [answer, count] of world.answers) {
          seen.set(answer, (seen.get(answer) ?? 0) + count);
        }
      },
    );
    await fc.assert(property, { numRuns: runs });
    // Otherwise the scripts tried nothing.
    expect([...seen.keys()].sort()).toEqual(["held", "insufficient", "unavailable"]);
  },
  timeoutMs,
);

/** Once all is quiet, any one replica can hold everything that is left, and not one more. */
async function expectAllCanBeHeld(world: World): Promise<void> {
  const { remaining } = world.ledger;
  const [first, second] = world.replicas as readonly [Replica, Replica, Replica];
  const tooMuch = Promise.resolve(first.leases.hold(onlyBudget, q(remaining + 1n)));
  await passTime(1_000);
  expect(await tooMuch).toBe("insufficient");
  const all = Promise.resolve(second.leases.hold(onlyBudget, q(remaining)));
  await passTime(1_000);
  expect(await all).toBe("held");
}
