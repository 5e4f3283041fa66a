import type { BudgetId } from "@sluice/contracts/ids";
import type { HoldAnswer, SpendLimit } from "@sluice/control-plane/gateway/quota/model.ts";
import type { Amount } from "@sluice/control-plane/platform/amount.ts";

/** Holds of budgets, granted unless the script decides otherwise. */
export class ScriptedLeases {
  readonly asked: BudgetId[] = [];
  readonly #answers: Readonly<Record<string, HoldAnswer>>;
  readonly #spendLimit: SpendLimit | null;
  readonly #held = new Map<BudgetId, bigint>();

  /** @param spendLimit what refuses a hold for which too little is left */
  constructor(answers: Readonly<Record<string, HoldAnswer>>, spendLimit: SpendLimit | null = null) {
    this.#answers = answers;
    this.#spendLimit = spendLimit;
  }

  spendLimitOf(): SpendLimit | null {
    return this.#spendLimit;
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
