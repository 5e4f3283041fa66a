import { z } from "zod";
import { waitingResponse } from "./approvals.ts";
import { groupName } from "./groups.ts";
import { displayText, recordId } from "./keys.ts";
import { statedCapabilities } from "./model-capabilities.ts";
import { modelKinds } from "./model-kinds.ts";
import { momentText } from "./moments.ts";
import { passThroughPaths } from "./pass-through.ts";
import { byPrice, byTokenPrice } from "./priced-units.ts";
import { adoptedModelsMax } from "./proposal-limits.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { dialects, type UpstreamSettings, upstreamSettings } from "./upstreams.ts";
import { wireInteger, wireLongPrompt, wireMoment, wirePrices } from "./wire.ts";

export const switchStatuses = ["enabled", "disabled"] as const;

/** A model name in the form that clients send: visible characters, no spaces. */
export const modelName = z.string().regex(/^[\x21-\x7e]{1,200}$/, "1 to 200 visible characters without spaces");
const reason = reasonText(500).optional();
const tokens = z.int().min(1).max(100_000_000);

/** US dollars with up to eight decimal places, as text or as an exact number. */
const price = z
  .union([z.string(), z.number().transform(String)])
  .pipe(z.string().regex(/^\d{1,7}(\.\d{1,8})?$/, "US dollars with at most eight decimal places, like 0.15"));

/**
 * The `updated_at` that was loaded: the change is refused if someone else has made one since. Without it, a new entry
 * is created.
 */
const updatedAt = z.iso.datetime().optional();

/** Absent fields stay as they are; a new model needs its bounds and the prices of input and output. */
export const saveModelInput = strictObject(() => ({
  name: modelName,
  display_name: displayText(200).optional(),
  owned_by: displayText(100).optional(),
  /** The kind of model; by default `chat`. */
  kind: z.enum(modelKinds).optional(),
  context_tokens_max: tokens.optional(),
  output_tokens_max: tokens.optional(),
  /** The most input tokens that one image can cost. */
  image_tokens_max: z.int().min(0).max(100_000_000).optional(),
  /** What pages say that it can do; null leaves it to what its name says. */
  capabilities: z.array(z.enum(statedCapabilities)).max(statedCapabilities.length).nullable().optional(),
  status: z.enum(switchStatuses).optional(),
  deprecated_at: momentText.nullable().optional(),
  /** From then on calls are refused. */
  sunset_at: momentText.nullable().optional(),
  /** What clients are told to use instead. */
  replacement_model: modelName.nullable().optional(),
  /** Null means the price of plain input or output. */
  ...byPrice({ refused: price.optional(), free: price.optional(), as_whole: price.nullable().optional() }),
  /** The prices of whole calls whose prompt is longer than this; null removes them. */
  long_prompt: z
    .strictObject({
      above_tokens: tokens,
      ...byTokenPrice({ refused: price, as_whole: price.nullable().default(null) }),
    })
    .nullable()
    .optional(),
  updated_at: updatedAt,
  reason,
}));
export type SaveModelInput = z.output<typeof saveModelInput>;

export const savedModel = strictObject(() => ({
  name: z.string(),
  display_name: z.string(),
  owned_by: z.string(),
  kind: z.enum(modelKinds),
  status: z.enum(switchStatuses),
  context_tokens_max: z.int(),
  output_tokens_max: z.int(),
  image_tokens_max: z.int(),
  capabilities: z.array(z.enum(statedCapabilities)).nullable(),
  deprecated_at: wireMoment.nullable(),
  sunset_at: wireMoment.nullable(),
  replacement_model: z.string().nullable(),
  price_version: z.int(),
  ...wirePrices,
  long_prompt: wireLongPrompt,
  updated_at: wireMoment,
}));

export const saveModelOutput = z.union([strictObject(() => ({ model: savedModel })), waitingResponse]);

