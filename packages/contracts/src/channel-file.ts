import type { z } from "zod";
import type { channelList } from "./admin-lists/gateway.ts";
import type { adoptModelsInput } from "./catalog-admin.ts";
import type { RowOf } from "./lists.ts";

type Channel = RowOf<typeof channelList>;
type ChannelInput = z.input<typeof adoptModelsInput>;
/** A channel as an operation that creates channels takes it, without its credential. */
export type ExportedChannel = Omit<ChannelInput, "channel_id" | "credential" | "status" | "reason"> & {
  readonly name: string;
};

const format = "sluice-channels-1";
/** A file of channels, which the admin area and the command line write and read. */
export type ChannelFile = { readonly format: typeof format; readonly channels: readonly ExportedChannel[] };

/** A file of these channels without those that an exit node manages. */
export function toChannelFile(channels: readonly Channel[]): ChannelFile {
  return { format, channels: channels.filter(({ exit_node_code: code }) => code === null).map(toExported) };
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

/** A file of channels from its text, or null for another one. The backend checks its channels one by one. */
export function readChannelFile(text: string): ChannelFile | null {
  const value = parse(text) as Partial<ChannelFile> | null;
  const isFile =
    typeof value === "object" && value !== null && value.format === format && Array.isArray(value.channels);
  return isFile ? (value as ChannelFile) : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
