import { z } from "zod";
import { idempotencyKey } from "./idempotency.ts";
import { countVisible } from "./readable-text.ts";
import { type Unsent, wireCursor, wireInteger, wireMoment } from "./wire.ts";

export const resetPeriods = ["none", "daily", "weekly", "monthly"] as const;
export type ResetPeriod = (typeof resetPeriods)[number];

/** What a key can be seen as. An expired key works again when its end is moved; a revoked one never does. */
const apiKeyStatuses = ["active", "disabled", "expired", "revoked"] as const;
export type ApiKeyStatus = (typeof apiKeyStatuses)[number];

export const keyPageMax = 100;
export const liveKeysMax = 100;
export const overlapSecondsMax = 7 * 86_400;

const idMax = 2n ** 63n - 1n;

/** The id of a record, as a number or as its digits. */
export const recordId = z
  .union([z.number().int().positive(), z.string().regex(/^[1-9]\d{0,18}$/, "Enter a whole number.")])
  .transform(BigInt)
  .refine((id) => id <= idMax, "It is too large.");

/** A number in a query, where everything is text. */
export const pageSize = z
  .string()
  .regex(/^[1-9]\d{0,2}$/, "Enter a number from 1 to 100.")
  .transform(Number)
  .refine((size) => size <= keyPageMax, "Enter a number from 1 to 100.");

/** One line of text that people read. Control characters and halves of characters are refused; the rest is shown as text. */
export const displayText = (lengthMax: number) =>
  z
    .string()
    .trim()
    .min(1, "This can't be empty.")
    .refine((text) => countVisible(text) > 0, "This can't be empty.")
    .max(lengthMax, `Use at most ${lengthMax} characters.`)
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), "This contains characters that are not allowed.");

const amount = (max: number) => z.number().int().min(1).max(max);
const names = (lengthMax: number) => z.array(displayText(lengthMax)).min(1).max(100);

/** What can be set on a key. Null means that there is no such limit. */
const settings = {
  name: displayText(100),
  /** In quota; 500,000 are 1 USD. */
  quota_limit: amount(1_000_000_000_000_000).nullable(),
  /** When what was used of the limit begins again at 0, in UTC. */
  reset_period: z.enum(resetPeriods),
  expires_at: z.iso.datetime({ offset: true }).nullable(),
  allowed_models: names(200).nullable(),
  /** Addresses and CIDR ranges. */
  allowed_ips: names(50).nullable(),
  requests_per_minute: amount(1_000_000).nullable(),
  tokens_per_minute: amount(2_000_000_000).nullable(),
  concurrency_max: amount(10_000).nullable(),
  is_payload_traced: z.boolean(),
};

export const keyCreateInput = z.strictObject({
  ...z.object(settings).partial().shape,
  name: settings.name,
  group: z.string().max(100).optional(),
  /** The same text again makes no second key. */
  idempotency_key: idempotencyKey.optional(),
});
export type KeyCreateInput = z.output<typeof keyCreateInput>;

export const keySaveInput = z.strictObject({
  key_id: recordId,
  /** As it was read: a key that somebody else changed since is not overwritten. */
  updated_at: z.iso.datetime({ offset: true }),
  ...z.object(settings).partial().shape,
});
export type KeySaveInput = z.output<typeof keySaveInput>;

export const keyInput = z.strictObject({ key_id: recordId });

export const keyRotateInput = z.strictObject({
  key_id: recordId,
  /** For how long the old key keeps working. */
  overlap_seconds: z.number().int().min(0).max(overlapSecondsMax).default(0),
});

export const keyListInput = z.strictObject({
  cursor: recordId.optional(),
  limit: pageSize.default(25),
  /** `live` leaves out what is revoked or expired. */
  status: z.enum(["all", "live"]).default("all"),
});

/** A key as its owner sees it. The key itself is never among it. */
export const apiKeyView = z.strictObject({
  key_id: wireInteger,
  name: z.string(),
  key_prefix: z.string(),
  key_last_four: z.string(),
  group: z.string(),
  status: z.enum(apiKeyStatuses),
  expires_at: wireMoment.nullable(),
  allowed_models: z.array(z.string()).nullable(),
  allowed_ips: z.array(z.string()).nullable(),
  requests_per_minute: z.int().nullable(),
  tokens_per_minute: z.int().nullable(),
  concurrency_max: z.int().nullable(),
  is_payload_traced: z.boolean(),
  quota_limit: wireInteger.nullable(),
  reset_period: z.enum(resetPeriods),
  /** Of the current period; null without a limit. */
  quota_used: wireInteger.nullable(),
  quota_remaining: wireInteger.nullable(),
  period_ends_at: wireMoment.nullable(),
  first_request_at: wireMoment.nullable(),
  /** To within half a minute. */
  last_used_at: wireMoment.nullable(),
  rotated_from_id: wireInteger.nullable(),
  rotated_to_id: wireInteger.nullable(),
  created_at: wireMoment,
  /** To the microsecond; it is what `save` compares. */
  updated_at: z.iso.datetime({ offset: true }),
});
export type ApiKeyView = Unsent<z.output<typeof apiKeyView>>;

export const keyAnswer = z.strictObject({ key: apiKeyView });
/** `secret` is the key itself, which is shown once: null when the request was answered before. */
export const madeKeyAnswer = z.strictObject({ secret: z.string().nullable(), key: apiKeyView });
export const rotatedKeyAnswer = madeKeyAnswer.extend({ old: apiKeyView });
export const keyListAnswer = z.strictObject({ keys: z.array(apiKeyView), next_cursor: wireCursor });
export const firstRequestAnswer = z.strictObject({ is_seen: z.boolean(), first_request_at: wireMoment.nullable() });