const perMinute = z.int().min(1).max(10_000_000).nullable();
const timeoutMs = z.int().min(100).max(3_600_000).nullable();

const credential = z
  .string()
  .trim()
  .regex(/^[\x20-\x7e\r\n\t]{1,16384}$/, "Only characters that a keyboard without accents has, at most 16,384.");

/** Without an id a channel is created. Absent fields stay as they are, or are empty for a new one. */
export const saveChannelInput = strictObject(() => ({
  channel_id: recordId.optional(),
  name: displayText(100).optional(),
  /** Replaces all settings of the upstream. */
  upstream: upstreamSettings.optional(),
  /** Never shown again. Required again when an address changes to another host; null removes it. */
  credential: credential.nullable().optional(),
  status: z.enum(switchStatuses).optional(),
  requests_per_minute: perMinute.optional(),
  concurrency_max: z.int().min(1).max(1_000_000).nullable().optional(),
  first_byte_timeout_ms: timeoutMs.optional(),
  idle_timeout_ms: timeoutMs.optional(),
  /** Paths without rules of their own that calls may take here; all users of the channel share what they reach. */
  pass_through_paths: z.array(z.enum(passThroughPaths)).max(passThroughPaths.length).optional(),
  probe_minutes: z
    .int()
    .min(1)
    .max(60)
    .nullable()
    .optional()
    .describe("How often a small call tests the channel, which the provider bills; null for never."),
  probe_model: modelName
    .nullable()
    .optional()
    .describe("The model of these calls; null for the first that the channel serves."),
  updated_at: updatedAt,
  reason,
}));
export type SaveChannelInput = z.output<typeof saveChannelInput>;

export const savedChannel = strictObject(() => ({
  channel_id: wireInteger,
  name: z.string(),
  upstream: upstreamSettings,
  has_credential: z.boolean(),
  status: z.enum(switchStatuses),
  requests_per_minute: z.int().nullable(),
  concurrency_max: z.int().nullable(),
  first_byte_timeout_ms: z.int().nullable(),
  idle_timeout_ms: z.int().nullable(),
  pass_through_paths: z.array(z.string()),
  probe_minutes: z.int().nullable(),
  probe_model: z.string().nullable(),
  updated_at: wireMoment,
}));

/**
 * Without `credential_id` a credential is added. Absent fields stay as they are. A new secret is not the one that was
 * refused.
 */
export const saveCredentialInput = strictObject(() => ({
  channel_id: recordId,
  credential_id: recordId.optional(),
  label: displayText(100).optional(),
  /** Never shown again; needed for a new credential. */
  credential: credential.optional(),
  weight: z.int().min(0).max(1_000_000).optional(),
  status: z.enum(switchStatuses).optional(),
  requests_per_minute: perMinute.optional(),
  concurrency_max: z.int().min(1).max(1_000_000).nullable().optional(),
  reason,
}));
export type SaveCredentialInput = z.output<typeof saveCredentialInput>;

export const removeCredentialInput = strictObject(() => ({ channel_id: recordId, credential_id: recordId, reason }));
export type RemoveCredentialInput = z.output<typeof removeCredentialInput>;

/** A credential of a channel, without its secret. */
export const channelCredential = strictObject(() => ({
  credential_id: wireInteger,
  label: z.string(),
  weight: z.int(),
  status: z.enum(switchStatuses),
  requests_per_minute: z.int().nullable(),
  concurrency_max: z.int().nullable(),
  /** Since when the provider has refused it, and why; null while it does not. It is tested again every few minutes. */
  refused_at: wireMoment.nullable(),
  refused_reason: z.enum(["credential_refused", "account_empty"]).nullable(),
}));

export const switchChannelsInput = strictObject(() => ({ channel_ids: z.array(recordId).min(1).max(100), reason }));

