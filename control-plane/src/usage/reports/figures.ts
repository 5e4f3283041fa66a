import type { figureUnits } from "@sluice/contracts/overview";
import type { UsageSums } from "./usage-sums-store.ts";

type Unit = (typeof figureUnits)[number];

/** What each figure is called, what it counts, and whether it counts a range or how things stand. */
export const figureKinds = {
  revenue_usd: ["Revenue", "usd", "range", "Payments that came in, in US dollars. Payments of the mock are left out."],
  refunds_usd: ["Refunds", "usd", "range", "What gateways gave back, on the day when they had done it."],
  net_revenue_usd: ["Net revenue", "usd", "range", "Revenue less refunds."],
  mock_usd: ["Mock payments", "usd", "range", "What the mock gateway of development settled. Nobody paid it."],
  payments: ["Payments", "count", "range", "Payments that came in, those of the mock left out."],
  requests: ["Requests", "count", "range", "Calls with a good key, whatever became of them."],
  tokens: ["Tokens", "tokens", "range", "Tokens read and written, cached ones and reasoning included."],
  input_tokens: ["Input tokens", "tokens", "range", "Tokens that models read, those out of caches included."],
  output_tokens: ["Output tokens", "tokens", "range", "Tokens that models wrote, reasoning included."],
  quota: [
    "Quota consumed",
    "quota",
    "range",
    "What calls were charged, after the multipliers. 500,000 are 1 US dollar.",
  ],
  base_quota: ["Base quota", "quota", "range", "What calls were charged before the multipliers of users."],
  success_rate: [
    "Success rate",
    "ratio",
    "range",
    "Completed calls among those that were completed or failed, by a provider or because none could be asked. Calls that were refused for what their client has to change, or given up by it, are left out.",
  ],
  new_users: ["New users", "count", "range", "Accounts that were registered, verified or not."],
  active_users: ["Active users", "count", "range", "Users who made at least one call."],
  repeat_users: ["Repeat users", "count", "range", "Active users who had made a call before the range."],
  mail_failures: ["Mail failures", "count", "range", "Mails queued in the range that were given up."],
  pending_orders: ["Pending orders", "count", "now", "Orders that wait for their payment and have not expired."],
  orders_in_review: ["Orders in review", "count", "now", "Orders about whose payment something did not fit."],
  pending_leads: ["Pending leads", "count", "now", "Enterprise leads that nobody has answered yet."],
  nodes: ["Exit nodes", "count", "now", "Exit nodes that are not disabled."],
  healthy_nodes: [
    "Healthy nodes",
    "count",
    "now",
    "Exit nodes that are not disabled and whose last health check went well.",
  ],
  decryptable_payloads: [
    "Decryptable payloads",
    "count",
    "now",
    "Requests with stored bodies whose key still exists. It counts them only; reading one is written down.",
  ],
} as const satisfies Record<string, readonly [label: string, unit: Unit, kind: "range" | "now", definition: string]>;

export type FigureKey = keyof typeof figureKinds;

const places = 4;
const scale = 8;

/** Exact decimals and integers as whole numbers of 10^-8. */
function scaled(value: string | bigint): bigint {
  const text = value.toString();
  const [whole = "0", fraction = ""] = text.replace("-", "").split(".");
  const digits = BigInt(whole + fraction.slice(0, scale).padEnd(scale, "0"));
  return text.startsWith("-") ? -digits : digits;
}

/** A fraction with four places, rounded half away from zero; null when it is of nothing. */
export function ratio(part: bigint, whole: bigint): string | null {
  if (whole <= 0n) {
    return null;
  }
  const isNegative = part < 0n;
  const tenThousandths = ((isNegative ? -part : part) * 20_000n + whole) / (2n * whole);
  const digits = tenThousandths.toString().padStart(places + 1, "0");
  const sign = isNegative && tenThousandths > 0n ? "-" : "";
  return `${sign}${digits.slice(0, -places)}.${digits.slice(-places)}`;
}

/** How much more it is than before, as a part of that; null without a before to compare with. */
export function changeOf(value: string | bigint | null, previous: string | bigint | null): string | null {
  if (value === null || previous === null) {
    return null;
  }
  const before = scaled(previous);
  return ratio(scaled(value) - before, before);
}

export function successRate({ completed, failed }: Pick<UsageSums, "completed" | "failed">): string | null {
  return ratio(completed, completed + failed);
}
