import { sql } from "drizzle-orm";
import { bigint, boolean, check, date, index, integer, pgTable, primaryKey, text, uuid } from "drizzle-orm/pg-core";
import { bytes, id, moment, reference } from "../columns.ts";
import { clock } from "../expressions.ts";
import { userProfile } from "./accounts.ts";
import { gatewayUser } from "./gateway-keys.ts";

/** Metadata of every relayed call. Range-partitioned by `day`. */
export const traceRecord = pgTable(
  "trace_record",
  {
    day: date("day", { mode: "string" }).notNull(),
    requestId: uuid("request_id").notNull(),
    userId: reference("user_id"),
    gatewayUserId: reference("gateway_user_id"),
    apiKeyId: reference("api_key_id"),
    method: text("method").notNull(),
    path: text("path").notNull(),
    model: text("model"),
    status: text("status", { enum: ["completed", "aborted", "failed", "refused"] }).notNull(),
    errorCode: text("error_code"),
    httpStatus: integer("http_status").notNull(),
    isStream: boolean("is_stream").notNull(),
    inputTokens: bigint("input_tokens", { mode: "bigint" }),
    outputTokens: bigint("output_tokens", { mode: "bigint" }),
    firstTokenMs: integer("first_token_ms"),
    durationMs: integer("duration_ms").notNull(),
    clientIp: text("client_ip").notNull(),
    userAgent: text("user_agent").notNull(),
    /** What happened to the bodies: stored, switched off for the key, dropped under load, or there were none. */
    payload: text("payload", { enum: ["stored", "off", "dropped", "none"] }).notNull(),
    startedAt: moment("started_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.requestId] })],
);

/**
 * Payloads of many calls in one row, one after the other, encrypted in groups under the key of the day. Range-partitioned by
 * `day`. The migrations store `sealed`, `places` and `groups` as EXTERNAL, which can't be expressed here: encrypted bytes do
 * not compress, a part of them can be read without the rest, and trying to compress the others costs more than it saves.
 */
export const payloadSegment = pgTable(
  "payload_segment",
  {
    day: date("day", { mode: "string" }).notNull(),
    segmentId: uuid("segment_id").notNull(),
    /** Names the key in `payload_day_key`. */
    keyId: text("key_id").notNull(),
    sealed: bytes("sealed").notNull(),
    /** Whose payloads they are and where, as `trace/payload-places.ts` says; null if they have rows of `payload_record`. */
    places: bytes("places"),
    groups: bytes("groups"),
    /** When the first and the last of their calls began, in milliseconds since 1970; null without places. */
    firstCallMs: bigint("first_call_ms", { mode: "number" }),
    lastCallMs: bigint("last_call_ms", { mode: "number" }),
  },
  (table) => [primaryKey({ columns: [table.day, table.segmentId] })],
);

/** Where request and response of a call are, if an earlier release stored them. Range-partitioned by `day`. */
export const payloadRecord = pgTable(
  "payload_record",
  {
    day: date("day", { mode: "string" }).notNull(),
    requestId: uuid("request_id").notNull(),
    gatewayUserId: reference("gateway_user_id").notNull(),
    /** Names the segment of the same day. */
    segmentId: uuid("segment_id").notNull(),
    byteOffset: integer("byte_offset").notNull(),
    byteLength: integer("byte_length").notNull(),
    requestBytes: bigint("request_bytes", { mode: "number" }).notNull(),
    responseBytes: bigint("response_bytes", { mode: "number" }).notNull(),
    isRequestTruncated: boolean("is_request_truncated").notNull(),
    isResponseTruncated: boolean("is_response_truncated").notNull(),
  },
  (table) => [primaryKey({ columns: [table.day, table.requestId] })],
);

/** The data key of a day, wrapped under the master key. Destroying it makes the payloads of that day unreadable. */
export const payloadDayKey = pgTable("payload_day_key", {
  day: date("day", { mode: "string" }).primaryKey(),
  keyId: text("key_id").notNull().unique(),
  wrapped: bytes("wrapped"),
  createdAt: moment("created_at").notNull().defaultNow(),
  destroyedAt: moment("destroyed_at"),
});

/** How many payloads a day has, counted by a job: counting them on demand would read them all. */
export const payloadDayCount = pgTable("payload_day_count", {
  day: date("day", { mode: "string" }).primaryKey(),
  payloads: bigint("payloads", { mode: "bigint" }).notNull(),
  countedAt: moment("counted_at").notNull(),
});

/**
 * Who read which payload, and why. Append-only; only `record_payload_access` writes it. Each row has the hash of the
 * previous one, which reveals altered and removed rows.
 */
export const payloadAccess = pgTable(
  "payload_access",
  {
    /** The links are counted from 1 without gaps. */
    number: bigint("number", { mode: "bigint" }).primaryKey(),
    at: moment("at").notNull(),
    adminId: reference("admin_id").notNull(),
    adminName: text("admin_name").notNull(),
    /** The call that was read, not the request that read it. */
    day: date("day", { mode: "string" }).notNull(),
    requestId: uuid("request_id").notNull(),
    gatewayUserId: reference("gateway_user_id").notNull(),
    reason: text("reason").notNull(),
    ip: text("ip").notNull(),
    askedBy: text("asked_by").notNull(),
    previousHash: bytes("previous_hash").notNull(),
    hash: bytes("hash").notNull(),
  },
  (table) => [
    index("payload_access_admin").on(table.adminId, table.at),
    index("payload_access_request").on(table.requestId),
  ],
);

/** The accounts whose users may read the bodies of their own calls. Without a row, nobody but super-admins can. */
export const ownPayloadReading = pgTable("own_payload_reading", {
  gatewayUserId: reference("gateway_user_id")
    .primaryKey()
    .references(() => gatewayUser.id),
  /** When it was switched on: calls that began earlier stay closed. */
  since: moment("since").notNull(),
  /** In an organisation: whether members read the bodies of their own calls. */
  byMembers: boolean("by_members").notNull(),
});

/** Each time users read the bodies of their own calls: who, and which call. Append-only. */
export const ownPayloadAccess = pgTable(
  "own_payload_access",
  {
    id: id(),
    at: moment("at").notNull().default(clock),
    userId: reference("user_id")
      .notNull()
      .references(() => userProfile.id),
    /** The name of the access token, if that is what the user had. */
    tokenName: text("token_name"),
    gatewayUserId: reference("gateway_user_id").notNull(),
    /** The call that was read, not the request that read it. */
    day: date("day", { mode: "string" }).notNull(),
    requestId: uuid("request_id").notNull(),
    ip: text("ip").notNull(),
    askedBy: text("asked_by").notNull(),
  },
  (table) => [
    index("own_payload_access_account").on(table.gatewayUserId, table.id),
    index("own_payload_access_user").on(table.userId, table.id),
    index("own_payload_access_request").on(table.requestId),
  ],
);

/** The last link of the chain, in a single row. */
export const payloadAccessHead = pgTable(
  "payload_access_head",
  {
    id: integer("id").primaryKey(),
    number: bigint("number", { mode: "bigint" }).notNull(),
    hash: bytes("hash").notNull(),
  },
  (table) => [check("payload_access_head_is_one", sql`${table.id} = 1`)],
);
