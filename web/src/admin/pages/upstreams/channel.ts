import type { channelList } from "@sluice/contracts/admin-lists/gateway";
import type { RowOf } from "@sluice/contracts/lists";

export type Channel = RowOf<typeof channelList>;

/** The cache key shared by every list of channels. */
export const channelPath = "/backend/admin/channel/";
