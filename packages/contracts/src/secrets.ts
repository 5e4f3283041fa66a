import { z } from "zod";
import { waitingResponse } from "./approvals.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireMoment } from "./wire.ts";

const nameLengthMax = 100;
const valueLengthMax = 16 * 1024;

/** Parts of lower-case letters, digits and underscores, joined by dots: `cardpay.account_a.secret_key`. */
export const secretName = z
  .string()
  .max(nameLengthMax)
  .regex(/^[a-z0-9_]+(\.[a-z0-9_]+)*$/, "lower-case letters, digits and underscores, in parts joined by dots");

/** Pasted text often ends with a line break that is not part of the secret. */
export const saveSecretInput = strictObject(() => ({
  name: secretName,
  value: z.string().trim().min(1).max(valueLengthMax),
}));

export type SaveSecretInput = z.output<typeof saveSecretInput>;

/** A secret in lists, which never show its value. */
const secretEntry = strictObject(() => ({
  name: z.string(),
  version: z.int(),
  created_at: wireMoment,
  updated_at: wireMoment,
  /** Who saved this version; null if no admin did. */
  set_by: z.string().nullable(),
}));
export type SecretEntry = Unsent<z.output<typeof secretEntry>>;
export const secretListResponse = strictObject(() => ({ secrets: z.array(secretEntry) }));
const savedSecretAnswer = strictObject(() => ({ secret: z.strictObject({ name: z.string(), version: z.int() }) }));
export const savedSecretOutput = z.union([savedSecretAnswer, waitingResponse]);

/** Who needs a secret: exit nodes by their code, or what sends mails and takes payments. */
export const secretUseKinds = ["exit_node", "walletpay", "cardpay", "mail"] as const;
const secretUse = strictObject(() => ({ kind: z.enum(secretUseKinds), name: z.string() }));
export type SecretUse = z.output<typeof secretUse>;

export const secretUsesInput = strictObject(() => ({ name: secretName }));
/** A secret can be deleted once nothing needs it. */
export const secretUsesOutput = strictObject(() => ({ uses: z.array(secretUse) }));
export const removeSecretInput = strictObject(() => ({ name: secretName, reason: reasonText(500) }));
export const removedSecretOutput = strictObject(() => ({ name: z.string() }));
