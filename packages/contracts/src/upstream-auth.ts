import { z } from "zod";
import { displayText, recordId } from "./keys.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireInteger, wireMoment } from "./wire.ts";

export const authTypes = ["api_key", "service_account", "oauth_refresh_token", "custom_header"] as const;
export const profileStatuses = ["standby", "disabled"] as const;
/** The result of a refresh: a person has to connect the provider. */
export const refreshMarker = "pending_manual_connector";
export const modelScopeMax = 200;
export const profilesMax = 500;

/** A provider's URL: HTTPS, without credentials, query and fragment. */
const providerUrl = z
  .string()
  .trim()
  .max(500)
  .refine(isPlainHttps, "Enter an https address without user, query or fragment.")
  .transform((text) => new URL(text).href);

function isPlainHttps(text: string): boolean {
  if (!/^https:\/\//i.test(text) || text.includes("\\") || !URL.canParse(text)) {
    return false;
  }
  const { protocol, username, password, search, hash } = new URL(text);
  return protocol === "https:" && username === "" && password === "" && search === "" && hash === "";
}

const token = (lengthMax: number) =>
  z
    .string()
    .trim()
    .min(1, "This can't be empty.")
    .max(lengthMax)
    .regex(/^[\x21-\x7e]*$/, "visible ASCII characters without spaces");
/** Headers that affect the connection, or that identify someone to us. */
const reservedHeaders = new Set([
  "host",
  "connection",
  "content-length",
  "content-type",
  "cookie",
  "expect",
  "keep-alive",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);
const headerName = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9!#$%&'*+.^_`|~-]{1,100}$/, "the name of a header")
  .refine((name) => !reservedHeaders.has(name), "This header can't carry a credential.");
const scopes = z.array(token(200)).max(50).default([]);
const privateKey = z
  .string()
  .trim()
  .max(12_000)
  .regex(
    /^-----BEGIN ([A-Z]+ )?PRIVATE KEY-----\r?\n[A-Za-z0-9+/=\r\n]+\r?\n-----END ([A-Z]+ )?PRIVATE KEY-----$/,
    "a private key in PEM",
  );

/** The non-secret fields of each type. */
export const profileSettings = {
  api_key: strictObject(() => ({
    header: headerName.default("authorization"),
    prefix: z.enum(["Bearer", ""]).default("Bearer"),
  })),
  service_account: strictObject(() => ({ client_email: z.email().max(254), token_url: providerUrl, scopes })),
  oauth_refresh_token: strictObject(() => ({ client_id: token(500), token_url: providerUrl, scopes })),
  custom_header: strictObject(() => ({ header: headerName })),
} as const;

/** The secret fields of each type: kept in the secret store and never shown. */
export const profileCredentials = {
  api_key: strictObject(() => ({ api_key: token(4_096) })),
  service_account: strictObject(() => ({ private_key: privateKey, private_key_id: token(200).optional() })),
  oauth_refresh_token: strictObject(() => ({ refresh_token: token(8_192), client_secret: token(4_096).optional() })),
  custom_header: strictObject(() => ({
    value: z
      .string()
      .trim()
      .min(1)
      .max(8_192)
      .regex(/^[\x20-\x7e]*$/, "visible ASCII characters"),
  })),
} as const;

/** One or several models; none means all. */
const modelScope = z
  .union([displayText(200).transform((name) => [name]), z.array(displayText(200)).max(modelScopeMax)])
  .transform((names) => [...new Set(names)])
  .default([]);

const fieldsOfAll = {
  /** The profile to change; without it one is created. */
  id: recordId.optional(),
  /** The loaded version of the profile. */
  version: z.int().positive().optional(),
  name: displayText(100),
  provider: z.string().regex(/^[a-z0-9][a-z0-9_.-]{0,63}$/, "up to 64 lower-case letters, digits, points, - and _"),
  status: z.enum(profileStatuses).default("standby"),
  base_url: providerUrl,
  model_scope: modelScope,
};

const profileOf = <Type extends (typeof authTypes)[number]>(type: Type) =>
  z.strictObject({
    ...fieldsOfAll,
    auth_type: z.literal(type),
    settings: profileSettings[type],
    /** The credential; if omitted, the stored one stays. */
    credential: profileCredentials[type].optional(),
  });

export const saveProfileInput = z
  .discriminatedUnion("auth_type", [
    profileOf("api_key"),
    profileOf("service_account"),
    profileOf("oauth_refresh_token"),
    profileOf("custom_header"),
  ])
  .refine((profile) => (profile.id === undefined) === (profile.version === undefined), {
    path: ["version"],
    message: "Changing a profile takes its id and version; creating one takes neither.",
  });
export type SaveProfileInput = z.output<typeof saveProfileInput>;

export const refreshProfileInput = strictObject(() => ({ id: recordId }));

export const profileEntry = strictObject(() => ({
  id: wireInteger,
  name: z.string(),
  provider: z.string(),
  auth_type: z.enum(authTypes),
  status: z.enum(profileStatuses),
  base_url: z.string(),
  model_scope: z.array(z.string()),
  settings: z.record(z.string(), z.unknown()),
  /** Which fields of a credential are stored; their values are never returned. */
  credential_fields: z.array(z.string()),
  refresh_check: z.literal(refreshMarker).nullable(),
  refresh_requested_at: wireMoment.nullable(),
  version: z.int(),
  created_at: wireMoment,
  updated_at: wireMoment,
}));
export type ProfileEntry = Unsent<z.output<typeof profileEntry>>;
export const profileResponse = strictObject(() => ({ profile: profileEntry }));
export const profileListResponse = strictObject(() => ({ profiles: z.array(profileEntry) }));
