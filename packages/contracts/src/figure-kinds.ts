/** The figures of the admin: every page, file and answer of the API has the same name and definition for one. */

type Unit = "usd" | "count" | "tokens" | "ratio" | "quota";

/** The name of each figure, what it counts, and whether it counts a range or the present. */
export const figureKinds = {
  revenue_usd: ["Revenue", "usd", "range", "Payments received, in US dollars. Mock payments are excluded."],
  refunds_usd: ["Refunds", "usd", "range", "Money returned by the payment gateways, on the day it was returned."],
  net_revenue_usd: ["Net revenue", "usd", "range", "Revenue less refunds."],
  mock_usd: ["Mock payments", "usd", "range", "Orders settled by the development mock gateway. No money was paid."],
  payments: ["Payments", "count", "range", "Payments received, mock payments excluded."],
  requests: ["Calls", "count", "range", "Calls with a valid key, whatever their outcome."],
  tokens: ["Tokens", "tokens", "range", "Tokens read and written, including cached and reasoning tokens."],
  input_tokens: ["Input tokens", "tokens", "range", "Tokens read by models, including cached tokens."],
  output_tokens: ["Output tokens", "tokens", "range", "Tokens written by models, including reasoning tokens."],
  quota: ["Spend", "quota", "range", "What calls were charged, after multipliers."],
  base_quota: [
    "Spend before multipliers",
    "quota",
    "range",
    "What calls were charged, before the multipliers of users.",
  ],
  success_rate: [
    "Success rate",
    "ratio",
    "range",
    "Completed calls as a share of completed and failed calls, including those that found no provider. Calls refused because of the client, or cancelled by it, are excluded.",
  ],
  new_users: ["New users", "count", "range", "Accounts registered, verified or not."],
  active_users: ["Active users", "count", "range", "Users who made at least one call."],
  repeat_users: ["Repeat users", "count", "range", "Active users who had made a call before this range."],
  mail_failures: ["Mail failures", "count", "range", "E-mails queued in the range that could not be delivered."],
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

/** How calls went, from the attempts at channels. */
export const callFigures = {
  availability: [
    "Availability",
    "Calls that a provider answered, as a share of these and of those at which it failed, was too slow or was not reached. Calls that the provider refused for what they asked are left out; calls that the client left count as answered.",
  ],
  attempts: [
    "Attempts answered",
    "Attempts that a channel answered, as a share of all that say something about it, including those of calls that another channel then answered.",
  ],
  first_byte: [
    "First byte",
    "The time from the arrival of a call until the first byte of its response went to the client.",
  ],
  total: ["Total", "The time from the arrival of a call until its response ended."],
  percentiles: [
    "p50, p95, p99",
    "Half of the calls, and 95 and 99 in a hundred, were this fast or faster. They are estimated from a histogram, and accurate to about 10%.",
  ],
  speed: ["Tokens/s", "Output tokens of streamed responses for each second between first byte and end."],
  period: [
    "Previous period",
    "The same number of days, or hours, right before. A change compares with as much of it as has passed of the chosen one.",
  ],
  days: [
    "Days and today",
    "Days begin at midnight in the chosen time zone; performance has days of UTC. Today is not over: its bar is paler, and its sums still grow.",
  ],
  as_of: ["As of", "Sums have every call that had ended and was settled by this time, which is a minute or two ago."],
} as const satisfies Record<string, readonly [label: string, definition: string]>;
