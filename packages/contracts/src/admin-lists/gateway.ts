import { z } from "zod";
import { channelCredential } from "../catalog-admin.ts";
import { groupFields, groupVisibilities } from "../groups.ts";
import { archivedText, choiceOf, exactText, flagText, idText, listContract } from "../lists.ts";
import { statedCapabilities } from "../model-capabilities.ts";
import { fallbackRule } from "../model-fallbacks.ts";
import { modelKinds } from "../model-kinds.ts";
import { byPrice } from "../priced-units.ts";
import { strictObject } from "../strict-object.ts";
import { upstreamSettings } from "../upstreams.ts";
import { outcomes } from "../usage.ts";
import { endUserLengthMax } from "../usage-labels.ts";
import { wireCounts, wireDay, wireDecimal, wireInteger, wireLongPrompt, wireMoment } from "../wire.ts";

export const switchStatuses = ["enabled", "disabled"] as const;

export const modelList = listContract({
  name: "models",
  rowId: "name",
  row: strictObject(() => ({
    name: z.string(),
    display_name: z.string(),
    owned_by: z.string(),
    kind: z.enum(modelKinds),
    status: z.enum(switchStatuses),
    context_tokens_max: z.int(),
    output_tokens_max: z.int(),
    image_tokens_max: z.int(),
    /** Null where the name of the model says what it can do. */
    capabilities: z.array(z.enum(statedCapabilities)).nullable(),
    /** The version of the current prices; null for a model without prices. */
    price_version: z.int().nullable(),
    price_valid_from: wireMoment.nullable(),
    ...byPrice({
      refused: wireDecimal.nullable(),
      free: wireDecimal.nullable(),
      as_whole: wireDecimal.nullable(),
    }),
    long_prompt: wireLongPrompt,
    /** The groups that may use the model, and the number of channels that can serve it. */
    groups: z.array(z.string()),
    channels: wireInteger,
    /** Names of the Messages route that map to it. */
    aliases: z.array(z.string()),
    /** The models that may answer in its place, by group. */
    fallbacks: z.array(fallbackRule),
    /** Where the compatibility map leads the model's own name, if elsewhere; null if it does not. */
    mapped_to: z.string().nullable(),
    deprecated_at: wireMoment.nullable(),
    sunset_at: wireMoment.nullable(),
    replacement_model: z.string().nullable(),
    archived_at: wireMoment.nullable(),
    created_at: wireMoment,
    updated_at: wireMoment,
  })),
  filters: {
    name: exactText(200),
    /** Selects models whose name starts with this. */
    q: exactText(200),
    owned_by: exactText(100),
    kind: choiceOf(modelKinds),
    status: choiceOf(switchStatuses),
    /** Selects models that a channel can serve. */
    is_served: flagText,
    is_archived: archivedText,
  },
  sorts: ["name", "created_at"],
  defaultSort: "name",
  isTimed: false,
});

export const groupList = listContract({
  name: "groups",
  rowId: "name",
  row: strictObject(() => ({
    ...groupFields,
    /** Users whose account's own group it is, and users who have it besides. */
    accounts: wireInteger,
    members: wireInteger,
    /** Live keys that name it. */
    keys: wireInteger,
    /** Models that a channel serves to it. */
    models: wireInteger,
    archived_at: wireMoment.nullable(),
    created_at: wireMoment,
    updated_at: wireMoment,
  })),
  filters: {
    /** Selects groups whose name starts with this. */
    q: exactText(100),
    visibility: choiceOf(groupVisibilities),
    is_archived: archivedText,
  },
  sorts: ["name", "rank"],
  defaultSort: "name",
  isTimed: false,
});