export const saveAbilityInput = strictObject(() => ({
  group_name: groupName,
  model: modelName,
  channel_id: recordId,
  upstream_model: modelName
    .nullable()
    .default(null)
    .describe("The provider's name of the model; null if it is the same."),
  is_enabled: z.boolean().default(true),
  priority: z
    .int()
    .min(0)
    .max(1_000)
    .default(0)
    .describe("The channel with the lowest number goes first; 0 is the lowest."),
  weight: z
    .int()
    .min(0)
    .max(1_000_000)
    .default(1)
    .describe("This channel's share of the calls among channels with the same priority."),
  reason,
}));

export const savedAbility = strictObject(() => ({
  group_name: z.string(),
  model: z.string(),
  channel_id: wireInteger,
  upstream_model: z.string().nullable(),
  is_enabled: z.boolean(),
  priority: z.int(),
  weight: z.int(),
}));

const { channel_id: _channel, reason: _reason, ...abilityFields } = saveAbilityInput.shape;
const { name: _name, updated_at: _updatedAt, reason: _modelReason, ...newModelFields } = saveModelInput.shape;

/** A model that a channel is to serve. */
const adoptedModel = strictObject(() => ({
  ...abilityFields,
  group_name: abilityFields.group_name.default("default"),
  /** What the catalog gets if it has no model of this name; an existing model keeps its prices and limits. */
  new_model: z.strictObject(newModelFields).optional(),
}));

/** A new channel, or one that exists, with models that it is to serve: all of it, or nothing. */
export const adoptModelsInput = strictObject(() => ({
  /** The channel that is to serve the models; without it, one is created from the other fields. */
  channel_id: recordId.optional(),
  name: saveChannelInput.shape.name,
  upstream: saveChannelInput.shape.upstream,
  /** Empty for none. */
  credential: z.union([z.literal(""), credential]).default(""),
  status: z.enum(switchStatuses).default("enabled"),
  requests_per_minute: saveChannelInput.shape.requests_per_minute,
  concurrency_max: saveChannelInput.shape.concurrency_max,
  first_byte_timeout_ms: saveChannelInput.shape.first_byte_timeout_ms,
  idle_timeout_ms: saveChannelInput.shape.idle_timeout_ms,
  pass_through_paths: saveChannelInput.shape.pass_through_paths,
  models: z.array(adoptedModel).max(adoptedModelsMax),
  reason,
}));
export type AdoptModelsInput = z.output<typeof adoptModelsInput>;

export const adoptedModels = strictObject(() => ({
  channel_id: wireInteger,
  channel_name: z.string(),
  channel_status: z.enum(switchStatuses),
  /** The names of the models that the channel serves now, and of those among them that are new in the catalog. */
  models: z.array(z.string()),
  new_models: z.array(z.string()),
}));

export const adoptModelsOutput = z.union([strictObject(() => ({ adopted: adoptedModels })), waitingResponse]);

/**
 * A saved channel, an upstream that is not saved yet, or a saved channel with other settings. Without a credential of
 * its own, a call shows that of the channel, if the addresses are on the same hosts.
 */
const probedUpstream = {
  channel_id: recordId.optional(),
  upstream: upstreamSettings.optional(),
  credential: credential.optional(),
  /** One of the channel's own credentials; by default the first one that its provider accepts. */
  credential_id: recordId.optional(),
};
export type ProbedUpstream = {
  readonly channel_id?: bigint | undefined;
  readonly upstream?: UpstreamSettings | undefined;
  readonly credential?: string | undefined;
  readonly credential_id?: bigint | undefined;
};

export const listModelsInput = strictObject(() => ({
  ...probedUpstream,
  /** Names to propose models for, where the provider has no list. */
  names: z.array(modelName).min(1).max(adoptedModelsMax).optional(),
}));
export type ListModelsInput = z.output<typeof listModelsInput>;

