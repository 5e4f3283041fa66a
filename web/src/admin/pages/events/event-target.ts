import type { deliveryListResponse, targetListResponse } from "@sluice/contracts/event-targets";
import type { EventType, TargetKind } from "@sluice/contracts/event-types";
import type { ResponseOf } from "@sluice/contracts/wire";

export type Target = ResponseOf<typeof targetListResponse>["targets"][number];
export type Delivery = ResponseOf<typeof deliveryListResponse>["deliveries"][number];

export const targetsPath = "/backend/admin/event-target/list/";
export const deliveriesPath = "/backend/admin/event-target/deliveries/";

export const kindTexts: Readonly<Record<TargetKind, string>> = {
  webhook: "Webhook",
  mail: "Mail",
  slack: "Slack",
  discord: "Discord",
  telegram: "Telegram",
  feishu: "Feishu or Lark",
};

export const eventTexts: Readonly<Record<EventType, string>> = {
  "key.created": "A customer created an API key",
  "balance.low": "A customer's balance is low",
  "payment.settled": "A payment was settled",
  "channel.down": "A channel with periodic tests is down",
  "channel.recovered": "A channel is back",
  "error_rate.high": "Many calls fail",
  "error_rate.recovered": "Fewer calls fail",
  "money_check.violated": "The check of the money found violations",
  "money_check.passed": "The check of the money passes again",
  "node.lost": "An exit node is lost",
  "node.recovered": "An exit node is back",
};
