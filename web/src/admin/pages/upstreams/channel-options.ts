import type { ListResponse } from "@sluice/contracts/lists";
import { createQuery } from "@tanstack/solid-query";
import { apiGet } from "../../../api/client.ts";
import { createMe, mayCall } from "../../parts/rights.tsx";
import { type Channel, channelPath } from "./channel.ts";

const channelsMax = 100;

/** The channels by name, as options of a filter; none until they are loaded, or for a role that does not see them. */
export function createChannelOptions(): () => readonly { readonly value: string; readonly label: string }[] {
  const me = createMe();
  const query = createQuery(() => ({
    enabled: mayCall(me.admin(), `${channelPath}list/`),
    queryKey: [channelPath, "options"],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet(`${channelPath}list/`, { query: { limit: channelsMax }, signal }) as Promise<ListResponse<Channel>>,
  }));
  return () => (query.data?.rows ?? []).map(({ channel_id, name }) => ({ value: String(channel_id), label: name }));
}
