import type { channelList } from "@sluice/contracts/admin-lists/gateway";
import type { RowOf } from "@sluice/contracts/lists";
import type { Dialect } from "@sluice/contracts/upstreams";
import { t } from "../../translate.ts";

export type Channel = RowOf<typeof channelList>;
export type Credential = Channel["credentials"][number];

/** The cache key shared by every list of channels. */
export const channelPath = "/backend/admin/channel/";

/** What admins read about each dialect's address. */
export const dialectLabels: Readonly<Record<Dialect, string>> = {
  chat: t("OpenAI API address"),
  responses: t("Responses API address"),
  messages: t("Messages API address"),
  gemini: t("Gemini API address"),
  cohere: t("Cohere rerank address"),
};

/** The addresses of a channel, each with its label. */
export function addressesOf({ upstream }: Pick<Channel, "upstream">): { label: string; address: string }[] {
  return Object.entries(upstream.dialects).map(([dialect, { base_url: address }]) => ({
    label: dialectLabels[dialect as Dialect],
    address,
  }));
}

/** The address that stands for the channel in lists. */
export function firstAddress(channel: Pick<Channel, "upstream">): string {
  return addressesOf(channel)[0]?.address ?? "";
}
