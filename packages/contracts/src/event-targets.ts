import { z } from "zod";
import { rowId } from "./accounts.ts";
import { operatorEventTypes, targetKinds, userEventTypes } from "./event-types.ts";
import { displayText, pageSize, recordId } from "./keys.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireCursor, wireInteger, wireMoment } from "./wire.ts";

const urlLengthMax = 1_000;

/** An address to post to. Its host is judged again at each connection. */
const postUrl = z
  .url({ protocol: /^https?$/, hostname: /./, error: "Enter an address that begins with https://." })
  .max(urlLengthMax)
  .refine((text) => {
    const url = URL.parse(text);
    return url !== null && url.username === "" && url.password === "" && url.hash === "";
  }, "Enter an address without a user name, a password or a fragment.");

function eventsOf<const Types extends readonly [string, ...string[]]>(types: Types) {
  return z
    .array(z.enum(types))
    .min(1, "Choose at least one event.")
    .max(types.length)
    .refine((chosen) => new Set(chosen).size === chosen.length, "Choose each event once.");
}

const name = displayText(60);
const secretText = (lengthMax: number) =>
  z
    .string()
    .trim()
    .min(1, "This can't be empty.")
    .max(lengthMax)
    .regex(/^[\x21-\x7e]+$/, "Use letters, digits and signs, without spaces.");

/** Where operators' events go, and what is needed to get there. */
const operatorPlace = z.discriminatedUnion("kind", [
  strictObject(() => ({ kind: z.literal("webhook"), url: postUrl })),
  strictObject(() => ({ kind: z.literal("mail"), to: z.email("Enter a valid e-mail address.").max(254) })),
  strictObject(() => ({ kind: z.literal("slack"), url: postUrl })),
  strictObject(() => ({ kind: z.literal("discord"), url: postUrl })),
  strictObject(() => ({
    kind: z.literal("telegram"),
    bot_token: z.string().regex(/^\d{1,20}:[A-Za-z0-9_-]{20,100}$/, "Enter the token as the bot's creator got it."),
    chat_id: z.string().regex(/^(-?\d{1,20}|@[A-Za-z0-9_]{1,64})$/, "Enter a number or @name."),
    /** The server of the Bot API; by default Telegram's. */
    server: postUrl.optional(),
  })),
  strictObject(() => ({
    kind: z.literal("feishu"),
    url: postUrl,
    /** Signs messages, if the bot requires it. */
    signing_secret: secretText(200).optional(),
  })),
]);
export type OperatorPlace = z.output<typeof operatorPlace>;

export const userTargetCreateInput = strictObject(() => ({ name, url: postUrl, events: eventsOf(userEventTypes) }));

const changed = { target_id: recordId, version: z.int().min(1), is_enabled: z.boolean() };

export const userTargetSaveInput = strictObject(() => ({
  ...changed,
  name,
  url: postUrl,
  events: eventsOf(userEventTypes),
}));

export const operatorTargetCreateInput = strictObject(() => ({
  name,
  place: operatorPlace,
  events: eventsOf(operatorEventTypes),
}));

/** Without `place`, the events go where they went. */
export const operatorTargetSaveInput = strictObject(() => ({
  ...changed,
  name,
  place: operatorPlace.optional(),
  events: eventsOf(operatorEventTypes),
}));

export const targetInput = strictObject(() => ({ target_id: rowId }));
export const deliveryInput = strictObject(() => ({ delivery_id: rowId }));
export const deliveryListInput = strictObject(() => ({
  target_id: recordId,
  cursor: recordId.optional(),
  limit: pageSize.default(25),
}));

const targetStatuses = ["active", "off", "failed"] as const;
const deliveryStatuses = ["queued", "sending", "delivered", "failed"] as const;

export const targetView = strictObject(() => ({
  target_id: wireInteger,
  kind: z.enum(targetKinds),
  name: z.string(),
  /** The address of a webhook or mailbox; of others only what is not secret. */
  place: z.string(),
  events: z.array(z.string()),
  /** `off` by its owner, or `failed`: nothing was accepted for days, or the address is gone. */
  status: z.enum(targetStatuses),
  /** Since when every attempt has failed; null after a success. */
  failing_since: wireMoment.nullable(),
  last_attempt_at: wireMoment.nullable(),
  /** Until when the secret before the last rotation signs too. */
  old_secret_until: wireMoment.nullable(),
  /** How many events were dropped because too many were waiting. */
  dropped: z.int(),
  version: z.int(),
  created_at: wireMoment,
}));
export type TargetView = Unsent<z.output<typeof targetView>>;

const attemptView = strictObject(() => ({
  at: wireMoment,
  /** Null if there was no response. */
  http_status: z.int().nullable(),
  duration_ms: z.int(),
  /** Why it failed; null for a success. */
  error: z.string().nullable(),
  /** The beginning of the response. */
  response_start: z.string(),
}));

export const deliveryView = strictObject(() => ({
  delivery_id: wireInteger,
  /** What is sent as `webhook-id`: the same at every attempt. */
  event_id: z.string(),
  type: z.string(),
  /** The payload as it is signed, without the signature. */
  payload: z.string(),
  /** How many events with the same cause this one represents. */
  count: z.int(),
  status: z.enum(deliveryStatuses),
  created_at: wireMoment,
  /** Null once it is delivered or has failed. */
  next_attempt_at: wireMoment.nullable(),
  attempts: z.array(attemptView),
}));
export type DeliveryView = Unsent<z.output<typeof deliveryView>>;
export type AttemptView = Unsent<z.output<typeof attemptView>>;

export const targetListResponse = strictObject(() => ({ targets: z.array(targetView) }));
/** `secret` signs the messages of a webhook; it is shown only here. Null for other kinds. */
export const targetCreateResponse = strictObject(() => ({ target: targetView, secret: z.string().nullable() }));
export const targetResponse = strictObject(() => ({ target: targetView }));
export const targetRemoveResponse = strictObject(() => ({ target_id: wireInteger }));
export const deliveryListResponse = strictObject(() => ({
  deliveries: z.array(deliveryView),
  next_cursor: wireCursor,
}));
export const queuedDeliveryResponse = strictObject(() => ({ delivery_id: wireInteger }));
