import type { userResponse } from "@sluice/contracts/accounts";
import type { balanceResponse } from "@sluice/contracts/billing";
import type { keyListResponse } from "@sluice/contracts/keys";
import type { offeredModelsResponse } from "@sluice/contracts/offered-models";
import type { cacheOfferResponse } from "@sluice/contracts/response-cache";
import type { usageSummaryResponse } from "@sluice/contracts/usage";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery, keepPreviousData } from "@tanstack/solid-query";
import { apiGet } from "../../api/client.ts";

export type ApiKey = ResponseOf<typeof keyListResponse>["keys"][number];
export type OfferedModel = ResponseOf<typeof offeredModelsResponse>["models"][number];
export type OfferedGroup = ResponseOf<typeof offeredModelsResponse>["groups"][number];
export type UsageSummary = ResponseOf<typeof usageSummaryResponse>;
export type Sums = UsageSummary["total"];

const keysMax = 100;

/** Queries shared by several pages, under the same cache keys, so that one response serves them all. */
export function createBalanceQuery(refreshMs = 0) {
  return createQuery(() => ({
    refetchInterval: refreshMs,
    queryKey: ["balance"],
    queryFn: ({ signal }) => apiGet<typeof balanceResponse>("/backend/billing/balance/", { signal }),
  }));
}

export function createMeQuery() {
  return createQuery(() => ({
    queryKey: ["me"],
    queryFn: ({ signal }) => apiGet<typeof userResponse>("/backend/auth/me/", { signal }),
  }));
}

/** The newest keys, as many as can be live. */
export function createKeysQuery() {
  return createQuery(() => ({
    queryKey: ["keys", "newest"],
    queryFn: ({ signal }) =>
      apiGet<typeof keyListResponse>("/backend/keys/list/", { signal, query: { limit: keysMax } }),
  }));
}

/** The models of a group; by default of the one that keys without a group of their own use. */
export function createModelsQuery(group: () => string | null = () => null) {
  return createQuery(() => ({
    queryKey: ["models", group()],
    // What was shown stays until the other group is loaded.
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      apiGet<typeof offeredModelsResponse>("/backend/models/list/", {
        signal,
        query: group() === null ? {} : { group: group() ?? "" },
      }),
  }));
}

type SummaryFilter = Readonly<Record<string, string | number>>;

/** Usage sums by filter, refetched every so many milliseconds if a number is given. */
export function createSummaryQuery(filter: () => SummaryFilter) {
  return createQuery(() => ({
    queryKey: ["usage-summary", filter()],
    queryFn: ({ signal }) =>
      apiGet<typeof usageSummaryResponse>("/backend/usage/summary/", { signal, query: filter() }),
  }));
}

const newComerMs = 5_000;

/** The keys, refetched until one of them was used. */
export function createFirstRequestQuery() {
  return createQuery(() => ({
    queryKey: ["keys", "newest"],
    queryFn: ({ signal }) =>
      apiGet<typeof keyListResponse>("/backend/keys/list/", { signal, query: { limit: keysMax } }),
    refetchInterval: (query) =>
      query.state.data?.keys.some((key) => key.first_request_at !== null) === true ? false : newComerMs,
  }));
}

/** Whether keys can use the response cache. */
export function createCacheOfferQuery() {
  return createQuery(() => ({
    queryKey: ["response-cache"],
    queryFn: ({ signal }) => apiGet<typeof cacheOfferResponse>("/backend/response-cache/", { signal }),
  }));
}
