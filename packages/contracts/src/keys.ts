import { z } from "zod";

export const resetPeriods = ["none", "daily", "weekly", "monthly"] as const;
export type ResetPeriod = (typeof resetPeriods)[number];

/** What a key can be seen as. An expired key works again when its end is moved; a revoked one never does. */
export type ApiKeyStatus = "active" | "disabled" | "expired" | "revoked";

export const keyPageMax = 100;
export const liveKeysMax = 100;
export const overlapSecondsMax = 7 * 86_400;

const idMax = 2n ** 63n - 1n;

/** The id of a record, as a number or as its digits. */
export const recordId = z
  .union([z.number().int().positive(), z.string().regex(/^[1-9]\d{0,18}$/, "It has to be a whole number.")])
  .transform(BigInt)
  .refine((id) => id <= idMax, "It is too large.");

/** A number in a query, where everything is text. */
export const pageSize = z
  .string()
  .regex(/^[1-9]\d{0,2}$/, "It has to be a number from 1 to 100.")
  .transform(Number)
  .refine((size) => size <= keyPageMax, "It has to be a number from 1 to 100.");

/** One line of text that people read. Control characters and halves of characters are refused; the rest is shown as text. */
export const displayText = (lengthMax: number) =>
  z
    .string()
    .trim()
    .min(1, "It may not be empty.")
    .max(lengthMax, `It may have ${lengthMax} characters.`)
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), "It has characters that are not allowed.");

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

/** Chosen by the caller, like a UUID. */
export const keyIdempotency = z.string().regex(/^[\x21-\x7e]{8,200}$/, "8 to 200 visible characters without spaces");

export const keyCreateInput = z.strictObject({
  ...z.object(settings).partial().shape,
  name: settings.name,
  group: z.string().max(100).optional(),
  /** The same text again makes no second key. It can also come as the header `Idempotency-Key`. */
  idempotency_key: keyIdempotency.optional(),
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
  /** For how long the old key goes on working. */
  overlap_seconds: z.number().int().min(0).max(overlapSecondsMax).default(0),
});

export const keyListInput = z.strictObject({
  cursor: recordId.optional(),
  limit: pageSize.default(25),
  /** `live` leaves out what is revoked or expired. */
  status: z.enum(["all", "live"]).default("all"),
});

/** A key as its owner sees it. The key itself is never among it. */
export type ApiKeyView = {
  readonly key_id: bigint;
  readonly name: string;
  readonly key_prefix: string;
  readonly key_last_four: string;
  readonly group: string;
  readonly status: ApiKeyStatus;
  readonly expires_at: Date | null;
  readonly allowed_models: readonly string[] | null;
  readonly allowed_ips: readonly string[] | null;
  readonly requests_per_minute: number | null;
  readonly tokens_per_minute: number | null;
  readonly concurrency_max: number | null;
  readonly is_payload_traced: boolean;
  readonly quota_limit: bigint | null;
  readonly reset_period: ResetPeriod;
  /** Of the current period; null without a limit. */
  readonly quota_used: bigint | null;
  readonly quota_remaining: bigint | null;
  readonly period_ends_at: Date | null;
  readonly first_request_at: Date | null;
  /** To within half a minute. */
  readonly last_used_at: Date | null;
  readonly rotated_from_id: bigint | null;
  readonly rotated_to_id: bigint | null;
  readonly created_at: Date;
  /** To the microsecond; it is what `save` compares. */
  readonly updated_at: string;
};
