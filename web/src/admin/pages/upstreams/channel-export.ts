import type { adoptModelsInput } from "@sluice/contracts/catalog-admin";
import type { z } from "zod";
import { apiGet } from "../../../api/client.ts";
import { type Channel, channelPath } from "./channel.ts";

type ChannelInput = z.input<typeof adoptModelsInput>;
type ExportedChannel = Omit<ChannelInput, "channel_id" | "credential" | "status" | "reason"> & {
  readonly name: string;
};

const format = "sluice-channels-1";
export type ChannelExport = { readonly format: typeof format; readonly channels: readonly ExportedChannel[] };

type ChannelPage = { readonly rows: readonly Channel[]; readonly next_cursor: string | null };
const pagesMax = 100;

/** Every channel that no exit node manages, as a file. */
export async function exportChannels(): Promise<ChannelExport> {
  const channels: ExportedChannel[] = [];
  let cursor: string | null = null;
  for (let page = 0; page < pagesMax; page += 1) {
    const query = { limit: 100, cursor };
    const found = (await apiGet(`${channelPath}list/`, { query })) as ChannelPage;
    channels.push(...found.rows.filter(({ exit_node_code: code }) => code === null).map(toExported));
    cursor = found.next_cursor;
    if (cursor === null) {
      break;
    }
  }
  return { format, channels };
}

function toExported(channel: Channel): ExportedChannel {
  return {
    name: channel.name,
    upstream: channel.upstream,
    requests_per_minute: channel.requests_per_minute,
    concurrency_max: channel.concurrency_max,
    first_byte_timeout_ms: channel.first_byte_timeout_ms,
    idle_timeout_ms: channel.idle_timeout_ms,
    pass_through_paths: channel.pass_through_paths as ExportedChannel["pass_through_paths"],
    models: channel.abilities.map(({ model, upstream_model, group_name, is_enabled, priority, weight }) => ({
      ...{ model, upstream_model, group_name, is_enabled, priority, weight },
    })),
  };
}

/**
 * The channels of a file; the backend checks them one by one.
 * @throws Error with what is wrong with the file
 */
export function readExport(text: string): ChannelExport {
  const value = parse(text) as Partial<ChannelExport> | null;
  if (value === null || typeof value !== "object" || value.format !== format || !Array.isArray(value.channels)) {
    throw new Error("Choose a file that was made by Export.");
  }
  return value as ChannelExport;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
