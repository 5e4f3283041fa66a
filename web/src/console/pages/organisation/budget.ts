import { usdOfQuota } from "../../../i18n/format.ts";
import { fill } from "../../../i18n/messages.ts";
import { quotaOfUsd } from "../../../i18n/quota.ts";
import { formats } from "../../formats.ts";
import type { OrganisationMessages } from "./messages/en.ts";

type Budget = {
  readonly spend_per_month: number | string | null;
  readonly spent_this_month: number | string | null;
};

/** What is spent of a budget, in words. */
export function budgetWords({ spend_per_month: limit, spent_this_month: spent }: Budget, texts: OrganisationMessages) {
  return limit === null
    ? texts.noBudget
    : fill(texts.spentOf, { spent: formats.quotaRounded(spent ?? 0), limit: formats.quotaRounded(limit) });
}

/** A budget as typed; empty for none. */
export const typedBudget = ({ spend_per_month: limit }: Pick<Budget, "spend_per_month">): string =>
  limit === null ? "" : usdOfQuota(limit);

/** What is wrong with a typed budget, or null. */
export function budgetProblem(typed: string, texts: OrganisationMessages): string | null {
  const amount = quotaOfUsd(typed);
  return typed.trim() !== "" && (amount === null || amount === 0n) ? texts.budgetInvalid : null;
}

/** The quota per month that was typed; null for no limit. */
export function sentBudget(typed: string): number | null {
  const amount = quotaOfUsd(typed);
  return amount === null ? null : Number(amount);
}
