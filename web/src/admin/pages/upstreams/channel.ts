import type { channelList } from "@sluice/contracts/admin-lists/gateway";
import type { RowOf } from "@sluice/contracts/lists";

export type Channel = RowOf<typeof channelList>;

/** What every list of channels is asked for under. */
export const channelPath = "/backend/admin/channel/";
