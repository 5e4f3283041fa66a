import type { BudgetId } from "@sluice/contracts/ids";
import type { Clock } from "../../platform/clock.ts";
import { refusalMs } from "./lease-limits.ts";
import type { LeaseStore, Remainder } from "./model.ts";

type Read = { readonly untilTick: number; readonly remainders: Promise<readonly Remainder[]> };

/** What is left of budgets that are compared for a refusal, read together and used for as long as a refusal is repeated. */
export class Remainders {
  readonly #reads = new Map<string, Read>();
  readonly #store: Pick<LeaseStore, "readRemainders">;
  readonly #clock: Clock;

  constructor(store: Pick<LeaseStore, "readRemainders">, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** In the order of the budgets. @throws when the database does not respond */
  of(budgetIds: readonly BudgetId[]): Promise<readonly Remainder[]> {
    const tick = this.#clock.tick();
    const known = this.#reads.get(budgetIds.join());
    if (known !== undefined && tick < known.untilTick) {
      return known.remainders;
    }
    // They end in the order in which they were read: a flood over many keys must not look at all of them each time.
    for (const [budgets, { untilTick }] of this.#reads) {
      if (tick < untilTick) {
        break;
      }
      this.#reads.delete(budgets);
    }
    const remainders = this.#store.readRemainders(budgetIds);
    this.#reads.set(budgetIds.join(), { untilTick: tick + refusalMs, remainders });
    return remainders;
  }
}
