import { sql } from "drizzle-orm";
import { type AnyPgColumn, boolean, check, index, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { id, json, lifecycle, moment, quota, reference } from "../columns.ts";
import { gatewayUser } from "./gateway-keys.ts";

/** A remote host with a node agent: the findings of the last checks, and the configuration by admins. */
export const exitNode = pgTable(
  "exit_node",
  {
    id: id(),
    nodeCode: text("node_code").notNull().unique(),
    name: text("name").notNull(),
    region: text("region").notNull().default(""),
    /** The name that DNS must resolve to `ip`, and to nothing else. */
    host: text("host").notNull(),
    ip: text("ip").notNull(),
    /**
     * The URL contains the address until the name was verified, and the name from then on; null while neither is known.
     */
    relayUrl: text("relay_url"),
    /** The name of the relay key in the secret store. */
    relayKeySecret: text("relay_key_secret").notNull(),
    status: text("status", { enum: ["testing", "active", "disabled"] })
      .notNull()
      .default("testing"),
    weight: integer("weight").notNull().default(1),
    callbackBaseUrl: text("callback_base_url"),
    oauthRedirectPath: text("oauth_redirect_path"),
    sourceNodeId: reference("source_node_id").references((): AnyPgColumn => exitNode.id),
    /** Counts changes by admins and by the switch, not check results; those apply only to the version they saw. */
    version: integer("version").notNull().default(1),
    dnsCheckedAt: moment("dns_checked_at"),
    dnsMatched: boolean("dns_matched"),
    dnsAddresses: json("dns_addresses").$type<readonly string[]>(),
    dnsFailure: text("dns_failure"),
    healthCheckedAt: moment("health_checked_at"),
    healthOk: boolean("health_ok"),
    healthHttpStatus: integer("health_http_status"),
    healthLatencyMs: integer("health_latency_ms"),
    healthFailure: text("health_failure"),
    /** What the node reports about itself. */
    healthDetails: json("health_details"),
    /** The time since which the server at the address is known to hold the relay key; null after either has changed. */
    provenAt: moment("proven_at"),
    /** Whether calls are sent to the node. */
    isServing: boolean("is_serving").notNull().default(false),
    successStreak: integer("success_streak").notNull().default(0),
    failureStreak: integer("failure_streak").notNull().default(0),
    /** How many successful responses the host form of the address has given in a row, spaced in time. */
    switchStreak: integer("switch_streak").notNull().default(0),
    switchStreakAt: moment("switch_streak_at"),
    switchedAt: moment("switched_at"),
    /** Set once it is out of use for good; lists leave it out then. */
    archivedAt: moment("archived_at"),
    ...lifecycle,
  },
  (table) => [
    check("exit_node_archived", sql`${table.archivedAt} is null or ${table.status} = 'disabled'`),
    check("exit_node_weight", sql`${table.weight} between 0 and 1000`),
    check("exit_node_serves_only_proven", sql`${table.provenAt} is not null or not ${table.isServing}`),
  ],
);

/** A slot for a provider's credential on a node. The credential itself is stored only on the node. */
export const exitProviderAccount = pgTable(
  "exit_provider_account",
  {
    id: id(),
    accountCode: text("account_code").notNull().unique(),
    exitNodeId: reference("exit_node_id")
      .notNull()
      .references(() => exitNode.id),
    provider: text("provider").notNull(),
    authType: text("auth_type", { enum: ["api_key", "oauth_refresh_token"] }).notNull(),
    status: text("status", { enum: ["testing", "active", "standby", "disabled"] }).notNull(),
    /** The node's name for the account; null leaves the choice to the node. */
    nodeAccount: text("node_account"),
    version: integer("version").notNull().default(1),
    ...lifecycle,
  },
  (table) => [
    index("exit_provider_account_node").on(table.exitNodeId),
    check(
      "exit_provider_account_refresh_token_waits",
      sql`${table.authType} <> 'oauth_refresh_token' or ${table.status} in ('standby', 'disabled')`,
    ),
  ],
);

/** Sends the calls of one user, for models that match the pattern, through nodes with an account at the provider. */
export const exitNodeRoute = pgTable(
  "exit_node_route",
  {
    id: id(),
    routeCode: text("route_code").notNull().unique(),
    gatewayUserId: reference("gateway_user_id")
      .notNull()
      .references(() => gatewayUser.id),
    provider: text("provider").notNull(),
    /** A model name in which `*` stands for any characters. */
    modelPattern: text("model_pattern").notNull(),
    /** Null means every node that has the provider. */
    exitNodeId: reference("exit_node_id").references(() => exitNode.id),
    status: text("status", { enum: ["testing", "active", "disabled"] })
      .notNull()
      .default("testing"),
    version: integer("version").notNull().default(1),
    ...lifecycle,
  },
  (table) => [
    index("exit_node_route_user").on(table.gatewayUserId),
    check("exit_node_route_pattern", sql`${table.modelPattern} ~ '^[A-Za-z0-9._:/*-]{1,100}$'`),
  ],
);

/** The observations of each replica about the calls that it sent through a node. */
export const exitNodeTraffic = pgTable(
  "exit_node_traffic",
  {
    exitNodeId: reference("exit_node_id")
      .notNull()
      .references(() => exitNode.id),
    replicaId: text("replica_id").notNull(),
    calls: quota("calls").notNull().default(sql`0`),
    failures: quota("failures").notNull().default(sql`0`),
    lastFailure: text("last_failure"),
    lastFailureAt: moment("last_failure_at"),
    /** Set while the replica sends nothing there because too many calls failed. */
    circuitOpenedAt: moment("circuit_opened_at"),
    seenAt: moment("seen_at").notNull().defaultNow(),
  },
  (table) => [primaryKey({ columns: [table.exitNodeId, table.replicaId] })],
);
