import type { figureUnits } from "@sluice/contracts/overview";
import type { UsageSums } from "./usage-sums-store.ts";

type Unit = (typeof figureUnits)[number];

/** The name of each figure, what it counts, and whether it counts a range or the present. */
export const figureKinds = {
  revenue_usd: ["Revenue", "usd", "range", "Payments received, in US dollars. Mock payments are excluded."],
  refunds_usd: ["Refunds", "usd", "range", "Money returned by the payment gateways, on the day it was returned."],
  net_revenue_usd: ["Net revenue", "usd", "range", "Revenue less refunds."],
  mock_usd: ["Mock payments", "usd", "range", "Orders settled by the development mock gateway. No money was paid."],
  payments: ["Payments", "count", "range", "Payments received, mock payments excluded."],
  requests: ["Requests", "count", "range", "Calls with a valid key, whatever their outcome."],
  tokens: ["Tokens", "tokens", "range", "Tokens read and written, including cached and reasoning tokens."],
  input_tokens: ["Input tokens", "tokens", "range", "Tokens read by models, including cached tokens."],
  output_tokens: ["Output tokens", "tokens", "range", "Tokens written by models, including reasoning tokens."],
  quota: [
    "Quota consumed",
    "quota",
    "range",
    "What calls were charged, after multipliers. 500,000 quota equal 1 US dollar.",
  ],
  base_quota: ["Base quota", "quota", "range", "What calls were charged, before the multipliers of users."],
  success_rate: [
    "Success rate",
    "ratio",
    "range",
    "Completed calls as a share of completed and failed calls, including those that found no provider. Calls refused because of the client, or cancelled by it, are excluded.",
  ],
  new_users: ["New users", "count", "range", "Accounts registered, verified or not."],
  active_users: ["Active users", "count", "range", "Users who made at least one call."],
  repeat_users: ["Repeat users", "count", "range", "Active users who had made a call before this range."],
  mail_failures: ["Mail failures", "count", "range", "Mails queued in the range that could not be delivered."],
  pending_orders: ["Pending orders", "count", "now", "Orders that are waiting for payment and have not expired."],
  orders_in_review: ["Orders in review", "count", "now", "Orders whose payment did not match."],
  pending_leads: ["Pending leads", "count", "now", "Enterprise leads without a response."],
  nodes: ["Exit nodes", "count", "now", "Exit nodes that are not disabled."],
  healthy_nodes: [
    "Healthy nodes",
    "count",
    "now",
    "Exit nodes that are not disabled and whose latest health check succeeded.",
  ],
  decryptable_payloads: [
    "Decryptable payloads",
    "count",
    "now",
    "Requests with stored bodies whose key still exists. This only counts them; reading one is recorded.",
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

/** A fraction with four places, rounded half away from zero; null for a fraction of zero. */
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

/** The relative increase; null without a previous value to compare with. */
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
