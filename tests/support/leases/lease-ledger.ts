import type { BudgetId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import type { LeaseAnswer, LeaseStore, TermAnswer } from "@sluice/control-plane/gateway/quota/model.ts";
import type { LeaseTerm } from "@sluice/control-plane/gateway/quota/term.ts";

/**
 * The fate of a statement: it is answered; it is lost on the way; it happens and its response is lost; or its sender
 * gives it up and it happens long after.
 */
export type Fate = "answered" | "lost" | "answer_lost" | "late";

/** Sets the fate of a replica's next statement, and how long each direction takes. */
export type Network = { fate(): Fate; delayMs(): number; lateMs(): number };

type Lease = { amount: bigint; recallSeen: bigint; lastStatement: bigint };
type Term = { era: number; endsTick: number; overTick: number; isGivenUp: boolean };
type Recalled = (replica: string, recall: bigint) => void;

export type UsageEntry = { readonly id: number; readonly charge: bigint };

/** One budget with its leases, with the rules of the database's functions, and an unreliable network. */
export class LeaseLedger {
  granted: bigint;
  used = 0n;
  readonly leases = new Map<string, Lease>();
  readonly committed = new Set<number>();
  /** What was given back out of leases of lost replicas, whose calls may still be charged. */
  writtenOff = 0n;
  readonly #terms = new Map<string, Term>();
  readonly #inDoubt = new Map<string, () => void>();
  readonly #onRecall: Recalled;
  readonly #onReturn: () => void;
  #recalls = 0n;

  constructor(granted: bigint, onRecall: Recalled, onReturn: () => void) {
    this.granted = granted;
    this.#onRecall = onRecall;
    this.#onReturn = onReturn;
  }

  get remaining(): bigint {
    let remaining = this.granted - this.used;
    for (const { amount } of this.leases.values()) {
      remaining -= amount;
    }
    return remaining;
  }

  leaseOf(replica: string): bigint {
    return this.leases.get(replica)?.amount ?? 0n;
  }

  /** What `commitUsage` does: existing entries change nothing, the others take from the lease of the replica first. */
  charge(replica: string, entries: readonly UsageEntry[]): { charged: bigint; taken: bigint } {
    let charged = 0n;
    for (const { id, charge } of entries.filter(({ id: known }) => !this.committed.has(known))) {
      this.committed.add(id);
      charged += charge;
    }
    const lease = this.leases.get(replica);
    const taken = lease === undefined ? 0n : lease.amount < charged ? lease.amount : charged;
    this.used += charged;
    if (lease !== undefined) {
      lease.amount -= taken;
    }
    return { charged, taken };
  }

  /** Gives back every lease of a replica, which begins its new era. */
  release(replica: string): void {
    this.leases.delete(replica);
    const term = this.#terms.get(replica);
    if (term !== undefined) {
      term.era += 1;
    }
  }

  eraOf(replica: string): string | null {
    const term = this.#terms.get(replica);
    return term === undefined ? null : String(term.era);
  }

  /** What `renew_term` does; clocks may differ by a quarter. */
  renew(replica: string, { era, lengthMs }: Pick<LeaseTerm, "era" | "lengthMs">): TermAnswer {
    const tick = performance.now();
    const known = this.#terms.get(replica) ?? { era: 1, endsTick: 0, overTick: 0, isGivenUp: false };
    this.#terms.set(replica, known);
    const isRenewed = era === null || era === String(known.era);
    if (isRenewed) {
      known.endsTick = tick + lengthMs;
      known.overTick = tick + lengthMs * 1.25;
      known.isGivenUp = false;
    }
    return { era: String(known.era), isRenewed, live: this.#terms.size };
  }

  /** The same over a network. */
  async renewTerm(replica: string, network: Network, term: LeaseTerm): Promise<TermAnswer> {
    const asked = { era: term.era, lengthMs: term.lengthMs };
    return await this.#send(network, () => this.renew(replica, asked));
  }

  giveUp(replica: string): void {
    const term = this.#terms.get(replica);
    if (term !== undefined) {
      term.isGivenUp = true;
    }
  }

  /** What `write_off_leases` does. Returns the replicas whose leases were given back. */
  writeOff(): string[] {
    const over = [...this.#terms].filter(([, term]) => term.isGivenUp && performance.now() > term.overTick);
    const lost = over.map(([name]) => name).filter((name) => this.leases.has(name));
    for (const name of lost) {
      this.writtenOff += this.leaseOf(name);
      this.release(name);
    }
    return lost;
  }

  /** A commit over a network; one in doubt is decided before the next of the same replica. */
  async commit(replica: string, network: Network, entries: readonly UsageEntry[]): Promise<{ taken: bigint }> {
    this.#inDoubt.get(replica)?.();
    this.#inDoubt.delete(replica);
    return await this.#send(
      network,
      () => this.charge(replica, entries),
      (happen) => this.#inDoubt.set(replica, happen),
    );
  }

  /** The statements of one replica. */
  storeOf(replica: string, network: Network): LeaseStore {
    return {
      lease: ({ need, want, recall, statement }) =>
        this.#send(network, () => this.#lend(replica, { need, want, recall, statement })),
      giveBack: ({ amount, recall, statement }) =>
        this.#send(network, () => this.#takeBack(replica, { amount, recall, statement })),
      readRemainders: () =>
        this.#send(network, () => {
          const [whole, free] = [this.granted - this.used, this.remaining];
          return [{ limit: null, whole: whole as Quota, free: free as Quota }];
        }),
      readLease: (_, statement) =>
        this.#send(network, () => {
          const lease = this.leases.get(replica);
          if (lease !== undefined && lease.lastStatement < statement) {
            lease.lastStatement = statement;
          }
          return (lease?.amount ?? 0n) as Quota;
        }),
      listLeases: () =>
        this.#send(network, () => {
          const amount = this.leaseOf(replica);
          return new Map(amount > 0n ? [[onlyBudget, amount as Quota]] : []);
        }),
    };
  }

  async #send<T>(network: Network, run: () => T, onLate: (happen: () => void) => void = () => undefined): Promise<T> {
    const fate = network.fate();
    await pause(network.delayMs());
    if (fate === "lost") {
      throw new Error("the statement was lost");
    }
    if (fate === "late") {
      let hasHappened = false;
      const happen = () => {
        if (!hasHappened) {
          hasHappened = true;
          try {
            run();
          } catch {
            // The server refused it, and nobody is waiting for the result.
          }
        }
      };
      onLate(happen);
      setTimeout(happen, network.lateMs());
      throw new Error("the sender has given up");
    }
    const answer = run();
    await pause(network.delayMs());
    if (fate === "answer_lost") {
      throw new Error("the answer was lost");
    }
    return answer;
  }

  #lend(replica: string, ask: { need: bigint; want: bigint; recall: bigint; statement: bigint }): LeaseAnswer {
    const lease = this.leases.get(replica) ?? { amount: 0n, recallSeen: 0n, lastStatement: 0n };
    if (lease.lastStatement >= ask.statement) {
      throw new Error("the statement came late");
    }
    const { remaining } = this;
    const answer = { leasedNow: 0n as Quota, remainingAfter: remaining as Quota };
    if (remaining >= ask.need) {
      const least = ask.want < remaining / 4n ? ask.want : remaining / 4n;
      const given = ask.need > least ? ask.need : least;
      lease.amount += given;
      lease.lastStatement = ask.statement;
      this.leases.set(replica, lease);
      return {
        leasedNow: given as Quota,
        remainingAfter: (remaining - given) as Quota,
        recall: 0n,
        isRecallAnswered: true,
      };
    }
    const others = [...this.leases].filter(([name, { amount }]) => name !== replica && amount > 0n);
    if (others.length === 0) {
      return { ...answer, recall: ask.recall, isRecallAnswered: true };
    }
    if (ask.recall === 0n) {
      this.#recalls += 1n;
      for (const name of this.#terms.keys()) {
        this.#onRecall(name, this.#recalls);
      }
      return { ...answer, recall: this.#recalls, isRecallAnswered: false };
    }
    const isRecallAnswered = others.every(([, { recallSeen }]) => recallSeen >= ask.recall);
    return { ...answer, recall: ask.recall, isRecallAnswered };
  }

  #takeBack(replica: string, returned: { amount: bigint; recall: bigint; statement: bigint }): void {
    const lease = this.leases.get(replica);
    if (lease === undefined || lease.lastStatement >= returned.statement || lease.amount < returned.amount) {
      if (returned.amount > 0n) {
        throw new Error("there is not so much to give back, or it comes late");
      }
      return;
    }
    lease.amount -= returned.amount;
    lease.recallSeen = returned.recall > lease.recallSeen ? returned.recall : lease.recallSeen;
    lease.lastStatement = returned.statement;
    if (returned.recall > 0n) {
      this.#onReturn();
    }
  }
}

/** The budget that every lease of a ledger is of. */
export const onlyBudget = 1n as BudgetId;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
