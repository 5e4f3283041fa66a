import { type LimitName, limitNames, limitSources } from "@sluice/contracts/account-limits";

/** Null for no limit. */
export type Limits = Readonly<Record<LimitName, number | null>>;
/** What was used of each limit that is counted. */
export type LimitsUse = Readonly<Record<Exclude<LimitName, "concurrency_max">, number>>;
type Source = (typeof limitSources)[number];
export type LimitsBySource = Readonly<Record<Source, Limits | null>>;
type Applied = { readonly value: number; readonly source: Source } | null;

/**
 * Of each limit the value that counts: a value set for a group or a plan replaces the default, and of group, plan, user
 * and key the strictest counts. Of equal values the one that concerns most is named.
 */
export function appliedLimits(by: LimitsBySource): Readonly<Record<LimitName, Applied>> {
  const strictest = (name: LimitName): Applied => {
    const isReplaced = by.group?.[name] != null || by.plan?.[name] != null;
    const set = limitSources.flatMap((source): NonNullable<Applied>[] => {
      const value = by[source]?.[name] ?? null;
      return value === null || (source === "default" && isReplaced) ? [] : [{ value, source }];
    });
    return set.reduce<Applied>((best, each) => (best === null || each.value < best.value ? each : best), null);
  };
  return Object.fromEntries(limitNames.map((name) => [name, strictest(name)])) as Readonly<Record<LimitName, Applied>>;
}
