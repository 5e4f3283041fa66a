import { z } from "zod";
import { pageSize, recordId } from "./keys.ts";
import { day, momentText } from "./moments.ts";
import { strictObject } from "./strict-object.ts";
import { outcomes } from "./usage.ts";
import { type Unsent, wireCounts, wireDay, wireDecimal, wireInteger, wireMoment } from "./wire.ts";

/** The trace of calls that admins search and read. */

const requestId = z.uuid().transform((id) => id.toLowerCase());
const moment = momentText.transform((text) => new Date(text));
const httpStatus = z
  .string()
  .regex(/^[1-5]\d\d$/, "Enter an HTTP status, like 429.")
  .transform(Number);
const cursorForm = /^\d{4}-\d{2}-\d{2}_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const reasonLengthMin = 5;
export const reasonLengthMax = 500;

export const traceListInput = strictObject(() => ({
  request_id: requestId.optional(),
  user_id: recordId.optional(),
  gateway_user_id: recordId.optional(),
  key_id: recordId.optional(),
  /** The whole name of a key; if several accounts have one, their calls are told apart by e-mail or account. */
  key_name: z.string().trim().min(1).max(200).optional(),
  model: z.string().min(1).max(256).optional(),
  status: z.enum(outcomes).optional(),
  http_status: httpStatus.optional(),
  /** The whole address of a user. */
  email: z.string().trim().min(1).max(254).optional(),
  /** The code of the error that the client got. */
  error_code: z.string().min(1).max(100).optional(),
  /** The channel that was tried last. */
  channel_id: recordId.optional(),
  /** Calls that began at this moment or later. */
  from: moment.optional(),
  /** Calls that began before this moment. */
  to: moment.optional(),
  /** `-time` starts with the newest. By duration, a list covers at most 24 hours: the last ones, unless `from` or `to` name others. */
  sort: z.enum(["time", "-time", "duration_ms", "-duration_ms"]).default("-time"),
  /** The cursor from the previous page. */
  cursor: z
    .string()
    .regex(cursorForm, "This is not a cursor of this list.")
    .refine((cursor) => day.safeParse(cursor.slice(0, 10)).success, "This is not a cursor of this list.")
    .transform((cursor) => ({ day: cursor.slice(0, 10), requestId: cursor.slice(11) }))
    .optional(),
  limit: pageSize.default(50),
}));
export type TraceListInput = z.output<typeof traceListInput>;

/** The call to show. Every list has its day in UTC; without the day, it is derived from the request id. */
export const traceInput = strictObject(() => ({ request_id: requestId, day: day.optional() }));

export const payloadReadInput = strictObject(() => ({
  request_id: requestId,
  day: day.optional(),
  /** The reason for reading the payload, stored with the reader's name. Without a reason, nothing is shown. */
  reason: z.string().max(reasonLengthMax).optional(),
}));

export const accessListInput = strictObject(() => ({
  /** Selects accesses to the payload of one call. */
  request_id: requestId.optional(),
  admin_id: recordId.optional(),
  cursor: recordId.optional(),
  limit: pageSize.default(50),
}));

const count = wireInteger.nullable();

/**
 * The state of the bodies: `stored` can be read; `expired` were stored and destroyed at the end of the retention; `off`
 * for the key or the service; `dropped` under load; `none` came.
 */
const payloadState = z.enum(["stored", "expired", "off", "dropped", "none"]);

/** One call, as listed. */
export const traceView = strictObject(() => ({
  request_id: z.uuid(),
  day: wireDay,
  started_at: wireMoment,
  user_id: count,
  email: z.string().nullable(),
  gateway_user_id: count,
  key_id: count,
  key_name: z.string().nullable(),
  method: z.string(),
  path: z.string(),
  model: z.string().nullable(),
  status: z.enum(outcomes),
  error_code: z.string().nullable(),
  http_status: z.int(),
  is_stream: z.boolean(),
  input_tokens: count,
  output_tokens: count,
  first_token_ms: z.int().nullable(),
  duration_ms: z.int(),
  client_ip: z.string(),
  user_agent: z.string(),
  payload: payloadState,
}));
export type TraceView = Unsent<z.output<typeof traceView>>;

