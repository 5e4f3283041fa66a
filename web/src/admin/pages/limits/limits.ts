import type { explainedLimits, LimitName, SpendLimitName } from "@sluice/contracts/account-limits";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { apiGet } from "../../../api/client.ts";
import { t } from "../../translate.ts";

export type ExplainedLimits = ResponseOf<typeof explainedLimits>;
export type Limits = NonNullable<ExplainedLimits["by_source"]["default"]>;

export const explainLimitsPath = "/backend/admin/limit/explain/";

export const limitLabels: Readonly<Record<LimitName, string>> = {
  requests_per_minute: t("Requests per minute"),
  tokens_per_minute: t("Tokens per minute"),
  concurrency_max: t("Concurrent calls"),
  spend_per_day: t("Spending per day"),
  spend_per_month: t("Spending per month"),
};
export const limitNames = Object.keys(limitLabels) as readonly LimitName[];
/** Amounts of quota; the others are counts. */
export const isSpend = (name: LimitName): name is SpendLimitName => name.startsWith("spend_");

/** Whose limits: those of a key, of a user, of an organisation, of a group, of a plan, or what everyone has. */
export type LimitsOf = {
  readonly user_id?: string;
  readonly organisation_id?: string;
  readonly key_id?: string;
  readonly group_name?: string;
  readonly plan_code?: string;
};

export function createLimitsQuery(of: () => LimitsOf) {
  return createQuery(() => ({
    queryKey: [explainLimitsPath, of()],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof explainedLimits>(explainLimitsPath, { query: { ...of() }, signal }),
  }));
}
