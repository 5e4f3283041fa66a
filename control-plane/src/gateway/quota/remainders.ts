import type { BudgetId } from "@sluice/contracts/ids";
import type { Clock } from "../../platform/clock.ts";
import { throughLosses } from "../../platform/db-losses.ts";
import { inTime } from "../../platform/in-time.ts";
import { holdMsMax, refusalMs } from "./lease-limits.ts";
import type { LeaseStore, Remainder } from "./model.ts";

type Known = { readonly untilTick: number; readonly remainders: readonly Remainder[] };

/** What is left of budgets that are compared for a refusal, read together and used for as long as a refusal is repeated. */
export class Remainders {
  /** In the order in which they end. */
  readonly #known = new Map<string, Known>();
  readonly #reading = new Map<string, Promise<readonly Remainder[]>>();
  readonly #store: Pick<LeaseStore, "readRemainders">;
  readonly #clock: Clock;

  constructor(store: Pick<LeaseStore, "readRemainders">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** In the order of the budgets. @throws when the database does not respond in 2 s */
  async of(budgetIds: readonly BudgetId[]): Promise<readonly Remainder[]> {
    const asked = budgetIds.join();
    const known = this.#known.get(asked);
    if (known !== undefined && this.#clock.tick() < known.untilTick) {
      return known.remainders;
    }
    let reading = this.#reading.get(asked);
    if (reading === undefined) {
      reading = this.#read(asked, budgetIds);
      this.#reading.set(asked, reading);
    }
    return await inTime(reading, holdMsMax, () => new Error(`what is left of budgets ${asked} was not read in time`));
  }

  async #read(asked: string, budgetIds: readonly BudgetId[]): Promise<readonly Remainder[]> {
    try {
      const remainders = await throughLosses(() => this.#store.readRemainders(budgetIds));
      const tick = this.#clock.tick();
      this.#forget(tick);
      this.#known.delete(asked);
      this.#known.set(asked, { untilTick: tick + refusalMs, remainders });
      return remainders;
    } finally {
      this.#reading.delete(asked);
    }
  }

  /** Looks no further than needed: a flood over many keys must not look at all of them each time. */
  #forget(tick: number): void {
    for (const [asked, { untilTick }] of this.#known) {
      if (tick < untilTick) {
        return;
      }
      this.#known.delete(asked);
    }
  }
}
