import type { userAnswer } from "@sluice/contracts/accounts";
import type { balanceAnswer } from "@sluice/contracts/billing";
import type { keyListAnswer } from "@sluice/contracts/keys";
import type { offeredModelsAnswer } from "@sluice/contracts/offered-models";
import type { usageSummaryAnswer } from "@sluice/contracts/usage";
import type { AnswerOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { apiGet } from "../../api/client.ts";

export type ApiKey = AnswerOf<typeof keyListAnswer>["keys"][number];
export type OfferedModel = AnswerOf<typeof offeredModelsAnswer>["models"][number];
export type UsageSummary = AnswerOf<typeof usageSummaryAnswer>;
export type Sums = UsageSummary["total"];

const keysMax = 100;

/** Queries shared by several pages, under the same cache keys, so that one response serves them all. */
export function createBalanceQuery(refreshMs = 0) {
  return createQuery(() => ({
    refetchInterval: refreshMs,
    queryKey: ["balance"],
    queryFn: ({ signal }) => apiGet<typeof balanceAnswer>("/backend/billing/balance/", { signal }),
  }));
}

export function createMeQuery() {
  return createQuery(() => ({
    queryKey: ["me"],
    queryFn: ({ signal }) => apiGet<typeof userAnswer>("/backend/auth/me/", { signal }),
  }));
}

/** The newest keys, as many as can be live. */
export function createKeysQuery() {
  return createQuery(() => ({
    queryKey: ["keys", "newest"],
    queryFn: ({ signal }) => apiGet<typeof keyListAnswer>("/backend/keys/list/", { signal, query: { limit: keysMax } }),
  }));
}

export function createModelsQuery() {
  return createQuery(() => ({
    queryKey: ["models"],
    queryFn: ({ signal }) => apiGet<typeof offeredModelsAnswer>("/backend/models/list/", { signal }),
  }));
}

type SummaryFilter = Readonly<Record<string, string | number>>;

/** Usage sums by filter, refetched every so many milliseconds if a number is given. */
export function createSummaryQuery(filter: () => SummaryFilter) {
  return createQuery(() => ({
    queryKey: ["usage-summary", filter()],
    queryFn: ({ signal }) => apiGet<typeof usageSummaryAnswer>("/backend/usage/summary/", { signal, query: filter() }),
  }));
}

const newComerMs = 5_000;

/** The keys, refetched until one of them was used. */
export function createFirstRequestQuery() {
  return createQuery(() => ({
    queryKey: ["keys", "newest"],
    queryFn: ({ signal }) => apiGet<typeof keyListAnswer>("/backend/keys/list/", { signal, query: { limit: keysMax } }),
    refetchInterval: (query) =>
      query.state.data?.keys.some((key) => key.first_request_at !== null) === true ? false : newComerMs,
  }));
}
