import type { BudgetId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import { QuotaLeases } from "@sluice/control-plane/gateway/quota/leases.ts";
import { LeaseTerm } from "@sluice/control-plane/gateway/quota/term.ts";
import type { Clock } from "@sluice/control-plane/platform/clock.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { seededRandom } from "@sluice/sandbox-provider/wire/seeded-random";
import { passTime } from "../values/fake-time.ts";
import { type Fate, LeaseLedger, type Network, onlyBudget, type UsageEntry } from "./lease-ledger.ts";

export const granted = 400n;
/** Short compared with the passing time, so that terms end in most scripts. */
const termMs = 2_000;
export const replicaNames = ["a", "b", "c"] as const;
const log = createLog("error", () => undefined);
const q = (amount: bigint): Quota => amount as Quota;
const ignore = (): undefined => undefined;

export type Weather = "good" | "flaky" | "away";

/** Instead of `expect`, which takes most of the time when it is asked millions of times. */
function demand(isSo: boolean, otherwise: () => string): void {
  if (!isSo) {
    throw new Error(otherwise());
  }
}

/** One process: its memory, the calls that run on it, and the rows in its spool. */
export class Replica {
  readonly name: string;
  readonly #world: World;
  weather: Weather = "flaky";
  leases: QuotaLeases;
  term = new LeaseTerm(termMs);
  /** Its clock is a little fast or slow. */
  readonly clock: Clock;
  holds: bigint[] = [];
  /** What its calls may still cost beyond its lease, since that was written off. */
  debt = 0n;
  rows: UsageEntry[] = [];
  /** Recorded rows whose hold is not settled yet. */
  unsettled: { held: bigint; charge: bigint }[] = [];
  #batch: { readonly entries: readonly UsageEntry[]; isRetry: boolean } | null = null;
  #committing: Promise<void> | null = null;
  #renewing: Promise<void> | null = null;
  /** Counts restarts: whatever an earlier process waited for does not concern the next. */
  life = 0;

  constructor(name: string, world: World) {
    this.name = name;
    this.#world = world;
    const pace = 0.9 + world.random() * 0.2;
    this.clock = { now: () => Date.now(), tick: () => performance.now() * pace };
    this.leases = this.#born();
  }

  /** What its running calls and the rows in its spool may cost. */
  get owed(): bigint {
    const open = this.rows.filter(({ id }) => !this.#world.ledger.committed.has(id));
    return [...open.map(({ charge }) => charge), ...this.holds].reduce((sum, amount) => sum + amount, 0n);
  }

  /** Whatever a process sends after its end is lost. */
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
    const { ledger } = this.#world;
    this.term = new LeaseTerm(termMs);
    const leases = new QuotaLeases(ledger.storeOf(this.name, this.#networkOf(this.life)), this.term, this.clock, log);
    leases.renew(this.clock.tick(), ledger.renew(this.name, this.term));
    return leases;
  }

  /** One after the other, as the runtime does it. */
  renew(): void {
    this.#renewing ??= this.#renewOnce().finally(() => {
      this.#renewing = null;
    });
  }

  async #renewOnce(): Promise<void> {
    const { life, leases, term } = this;
    const askedTick = this.clock.tick();
    const answer = await this.#world.ledger.renewTerm(this.name, this.#networkOf(life), term).catch(ignore);
    if (answer !== undefined && life === this.life) {
      leases.renew(askedTick, answer);
    }
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

  /** Its host is declared lost, which may be wrong. */
  giveUp(): void {
    this.#world.ledger.giveUp(this.name);
  }

  /** SIGKILL and a restart: running calls are gone, the spool is replayed, the old process's leases are given back. */
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
    this.#renewing = null;
    this.debt = 0n;
    this.leases = this.#born();
  }
}

/** Some replicas on one ledger. */
export class World {
  readonly random: () => number;
  readonly ledger: LeaseLedger;
  readonly replicas: readonly Replica[];
  readonly answers = new Map<string, number>();
  writeOffs = 0;
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

  /** The leases of replicas that were given up go back when it is time; nothing covers what they owe then. */
  writeOff(): void {
    for (const lost of this.ledger.writeOff()) {
      const replica = this.replicas.find(({ name }) => name === lost);
      if (replica !== undefined) {
        replica.debt = replica.owed;
        this.writeOffs += 1;
      }
    }
  }

  /** Nobody may hold what is not lent to it, and what is spent, lent and left adds up to what was granted. */
  check(): void {
    demand(this.ledger.remaining >= -this.ledger.writtenOff, () => "more is spent and lent than was granted");
    for (const { name, leases, owed, debt, term, clock } of this.replicas) {
      const spendable = this.ledger.leaseOf(name) - owed;
      demand(spendable >= -debt, () => `${name} owes more than it was lent`);
      if (term.era === this.ledger.eraOf(name)) {
        const { idle } = leases.totals();
        demand(
          idle <= (spendable > 0n ? spendable : 0n),
          () => `${name} holds ${idle} of ${spendable} that it may spend`,
        );
      } else {
        // It does not know yet that it has lost everything, so it must not admit anything.
        demand(!term.holds(clock.tick()), () => `${name} admits calls after it was given up`);
      }
    }
  }

  pass(ms: number, stepMs: number): Promise<void> {
    return passTime(ms, stepMs, () => {
      this.writeOff();
      this.check();
    });
  }

  renewAll(): void {
    for (const replica of this.replicas) {
      replica.renew();
    }
  }

  async passRenewed(ms: number): Promise<void> {
    this.renewAll();
    await this.pass(ms, 5);
  }

  /** Until so many calls have been answered, for at most this time. */
  async passUntilAnswered(calls: number, msMax: number): Promise<void> {
    this.renewAll();
    const answered = () => this.answers.values().reduce((sum, count) => sum + count, 0);
    for (let passed = 0; passed < msMax && answered() < calls; passed += 50) {
      await this.pass(50, 5);
    }
  }

  /** The network recovers, every call ends, everything is committed: all must end up consistent. */
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
        replica.renew();
        void replica.leases.sweep();
        void replica.leases.reconcile();
      }
      this.check();
    }
  }
}
