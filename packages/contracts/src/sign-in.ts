import { z } from "zod";
import { rowId, typedCode, typedPassword } from "./accounts.ts";
import { waitingResponse } from "./approvals.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireInteger, wireMoment } from "./wire.ts";

/** `oidc` is any issuer of OpenID Connect; `github` speaks OAuth and has a list of addresses instead of an ID token. */
export const signInKinds = ["oidc", "github"] as const;
export type SignInKind = (typeof signInKinds)[number];

export const signInProvidersMax = 20;
/** How many sign-ins a user can have linked. */
export const linkedSignInsMax = 10;

/** Part of the callback address, so it never changes. */
export const providerSlug = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,29}$/, "up to 30 lower-case letters, digits and -, a letter first");

/** `https`, or `http` to a loopback address for development; the issuer of tokens is compared with it, byte for byte. */
const issuer = z
  .string()
  .trim()
  .max(500)
  .refine(isIssuer, "an address like https://login.example.org, without user, query and fragment");

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) {
    return false;
  }
  const { protocol, username, password, search, hash } = new URL(text);
  return (protocol === "https:" || protocol === "http:") && `${username}${password}${search}${hash}` === "";
}

/** A new provider, or all of an existing one. */
export const saveProviderInput = strictObject(() => ({
  slug: providerSlug,
  kind: z.enum(signInKinds),
  /** What the button says after "Continue with". */
  label: z
    .string()
    .trim()
    .min(1)
    .max(40)
    .regex(/^[^\p{Cc}\p{Cf}]*$/u, "one line of visible characters"),
  issuer,
  client_id: z
    .string()
    .trim()
    .min(1)
    .max(300)
    .regex(/^[\x21-\x7e]+$/, "visible ASCII characters"),
  /** Empty keeps the stored one; required for a new provider and for another issuer. */
  client_secret: z.string().trim().max(2_000).default(""),
  is_enabled: z.boolean(),
  /** Whether people without an account get one. */
  may_register: z.boolean(),
  /** The `updated_at` that was loaded: the change is refused if someone else has made one since. Absent for a new one. */
  updated_at: z.iso.datetime().optional(),
  reason: reasonText(500),
}));
export type SaveProviderInput = z.output<typeof saveProviderInput>;

export const removeProviderInput = strictObject(() => ({ slug: providerSlug, reason: reasonText(500) }));

const providerEntry = strictObject(() => ({
  slug: z.string(),
  kind: z.enum(signInKinds),
  label: z.string(),
  issuer: z.string(),
  client_id: z.string(),
  is_enabled: z.boolean(),
  may_register: z.boolean(),
  /** The address to register at the provider. */
  callback_url: z.string(),
  /** How many users have linked a sign-in of this issuer. */
  users: z.int(),
  created_at: wireMoment,
  updated_at: wireMoment,
}));
export type ProviderEntry = Unsent<z.output<typeof providerEntry>>;

export const providerListResponse = strictObject(() => ({
  providers: z.array(providerEntry),
  /** Where callback addresses begin, to show the one of a new provider. */
  callback_base: z.string(),
}));
export const savedProviderResponse = z.union([strictObject(() => ({ provider: providerEntry })), waitingResponse]);

export const testProviderInput = strictObject(() => ({ kind: z.enum(signInKinds), issuer }));
/** What the issuer says about itself. */
export const testedProviderResponse = strictObject(() => ({
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  /** Whether the issuer says that it checks PKCE; null if it does not say. */
  has_pkce: z.boolean().nullable(),
}));

/** How the owner confirms a change: with the password, if the account has one, and a code, if logins require one. */
const proof = { password: typedPassword.optional(), code: typedCode.optional() };

export const linkSignInInput = strictObject(() => ({ provider: providerSlug, ...proof }));
/** The address of the provider's login, to open in this browser. */
export const linkSignInResponse = strictObject(() => ({ url: z.string() }));
export const unlinkSignInInput = strictObject(() => ({ sign_in_id: rowId, ...proof }));

export const signInListResponse = strictObject(() => ({
  sign_ins: z.array(
    z.strictObject({
      sign_in_id: wireInteger,
      /** The name of the provider, or the host of its issuer if it was removed. */
      label: z.string(),
      /** The address of the account at the provider, when it was last used. */
      email: z.string().nullable(),
      created_at: wireMoment,
      last_used_at: wireMoment.nullable(),
    }),
  ),
  /** The providers that can be linked now. */
  providers: z.array(z.strictObject({ slug: z.string(), label: z.string() })),
}));