export const channelList = listContract({
  name: "channels",
  rowId: "channel_id",
  row: strictObject(() => ({
    channel_id: wireInteger,
    name: z.string(),
    upstream: upstreamSettings,
    status: z.enum(switchStatuses),
    has_credential: z.boolean(),
    /** The exit node that manages the channel. */
    exit_node_code: z.string().nullable(),
    requests_per_minute: z.int().nullable(),
    concurrency_max: z.int().nullable(),
    first_byte_timeout_ms: z.int().nullable(),
    idle_timeout_ms: z.int().nullable(),
    pass_through_paths: z.array(z.string()),
    probe_minutes: z.int().nullable(),
    probe_model: z.string().nullable(),
    /** The credentials among which calls are divided, the oldest first. */
    credentials: z.array(channelCredential),
    abilities: z.array(
      z.strictObject({
        group_name: z.string(),
        model: z.string(),
        upstream_model: z.string().nullable(),
        is_enabled: z.boolean(),
        priority: z.int(),
        weight: z.int(),
      }),
    ),
    archived_at: wireMoment.nullable(),
    created_at: wireMoment,
    updated_at: wireMoment,
  })),
  filters: {
    channel_id: idText,
    q: exactText(200),
    is_archived: archivedText,
    status: choiceOf(switchStatuses),
    /** Selects channels that have an ability for this model. */
    model: exactText(200),
    group_name: exactText(100),
  },
  sorts: ["name", "created_at"],
  defaultSort: "name",
  isTimed: false,
});

export const abilityList = listContract({
  name: "abilities",
  rowId: null,
  row: strictObject(() => ({
    group_name: z.string(),
    model: z.string(),
    channel_id: wireInteger,
    channel_name: z.string(),
    channel_status: z.enum(switchStatuses),
    is_enabled: z.boolean(),
    /** Channels with priority 0 come first. */
    priority: z.int(),
    weight: z.int(),
    created_at: wireMoment,
    updated_at: wireMoment,
  })),
  filters: {
    group_name: exactText(100),
    model: exactText(200),
    channel_id: idText,
    is_enabled: flagText,
  },
  sorts: ["place", "model", "channel_id"],
  defaultSort: "place",
  isTimed: false,
});

export const usageList = listContract({
  name: "usage",
  rowId: null,
  row: strictObject(() => ({
    request_id: z.string(),
    day: wireDay,
    started_at: wireMoment,
    user_id: wireInteger.nullable(),
    gateway_user_id: wireInteger,
    email: z.string().nullable(),
    /** The organisation whose account it is, if it is not a person's. */
    organisation_id: wireInteger.nullable(),
    organisation: z.string().nullable(),
    key_id: wireInteger,
    key_name: z.string().nullable(),
    group_name: z.string(),
    path: z.string(),
    /** The model that answered, or was asked last. */
    model: z.string().nullable(),
    /** The model that the client asked for, if another one was asked in its place. */
    asked_model: z.string().nullable(),
    /** The end user that the client named, and its tags as `name=value`. */
    end_user: z.string().nullable(),
    tags: z.array(z.string()),
    channel_id: wireInteger.nullable(),
    channel_name: z.string().nullable(),
    outcome: z.enum(outcomes),
    http_status: z.int(),
    error_code: z.string().nullable(),
    is_stream: z.boolean(),
    ...wireCounts,
    usage_source: z.enum(["provider", "estimated", "none"]),
    /** The provider reported more than is plausible; the plausible amount is charged. */
    is_implausible: z.boolean(),
    /** For a response from the cache: what it cost, in hundredths of a percent of the normal price; else null. */
    cache_basis_points: z.int().nullable(),
    price_version: z.int().nullable(),
    rate_multiplier: wireDecimal,
    /** The cost before and after the multiplier. */
    quota: wireInteger,
    settled_quota: wireInteger,
    /** What the provider says the call has cost it; null if it does not say. */
    provider_cost_usd: wireDecimal.nullable(),
    /** The attempts, each with its channel and its outcome. */
    attempts: z.unknown(),
    first_byte_ms: z.int().nullable(),
    duration_ms: z.int(),
  })),
  filters: {
    request_id: z.uuid().transform((id) => id.toLowerCase()),
    user_id: idText,
    gateway_user_id: idText,
    key_id: idText,
    model: exactText(200),
    asked_model: exactText(200),
    end_user: exactText(endUserLengthMax),
    tag: exactText(100),
    channel_id: idText,
    outcome: choiceOf(outcomes),
    /** Selects every call that did not complete. */
    has_trouble: flagText,
    error_code: exactText(100),
  },
  sorts: ["time"],
  defaultSort: "-time",
});
