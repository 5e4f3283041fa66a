import { z } from "zod";
import { byLength } from "./by-length.ts";
import { idempotencyKey } from "./idempotency.ts";
import { byKeyField, keyFields, resetPeriods } from "./key-fields.ts";
import { countVisible } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireCursor, wireInteger, wireMoment } from "./wire.ts";

/** The states of a key. An expired key works again when its expiry is moved; a revoked one never does. */
const apiKeyStatuses = ["active", "disabled", "expired", "revoked"] as const;
export type ApiKeyStatus = (typeof apiKeyStatuses)[number];

export const keyPageMax = 100;
export const liveKeysMax = 100;
/** How many keys of the playground work at a time: an older one of the same person ends when another one is made. */
export const playgroundKeysMax = 5;
export const overlapSecondsMax = 7 * 86_400;

const idMax = 2n ** 63n - 1n;

/** The ID of a record, as a number or as its digits. */
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

/** One line of text for people. Control characters and unpaired surrogates are refused; the rest is shown as text. */
export const displayText = byLength((lengthMax) =>
  z
    .string()
    .trim()
    .min(1, "This can't be empty.")
    .refine((text) => countVisible(text) > 0, "This can't be empty.")
    .max(lengthMax, `Use at most ${lengthMax} characters.`)
    .refine((text) => text.isWellFormed() && !/\p{Cc}/u.test(text), "This contains characters that are not allowed."),
);

const amount = (max: number) => z.number().int().min(1).max(max);
const names = (lengthMax: number) => z.array(displayText(lengthMax)).min(1).max(100);

/** The values that a request can send for a field, by its kind. Null means no limit. */
const sent = {
  name: displayText,
  quota: (max: number) => amount(max).nullable(),
  period: () => z.enum(resetPeriods),
  models: (lengthMax: number) => names(lengthMax).nullable(),
  addresses: (lengthMax: number) => names(lengthMax).nullable(),
  moment: () => z.iso.datetime({ offset: true }).nullable(),
  count: (max: number) => amount(max).nullable(),
  flag: () => z.boolean(),
};

/** The values that a response shows for a field, by its kind. */
const shown = {
  name: z.string(),
  quota: wireInteger.nullable(),
  period: z.enum(resetPeriods),
  models: z.array(z.string()).nullable(),
  addresses: z.array(z.string()).nullable(),
  moment: wireMoment.nullable(),
  count: z.int().nullable(),
  flag: z.boolean(),
};

type Sent = { readonly [Kind in keyof typeof sent]: ReturnType<(typeof sent)[Kind]> };

const sentFields = byKeyField<Sent>(keyFields, ({ kind, max }) => sent[kind](max ?? 0));
/** The fields of a key as responses show them. */
export const shownFields = byKeyField<typeof shown>(keyFields, ({ kind }) => shown[kind]);

export const keyCreateInput = strictObject(() => ({
  ...z.object(sentFields).partial().shape,
  name: sentFields.name,
  /** A group that the account has; null for the one that its calls have otherwise, now and later. */
  group: z.string().max(100).nullable().optional(),
  /** Of an organisation: the project that the key is for; it can't be changed later. */
  project_id: recordId.nullable().optional(),
  /** A key that the playground makes for itself. It is not listed once it has ended. */
  is_for_playground: z.boolean().optional(),
  /** A repetition with the same text creates no second key. */
  idempotency_key: idempotencyKey.optional(),
}));
export type KeyCreateInput = z.output<typeof keyCreateInput>;

export const keySaveInput = strictObject(() => ({
  key_id: recordId,
  /** The value that was loaded, so that a change by someone else is not overwritten. */
  updated_at: z.iso.datetime({ offset: true }),
  ...z.object(sentFields).partial().shape,
  group: z.string().max(100).nullable().optional(),
}));
export type KeySaveInput = z.output<typeof keySaveInput>;

export const keyInput = strictObject(() => ({ key_id: recordId }));

export const keyRotateInput = strictObject(() => ({
  key_id: recordId,
  /** How long the old key keeps working. */
  overlap_seconds: z.number().int().min(0).max(overlapSecondsMax).default(0),
}));

export const keyListInput = strictObject(() => ({
  cursor: recordId.optional(),
  limit: pageSize.default(25),
  /** Selects keys; `live` omits revoked and expired ones. */
  status: z.enum(["all", "live"]).default("all"),
}));

/** A key as its owner sees it, without the key itself. */
export const apiKeyView = strictObject(() => ({
  key_id: wireInteger,
  ...shownFields,
  key_prefix: z.string(),
  key_last_four: z.string(),
  /** The group of its calls. */
  group: z.string(),
  /** The group that was chosen for this key; null if it follows the account. */
  own_group: z.string().nullable(),
  /** False if the account no longer has the group: calls are refused until another one is chosen. */
  has_group: z.boolean(),
  status: z.enum(apiKeyStatuses),
  /** Why the operator has locked the key: calls are refused, and its owner can only revoke it. Null without a lock. */
  lock_reason: z.string().nullable(),
  /** The quota that was used in the current period; null without a limit. */
  quota_used: wireInteger.nullable(),
  quota_remaining: wireInteger.nullable(),
  period_ends_at: wireMoment.nullable(),
  first_request_at: wireMoment.nullable(),
  /** When the key was last used, to within half a minute. */
  last_used_at: wireMoment.nullable(),
  rotated_from_id: wireInteger.nullable(),
  rotated_to_id: wireInteger.nullable(),
  /** Of a key of an organisation: who made it, and for which project. */
  organisation: z
    .strictObject({
      member_id: wireInteger,
      member_email: z.string().nullable(),
      project_id: wireInteger.nullable(),
      project_name: z.string().nullable(),
    })
    .nullable(),
  created_at: wireMoment,
  /** When the key was last changed, to the microsecond; `save` compares it. */
  updated_at: z.iso.datetime({ offset: true }),
}));
export type ApiKeyView = Unsent<z.output<typeof apiKeyView>>;

export const keyResponse = strictObject(() => ({ key: apiKeyView }));
/** `secret` is the key itself, which is shown only once: it is null for a repeated request. */
export const madeKeyResponse = strictObject(() => ({ secret: z.string().nullable(), key: apiKeyView }));
export const rotatedKeyResponse = madeKeyResponse.extend({ old: apiKeyView });
export const keyListResponse = strictObject(() => ({ keys: z.array(apiKeyView), next_cursor: wireCursor }));
export const firstRequestResponse = strictObject(() => ({
  is_seen: z.boolean(),
  first_request_at: wireMoment.nullable(),
}));
