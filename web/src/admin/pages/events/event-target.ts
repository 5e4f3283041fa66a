import type { deliveryListResponse, targetListResponse } from "@sluice/contracts/event-targets";
import type { EventType, TargetKind } from "@sluice/contracts/event-types";
import type { ResponseOf } from "@sluice/contracts/wire";
import { t } from "../../translate.ts";

export type Target = ResponseOf<typeof targetListResponse>["targets"][number];
export type Delivery = ResponseOf<typeof deliveryListResponse>["deliveries"][number];

export const targetsPath = "/backend/admin/event-target/list/";
export const deliveriesPath = "/backend/admin/event-target/deliveries/";

export const kindTexts: Readonly<Record<TargetKind, string>> = {
  webhook: "Webhook",
  mail: t("Mail"),
  slack: "Slack",
  discord: "Discord",
  telegram: "Telegram",
  feishu: t("Feishu or Lark"),
};

export const eventTexts: Readonly<Record<EventType, string>> = {
  "key.created": t("A customer created an API key"),
  "balance.low": t("A customer's balance is low"),
  "payment.settled": t("A payment was settled"),
  "channel.down": t("A channel with periodic tests is down"),
  "channel.recovered": t("A channel is back"),
  "error_rate.high": t("Many calls fail"),
  "error_rate.recovered": t("Fewer calls fail"),
  "money_check.violated": t("The money check found violations"),
  "money_check.passed": t("The money check passes again"),
  "node.lost": t("An exit node is lost"),
  "node.recovered": t("An exit node is back"),
};
