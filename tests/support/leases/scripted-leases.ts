import type { BudgetId } from "@sluice/contracts/ids";
import type { HoldAnswer } from "@sluice/control-plane/gateway/quota/model.ts";

/** Holds of budgets, granted unless the script decides otherwise. */
export class ScriptedLeases {
  readonly asked: BudgetId[] = [];
  readonly #answers: Readonly<Record<string, HoldAnswer>>;
  readonly #held = new Map<BudgetId, bigint>();

  constructor(answers: Readonly<Record<string, HoldAnswer>>) {
    this.#answers = answers;
  }

  hold(budgetId: BudgetId, amount: bigint): HoldAnswer {
    this.asked.push(budgetId);
    const answer = this.#answers[String(budgetId)] ?? "held";
    this.#held.set(budgetId, this.heldOf(budgetId) + (answer === "held" ? amount : 0n));
    return answer;
  }

  settle(budgetId: BudgetId, held: bigint): void {
    this.#held.set(budgetId, this.heldOf(budgetId) - held);
  }

  heldOf(budgetId: BudgetId): bigint {
    return this.#held.get(budgetId) ?? 0n;
  }
}
