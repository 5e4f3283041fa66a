import { z } from "zod";
import { rowId, typedCode, typedPassword } from "./accounts.ts";
import { strictObject } from "./strict-object.ts";
import { wireInteger, wireMoment } from "./wire.ts";

/** How many passkeys a user can have. */
export const passkeysMax = 10;

/** What its owner calls a passkey. */
export const passkeyName = z
  .string()
  .trim()
  .min(1)
  .max(60)
  .regex(/^[^\p{Cc}\p{Cf}\u2028\u2029]*$/u, "one line of visible characters");

/** How the owner confirms a change: with the password, if the account has one, and a code, if logins require one. */
const proof = { password: typedPassword.optional(), code: typedCode.optional() };

const bytes = (lengthMax: number) =>
  z
    .string()
    .max(lengthMax)
    .regex(/^[A-Za-z0-9_-]+$/, "base64url without padding");
const credentialId = bytes(1_364);
const credentialType = z.literal("public-key");
const transport = z.string().max(32);

/** What `navigator.credentials.create()` returned, as `PublicKeyCredential.toJSON()` writes it; unknown fields are dropped. */
const madeCredential = z.object({
  id: credentialId,
  rawId: credentialId,
  type: credentialType,
  response: z.object({
    clientDataJSON: bytes(8_192),
    attestationObject: bytes(65_536),
    transports: z.array(transport).max(10).optional(),
  }),
});
export type MadeCredential = z.output<typeof madeCredential>;

/** What `navigator.credentials.get()` returned. */
const shownCredential = z.object({
  id: credentialId,
  rawId: credentialId,
  type: credentialType,
  response: z.object({
    clientDataJSON: bytes(8_192),
    authenticatorData: bytes(8_192),
    signature: bytes(8_192),
    userHandle: bytes(256).nullish(),
  }),
});
export type ShownCredential = z.output<typeof shownCredential>;

export const beginPasskeyInput = z.strictObject(proof);
export const addPasskeyInput = strictObject(() => ({ name: passkeyName, credential: madeCredential }));
export const renamePasskeyInput = strictObject(() => ({ passkey_id: rowId, name: passkeyName, ...proof }));
export const removePasskeyInput = strictObject(() => ({ passkey_id: rowId, ...proof }));
export const passkeyLoginInput = strictObject(() => ({
  credential: shownCredential,
  /** The local path to open after the login. */
  next: z.string().max(2_000).default(""),
}));

const userVerification = z.literal("required");

/** For `navigator.credentials.create()`, in the form that `PublicKeyCredential.parseCreationOptionsFromJSON()` reads. */
export const beginPasskeyResponse = strictObject(() => ({
  options: z.strictObject({
    rp: z.strictObject({ id: z.string(), name: z.string() }),
    user: z.strictObject({ id: z.string(), name: z.string(), displayName: z.string() }),
    challenge: z.string(),
    pubKeyCredParams: z.array(z.strictObject({ type: credentialType, alg: z.int() })),
    timeout: z.int(),
    attestation: z.literal("none"),
    excludeCredentials: z.array(
      z.strictObject({ id: z.string(), type: credentialType, transports: z.array(z.string()) }),
    ),
    authenticatorSelection: z.strictObject({
      residentKey: z.literal("required"),
      requireResidentKey: z.literal(true),
      userVerification,
    }),
  }),
}));

/** For `navigator.credentials.get()`: no credential is named, so that the browser offers what it has for this site. */
export const passkeyChallengeResponse = strictObject(() => ({
  options: z.strictObject({
    rpId: z.string(),
    challenge: z.string(),
    timeout: z.int(),
    userVerification,
  }),
}));

export const passkeyLoginResponse = strictObject(() => ({
  user: z.strictObject({ user_id: wireInteger, email: z.string() }),
  next: z.string(),
}));

const passkeyView = strictObject(() => ({
  passkey_id: wireInteger,
  name: z.string(),
  /** Whether the authenticator may copy it to other devices of its owner. */
  is_synced: z.boolean(),
  created_at: wireMoment,
  last_used_at: wireMoment.nullable(),
}));
export const passkeyListResponse = strictObject(() => ({
  passkeys: z.array(passkeyView),
  /** False on installations whose address is not a domain name. */
  is_offered: z.boolean(),
}));
export const passkeyResponse = strictObject(() => ({ passkey: passkeyView }));
