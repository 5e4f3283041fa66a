import { statedCapabilities } from "@sluice/contracts/model-capabilities";
import { modelKinds } from "@sluice/contracts/model-kinds";
import type { UpstreamSettings } from "@sluice/contracts/upstreams";
import { sql } from "drizzle-orm";
import {
  type AnyPgColumn,
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { bytes, id, json, lifecycle, moment, reference, unitPrices } from "../columns.ts";
import { exitNode } from "./exit-nodes.ts";
import { userGroup } from "./groups.ts";

/** An upstream endpoint with its credential and limits. */
export const channel = pgTable(
  "channel",
  {
    id: id(),
    name: text("name").notNull().unique(),
    /** Addresses, credential headers and differences from the dialect; see `@sluice/contracts/upstreams`. */
    upstream: json("upstream").$type<UpstreamSettings>().notNull(),
    /** Encrypted under the master key, bound to this row; null while no credential is set. */
    credentialSealed: bytes("credential_sealed"),
    status: text("status", { enum: ["enabled", "disabled"] })
      .notNull()
      .default("enabled"),
    requestsPerMinute: integer("requests_per_minute"),
    concurrencyMax: integer("concurrency_max"),
    firstByteTimeoutMs: integer("first_byte_timeout_ms"),
    idleTimeoutMs: integer("idle_timeout_ms"),
    /**
     * Paths without rules of their own that calls may take here, from a closed list. All customers share the provider's
     * account behind them.
     */
    passThroughPaths: text("pass_through_paths").array().notNull().default([]),
    /** The exit node of the channel; null for a provider. */
    exitNodeCode: text("exit_node_code")
      .unique()
      .references(() => exitNode.nodeCode),
    isExitNode: boolean("is_exit_node").generatedAlwaysAs(sql`exit_node_code is not null`),
    /** Connections go to this address, whatever the name in the base URL then resolves to. Every exit node has one. */
    pinnedAddress: text("pinned_address"),
    /** How often a small call tests the channel, in minutes; null for never. */
    probeMinutes: integer("probe_minutes"),
    /** The model of these calls; null for the first that the channel serves. */
    probeModel: text("probe_model"),
    /** Since when it is out of use for good: the books name it, so that it can't be deleted. */
    archivedAt: moment("archived_at"),
    ...lifecycle,
  },
  (table) => [
    // Abilities reference this pair, so they can't misname the channel of a node.
    unique("channel_id_is_exit_node").on(table.id, table.isExitNode),
    check("channel_exit_node_is_pinned", sql`${table.exitNodeCode} is null or ${table.pinnedAddress} is not null`),
    check("channel_archived_is_disabled", sql`${table.archivedAt} is null or ${table.status} = 'disabled'`),
    check("channel_probe_minutes", sql`${table.probeMinutes} between 1 and 60`),
  ],
);

/** The latest periodic test of a channel. Not in `channel`, whose every change is announced to replicas. */
export const channelProbe = pgTable("channel_probe", {
  channelId: reference("channel_id")
    .primaryKey()
    .references(() => channel.id, { onDelete: "cascade" }),
  model: text("model").notNull(),
  probedAt: moment("probed_at").notNull(),
  isOk: boolean("is_ok").notNull(),
  httpStatus: integer("http_status"),
  latencyMs: integer("latency_ms").notNull(),
  error: text("error"),
  /** The tests that failed since the last one that did not. */
  failedInRow: integer("failed_in_row").notNull(),
  /** Since when the channel gets no calls because its tests fail; null while it gets them. */
  restedAt: moment("rested_at"),
});

/**
 * The credentials that share a channel's calls. A row without a secret is the channel's own credential; a trigger keeps
 * it.
 */
export const channelCredential = pgTable(
  "channel_credential",
  {
    id: id(),
    channelId: reference("channel_id").notNull(),
    label: text("label").notNull().default("main"),
    /** Encrypted under the master key, bound to this row. */
    secretSealed: bytes("secret_sealed"),
    weight: integer("weight").notNull().default(1),
    status: text("status", { enum: ["enabled", "disabled"] })
      .notNull()
      .default("enabled"),
    requestsPerMinute: integer("requests_per_minute"),
    concurrencyMax: integer("concurrency_max"),
    /** Since when the provider has refused it; null while it does not. */
    refusedAt: moment("refused_at"),
    refusedReason: text("refused_reason", { enum: ["credential_refused", "account_empty"] }),
    isExitNode: boolean("is_exit_node").notNull().default(false),
    ...lifecycle,
  },
  (table) => [
    index("channel_credential_channel").on(table.channelId),
    uniqueIndex("channel_credential_own").on(table.channelId).where(sql`${table.secretSealed} is null`),
    foreignKey({
      name: "channel_credential_of_channel",
      columns: [table.channelId, table.isExitNode],
      foreignColumns: [channel.id, channel.isExitNode],
    }),
    // An exit node has one credential, which its registration sets.
    check("channel_credential_exit_node_has_one", sql`not ${table.isExitNode} or ${table.secretSealed} is null`),
    check("channel_credential_refused", sql`(${table.refusedAt} is null) = (${table.refusedReason} is null)`),
  ],
);

/** Which channel may serve which model to which group. */
export const ability = pgTable(
  "ability",
  {
    groupName: text("group_name")
      .notNull()
      .references(() => userGroup.name),
    model: text("model").notNull(),
    channelId: reference("channel_id")
      .notNull()
      .references(() => channel.id),
    /** The provider's name of the model; null if it is the same. */
    upstreamModel: text("upstream_model"),
    isEnabled: boolean("is_enabled").notNull().default(true),
    /** Channels with priority 0 come first. */
    priority: integer("priority").notNull().default(0),
    weight: integer("weight").notNull().default(1),
    isExitNode: boolean("is_exit_node").notNull().default(false),
    ...lifecycle,
  },
  (table) => [
    primaryKey({ columns: [table.groupName, table.model, table.channelId] }),
    index("ability_channel").on(table.channelId, table.groupName, table.model),
    index("ability_model").on(table.model, table.groupName, table.channelId),
    // Together, these constraints bind the channel of an exit node to its own group: no row can make it serve another.
    foreignKey({
      name: "ability_says_what_its_channel_is",
      columns: [table.channelId, table.isExitNode],
      foreignColumns: [channel.id, channel.isExitNode],
    }),
    check("ability_exit_node_group", sql`not ${table.isExitNode} or ${table.groupName} = 'node-test'`),
  ],
);

/** The catalog: the limits of a call to a model, from which its hold is computed before its cost is known. */
export const model = pgTable(
  "model",
  {
    name: text("name").primaryKey(),
    displayName: text("display_name").notNull(),
    ownedBy: text("owned_by").notNull(),
    /** Its kind; used by pages, not by calls. */
    kind: text("kind", { enum: modelKinds }).notNull().default("chat"),
    contextTokensMax: integer("context_tokens_max").notNull(),
    outputTokensMax: integer("output_tokens_max").notNull(),
    /** The most input tokens that one image can cost. */
    imageTokensMax: integer("image_tokens_max").notNull().default(0),
    /** What it can do, for pages; null where its name says it. */
    capabilities: text("capabilities", { enum: statedCapabilities }).array(),
    status: text("status", { enum: ["enabled", "disabled"] })
      .notNull()
      .default("enabled"),
    deprecatedAt: moment("deprecated_at"),
    sunsetAt: moment("sunset_at"),
    /** The model that clients should ask for instead, once this one is deprecated. */
    replacementModel: text("replacement_model").references((): AnyPgColumn => model.name),
    /** Since when it is out of use for good. */
    archivedAt: moment("archived_at"),
    ...lifecycle,
  },
  (table) => [
    check("model_archived_is_disabled", sql`${table.archivedAt} is null or ${table.status} = 'disabled'`),
    check("model_capabilities_number", sql`cardinality(${table.capabilities}) <= 16`),
  ],
);

/** Other models that may answer in place of a model whose channels have all failed. */
export const modelFallback = pgTable(
  "model_fallback",
  {
    id: id(),
    /** The group of the callers; null for all groups without a rule of their own. */
    groupName: text("group_name").references(() => userGroup.name),
    model: text("model")
      .notNull()
      .references(() => model.name),
    /** They are tried in this order. */
    fallbackModels: text("fallback_models").array().notNull().default([]),
    /** The model for prompts that are too long for this one; null for none. */
    largerModel: text("larger_model").references(() => model.name),
    /** Whether it applies to every key, or only to those that allow it. */
    isForEveryKey: boolean("is_for_every_key").notNull().default(false),
    ...lifecycle,
  },
  (table) => [
    unique("model_fallback_place").on(table.groupName, table.model).nullsNotDistinct(),
    check("model_fallback_number", sql`cardinality(${table.fallbackModels}) <= 3`),
  ],
);

/** Versions of a model's prices are added, never changed, so that every cost can be recomputed. */
export const modelPrice = pgTable(
  "model_price",
  {
    model: text("model")
      .notNull()
      .references(() => model.name),
    version: integer("version").notNull(),
    validFrom: moment("valid_from").notNull(),
    ...unitPrices(),
    /** The prices of tokens for prompts above a length, as decimal texts; null if they cost the same. */
    longPrompt: json("long_prompt"),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.model, table.version] })],
);