export const traceListOutput = strictObject(() => ({ traces: z.array(traceView), next_cursor: z.string().nullable() }));

/** One attempt at one channel. */
const attemptView = strictObject(() => ({
  channel_id: z.string(),
  channel: z.string(),
  /** The label of the credential that was used; null if there was none. */
  credential: z.string().nullable(),
  /** The exit node of the channel, if it has one. */
  node: z.string().nullable(),
  /** The model that was asked, if the client had asked for another one. */
  model: z.string().nullable(),
  /** Milliseconds after the start of the call. */
  started_at_ms: z.number(),
  duration_ms: z.number(),
  status: z.int().nullable(),
  result: z.string(),
  /** The provider's message about the attempt; null if there was none. */
  said: z.string().nullable(),
}));

/** What the gateway charged and how; null for a call that it did not admit. */
const usageView = strictObject(() => ({
  group_name: z.string(),
  /** The model that the client asked for, if another one was asked in its place. */
  asked_model: z.string().nullable(),
  channel_id: count,
  channel: z.string().nullable(),
  outcome: z.enum(outcomes),
  usage_source: z.enum(["provider", "estimated", "none"]),
  ...wireCounts,
  price_version: z.int().nullable(),
  rate_multiplier: wireDecimal,
  /** The cost before the multiplier. */
  quota: wireInteger,
  quota_held: wireInteger,
  settled_quota: wireInteger,
  /** What the provider says the call has cost it, in US dollars; null if it does not say. */
  provider_cost_usd: wireDecimal.nullable(),
  /** For a response from the cache: what it cost, in hundredths of a percent of the normal price; else null. */
  cache_basis_points: z.int().nullable(),
  first_byte_ms: z.int().nullable(),
  duration_ms: z.int(),
}));

const accessView = strictObject(() => ({
  number: wireInteger,
  at: wireMoment,
  admin_id: wireInteger,
  admin_name: z.string(),
  request_id: z.uuid(),
  day: wireDay,
  gateway_user_id: wireInteger,
  reason: z.string(),
  ip: z.string(),
  /** The hash of the link in the chain, in hex. */
  hash: z.string(),
}));

export const traceDetailOutput = strictObject(() => ({
  trace: traceView,
  usage: usageView.nullable(),
  attempts: z.array(attemptView),
  /** The stored bodies; null when none are stored, or no longer. */
  payload: z
    .strictObject({
      request_bytes: wireInteger,
      response_bytes: wireInteger,
      is_request_truncated: z.boolean(),
      is_response_truncated: z.boolean(),
      /** Nobody can read the bodies after this time. */
      expires_at: wireMoment,
    })
    .nullable(),
  /** The accesses to the payload, newest first. */
  accesses: z.array(accessView),
}));

/** A decrypted body: as text, or in base64 if it is not text. */
export const bodyView = strictObject(() => ({
  encoding: z.enum(["text", "base64"]),
  content: z.string(),
  /** The full length of the body; a truncated body is shorter. */
  bytes: z.int(),
  is_truncated: z.boolean(),
}));
export type BodyView = z.output<typeof bodyView>;

export const payloadReadOutput = strictObject(() => ({
  request: bodyView.nullable(),
  response: bodyView,
  /** The record of this access. */
  access: z.strictObject({ number: wireInteger, hash: z.string() }),
}));

export const accessListOutput = strictObject(() => ({
  accesses: z.array(accessView),
  next_cursor: wireInteger.nullable(),
}));

export const accessCheckOutput = strictObject(() => ({
  holds: z.boolean(),
  /** The last link of the chain: anyone who keeps a copy elsewhere can detect a truncated chain. */
  head: z.strictObject({ number: wireInteger, hash: z.string() }).nullable(),
  findings: z.array(z.strictObject({ finding: z.string(), link_number: wireInteger.nullable() })),
}));

export const payloadCountOutput = strictObject(() => ({
  /** Payloads that can still be decrypted. */
  decryptable: wireInteger,
  /** When they were last counted; null if they never were. */
  counted_at: wireMoment.nullable(),
  days: z.array(z.strictObject({ day: wireDay, payloads: wireInteger })),
}));
