import type { BudgetId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import type { HoldAnswer, Remainder, SpendLimit } from "@sluice/control-plane/gateway/quota/model.ts";
import type { Amount } from "@sluice/control-plane/platform/amount.ts";

/** What leaves so much with everything back. */
export const leaves = (whole: bigint, limit: SpendLimit | null = null): Remainder => ({
  ...{ limit, whole: whole as Quota },
  free: 0n as Quota,
});

const plenty = 10n ** 15n;

/** Holds of budgets, granted unless the script decides otherwise. */
export class ScriptedLeases {
  readonly asked: BudgetId[] = [];
  readonly #answers: Readonly<Record<string, HoldAnswer>>;
  readonly #remainders: Readonly<Record<string, Remainder>>;
  readonly #held = new Map<BudgetId, bigint>();

  /** @param remainders what is left of budgets; enough of those that are not named */
  constructor(answers: Readonly<Record<string, HoldAnswer>>, remainders: Readonly<Record<string, Remainder>> = {}) {
    this.#answers = answers;
    this.#remainders = remainders;
  }

  refusedBy(budgetId: BudgetId): Remainder {
    return this.#remainders[String(budgetId)] ?? leaves(0n);
  }

  async remaindersOf(budgetIds: readonly BudgetId[]): Promise<Remainder[]> {
    return budgetIds.map(
      (id) => this.#remainders[String(id)] ?? leaves(this.#answers[String(id)] === "insufficient" ? 0n : plenty),
    );
  }

  hold(budgetId: BudgetId, amount: Amount): HoldAnswer {
    this.asked.push(budgetId);
    const answer = this.#answers[String(budgetId)] ?? "held";
    this.#held.set(budgetId, this.heldOf(budgetId) + (answer === "held" ? BigInt(amount) : 0n));
    return answer;
  }

  settle(budgetId: BudgetId, held: Amount): void {
    this.#held.set(budgetId, this.heldOf(budgetId) - BigInt(held));
  }

  heldOf(budgetId: BudgetId): bigint {
    return this.#held.get(budgetId) ?? 0n;
  }
}
