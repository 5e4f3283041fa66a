import { successRate } from "./figures.ts";
import { type AttemptSums, noUsage, type RouteSums, type UsageSums } from "./usage-sums-store.ts";

const usageNames = Object.keys(noUsage) as (keyof UsageSums)[];

/** The sum of sums. */
export function addUsage(parts: readonly UsageSums[]): UsageSums {
  const total: Record<keyof UsageSums, bigint> = { ...noUsage };
  for (const part of parts) {
    for (const name of usageNames) {
      total[name] += part[name];
    }
  }
  return total;
}

/** What is left of sums without some of their parts. */
export function subtractUsage(whole: UsageSums, parts: readonly UsageSums[]): UsageSums {
  const taken = addUsage(parts);
  return Object.fromEntries(usageNames.map((name) => [name, whole[name] - taken[name]])) as UsageSums;
}

/** The exact sum of decimals with this many places. */
export function addDecimals(values: readonly string[], places: number): string {
  return toDecimal(
    values.reduce((sum, value) => sum + BigInt(value.replace(".", "")), 0n),
    places,
  );
}

function toDecimal(scaled: bigint, places: number): string {
  const digits = (scaled < 0n ? -scaled : scaled).toString().padStart(places + 1, "0");
  return `${scaled < 0n ? "-" : ""}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

type Money = { readonly revenue_usd: string; readonly refunds_usd: string; readonly payments: bigint };

const usdPlaces = 2;

export function addMoney(parts: readonly Money[]): Money & { readonly net_usd: string } {
  const revenue = addDecimals(
    parts.map(({ revenue_usd }) => revenue_usd),
    usdPlaces,
  );
  const refunds = addDecimals(
    parts.map(({ refunds_usd }) => refunds_usd),
    usdPlaces,
  );
  return {
    payments: parts.reduce((sum, { payments }) => sum + payments, 0n),
    revenue_usd: revenue,
    refunds_usd: refunds,
    net_usd: toDecimal(BigInt(revenue.replace(".", "")) - BigInt(refunds.replace(".", "")), usdPlaces),
  };
}

export type RouteGrouping = "model" | "provider" | "node";

type Named = { readonly key: string | null; readonly name: string | null };

const nameOf: Readonly<Record<RouteGrouping, (row: RouteSums) => Named>> = {
  model: ({ model }) => ({ key: model === "" ? null : model, name: model === "" ? null : model }),
  provider: ({ channel_id, channel_name }) => ({ key: channel_id?.toString() ?? null, name: channel_name }),
  node: ({ node_code, node_name }) => ({ key: node_code, name: node_name }),
};

export type RoutePart = UsageSums & Named & { readonly success_rate: string | null };

/** The calls by channel, whose success is that of all attempts at it, also where another channel answered. */
export function groupProviders(routes: readonly RouteSums[], attempts: readonly AttemptSums[]): RoutePart[] {
  const parts = new Map(groupRoutes(routes, "provider").map((part) => [part.key, part]));
  for (const { channel_id: id, channel_name: name, answered, failed } of attempts) {
    const key = id.toString();
    const part = parts.get(key) ?? { key, name, ...noUsage };
    parts.set(key, { ...part, success_rate: successRate({ completed: answered, failed }) });
  }
  return [...parts.values()];
}

/** The calls by model, by channel or by exit node, the most expensive first. Null groups the calls without one. */
export function groupRoutes(routes: readonly RouteSums[], by: RouteGrouping): RoutePart[] {
  const groups = Map.groupBy(routes, (row) => nameOf[by](row).key);
  const parts = [...groups].map(([key, rows]) => {
    const [first] = rows;
    const sums = addUsage(rows);
    return { key, name: first === undefined ? null : nameOf[by](first).name, ...sums, success_rate: successRate(sums) };
  });
  return parts.sort((a, b) => Number(b.settled_quota - a.settled_quota) || Number(b.calls - a.calls));
}
