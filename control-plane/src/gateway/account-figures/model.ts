import type { AccountShape } from "@sluice/contracts/account-paths";
import { usdOfQuota } from "@sluice/contracts/money";

/**
 * What an API key can spend: its own limit if it has one, else what the account has. A member of an organisation who may
 * not see its usage sees that of their own keys. Amounts in quota.
 */
export type Figures = {
  readonly scope: "api_key" | "member" | "account";
  /** The member whose keys they are about; null for another scope. */
  readonly memberId: bigint | null;
  /** The limit of the key in its period, or all that the account was ever given; for a member, what is used and remains. */
  readonly limit: bigint;
  /** Of a member, in this month. */
  readonly used: bigint;
  readonly remaining: bigint;
  /** When the limit of the key starts over; null if it does not. */
  readonly resetsAt: Date | null;
  readonly keyName: string;
  readonly keyExpiresAtMs: number | null;
  readonly requestsPerMinute: number | null;
  /** The models that the key may call; null for all. */
  readonly models: readonly string[] | null;
};

/** Sums over a UTC day of an account's calls, as settled. */
export type DaySums = {
  readonly day: string;
  readonly calls: bigint;
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  readonly settled_quota: bigint;
};

/** The days of a request, both included, in UTC. */
export type DayRange = { readonly fromDay: string; readonly toDay: string };

/** What an account spent since the beginning of these spans, in UTC. */
export type SpanSums = { readonly daily: bigint; readonly weekly: bigint; readonly monthly: bigint };

/**
 * An exact number of US dollars, for shapes that want a JSON number: quota has six places, which a float writes as they
 * are up to billions.
 */
const usd = (quota: bigint): number => Number(usdOfQuota(quota));
const centsPerUsd = 100n;

/** As one-api and its relatives respond: clients show `hard_limit_usd` minus `total_usage` / 100. */
export function toSubscription({ limit, keyExpiresAtMs }: Figures): object {
  const total = usd(limit);
  return {
    object: "billing_subscription",
    has_payment_method: true,
    soft_limit_usd: total,
    hard_limit_usd: total,
    system_hard_limit_usd: total,
    access_until: keyExpiresAtMs === null ? 0 : Math.floor(keyExpiresAtMs / 1_000),
  };
}

/** In cents, and of all time, whatever days a client asks for: it subtracts this from the limit. */
export function toBillingUsage({ used }: Figures): object {
  return { object: "list", total_usage: usd(used * centsPerUsd) };
}

export function toCreditGrants({ limit, used, remaining }: Figures): object {
  return {
    object: "credit_summary",
    total_granted: usd(limit),
    total_used: usd(used),
    total_available: usd(remaining),
  };
}

/** As new-api responds, in quota. A key without a limit of its own counts as unlimited, and shows what the account has. */
export function toTokenUsage({ scope, limit, used, remaining, keyName, keyExpiresAtMs, models }: Figures): object {
  return {
    code: true,
    message: "ok",
    data: {
      object: "token_usage",
      name: keyName,
      total_granted: Number(limit),
      total_used: Number(used),
      total_available: Number(remaining),
      unlimited_quota: scope !== "api_key",
      model_limits: Object.fromEntries((models ?? []).map((name) => [name, true])),
      model_limits_enabled: models !== null,
      expires_at: keyExpiresAtMs === null ? 0 : Math.floor(keyExpiresAtMs / 1_000),
    },
  };
}

/** As OpenRouter responds to `/credits`. */
export function toCredits({ limit, used }: Figures): object {
  return { data: { total_credits: usd(limit), total_usage: usd(used) } };
}

/** As OpenRouter responds to `/key`. Spans are unknown for a key with a limit of its own: only accounts have such sums. */
export function toKey(figures: Figures, spans: SpanSums | null): object {
  const { scope, limit, used, remaining, keyName, keyExpiresAtMs, requestsPerMinute } = figures;
  const isLimited = scope === "api_key";
  return {
    data: {
      label: keyName,
      limit: isLimited ? usd(limit) : null,
      limit_remaining: isLimited ? usd(remaining) : null,
      limit_reset: figures.resetsAt?.toISOString() ?? null,
      usage: usd(used),
      ...(spans === null
        ? {}
        : { usage_daily: usd(spans.daily), usage_weekly: usd(spans.weekly), usage_monthly: usd(spans.monthly) }),
      is_free_tier: false,
      expires_at: keyExpiresAtMs === null ? null : new Date(keyExpiresAtMs).toISOString(),
      rate_limit: { requests: requestsPerMinute ?? -1, interval: "1m" },
    },
  };
}

/** The form of this program: amounts as decimal texts. `days` is absent for a key with a limit of its own. */
export function toUsage(figures: Figures, range: DayRange, days: readonly DaySums[] | null): object {
  const { scope, limit, used, remaining, resetsAt } = figures;
  return {
    object: "usage",
    currency: "USD",
    scope,
    limit_usd: usdOfQuota(limit),
    used_usd: usdOfQuota(used),
    remaining_usd: usdOfQuota(remaining),
    resets_at: resetsAt?.toISOString() ?? null,
    ...(days === null
      ? {}
      : {
          from_day: range.fromDay,
          to_day: range.toDay,
          days: days.map(({ day, calls, input_tokens, output_tokens, settled_quota }) => ({
            day,
            calls: Number(calls),
            input_tokens: Number(input_tokens),
            output_tokens: Number(output_tokens),
            cost_usd: usdOfQuota(settled_quota),
          })),
        }),
  };
}

/** Shapes that are written from the figures alone. */
export const plainShapes: Readonly<Record<Exclude<AccountShape, "key" | "usage">, (figures: Figures) => object>> = {
  subscription: toSubscription,
  billing_usage: toBillingUsage,
  credit_grants: toCreditGrants,
  credits: toCredits,
  token_usage: toTokenUsage,
};