export const testChannelInput = strictObject(() => ({
  ...probedUpstream,
  /** The model to test; by default the first one that the channel serves. */
  model: modelName.optional(),
  /** The kind of a model that is not in the catalog yet. */
  model_kind: z.enum(modelKinds).optional(),
  /** The dialect of the call, if the upstream speaks several. */
  dialect: z.enum(dialects).optional(),
}));
export type TestChannelInput = z.output<typeof testChannelInput>;

export const channelTest = strictObject(() => ({
  /** Null for an upstream that is not saved. */
  channel_id: wireInteger.nullable(),
  /** The label of the stored credential that was used; null if there was none. */
  credential: z.string().nullable(),
  model: z.string(),
  dialect: z.enum(dialects),
  is_ok: z.boolean(),
  /** The upstream's status; null if it did not respond. */
  http_status: z.int().nullable(),
  latency_ms: z.int(),
  /** What went wrong, without anything that looks like a credential; null if nothing did. */
  error: z.string().nullable(),
  /** The upstream's name for the model, the beginning of its response, and its token counts. */
  answered_model: z.string().nullable(),
  text: z.string().nullable(),
  input_tokens: z.int().nullable(),
  output_tokens: z.int().nullable(),
}));
export type ChannelTest = z.input<typeof channelTest>;

/** The APIs that clients of models speak. */
export const clientApis = ["chat", "responses", "messages", "gemini"] as const;

export const explainRouteInput = strictObject(() => ({
  /** The name that a client would send. */
  name: z.string().trim().min(1).max(200),
  group_name: groupName.default("default"),
  /** The route: `v1` takes names of the catalog, `messages` those of the model map as well. */
  route: z.enum(["v1", "messages"]).default("v1"),
  /** The API that the client speaks; at the route `messages` it is always that one. */
  api: z.enum(clientApis).default("chat"),
}));

export const routeOutcomes = [
  "reachable",
  "fallback_only",
  "group_unknown",
  "mapping_disabled",
  "model_unknown",
  "model_disabled",
  "model_without_price",
  "no_channel",
] as const;

export const candidateReasons = ["channel_disabled", "ability_disabled", "address_unusable", "other_api"] as const;

export const routeExplanation = strictObject(() => ({
  name: z.string(),
  group_name: z.string(),
  route: z.enum(["v1", "messages"]),
  api: z.enum(clientApis),
  outcome: z.enum(routeOutcomes),
  /** Whether the model map led from the name to the model. */
  is_mapped: z.boolean(),
  /** The upstream model; null when the name leads nowhere. */
  upstream_model: z.string().nullable(),
  candidates: z.array(
    z.strictObject({
      channel_id: wireInteger,
      channel_name: z.string(),
      exit_node_code: z.string().nullable(),
      priority: z.int(),
      weight: z.int(),
      has_credential: z.boolean(),
      /** How the channel gets the call: as the client sent it, or converted; null if it can't. */
      way: z.enum(["as_it_is", "converted"]).nullable(),
      /**
       * The place in the order: `first` shares the calls by weight; `fallback` gets calls that no earlier place serves;
       * `never` for the listed reasons.
       */
      place: z.enum(["first", "fallback", "never"]),
      /** The share of the calls that go to this place, in percent. */
      share_percent: z.number().nullable(),
      reasons: z.array(z.enum(candidateReasons)),
    }),
  ),
  /** Groups from which the model can be reached. */
  reachable_groups: z.array(z.string()),
  /** The rule by which other models may answer in place of this one; null if there is none for the group. */
  fallbacks: z
    .strictObject({
      /** Whether the rule is of this group, or that of all groups. */
      is_of_group: z.boolean(),
      /** Otherwise it applies to the keys that allow it. */
      is_for_every_key: z.boolean(),
      /** In the order in which they are tried; the larger one only for a prompt that is too long, and last here. */
      models: z.array(z.strictObject({ name: z.string(), is_larger: z.boolean(), outcome: z.enum(routeOutcomes) })),
    })
    .nullable(),
}));
export type RouteExplanation = z.input<typeof routeExplanation>;
