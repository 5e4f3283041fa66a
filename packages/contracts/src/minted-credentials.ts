import { z } from "zod";
import { strictObject } from "./strict-object.ts";
import type { AuthStyle } from "./upstreams.ts";

const text = (lengthMax: number) => z.string().trim().min(1).max(lengthMax);
const plainUrl = z
  .string()
  .max(500)
  .refine((value) => {
    if (!URL.canParse(value)) {
      return false;
    }
    const { protocol, username, password, hash } = new URL(value);
    return /^https?:$/.test(protocol) && username === "" && password === "" && hash === "";
  }, "an address of a token endpoint");

/** The key file of a Google service account; what else is in the file is not used. */
export const serviceAccountCredential = z.object({
  client_email: text(254),
  private_key: text(12_000).refine((value) => value.includes("PRIVATE KEY"), "a private key in PEM"),
  token_uri: plainUrl.default("https://oauth2.googleapis.com/token"),
});
export type ServiceAccountCredential = z.output<typeof serviceAccountCredential>;

/** An application of Microsoft Entra. The scope depends on the endpoint; this one is for Azure OpenAI. */
export const entraCredential = strictObject(() => ({
  tenant_id: z.string().regex(/^[A-Za-z0-9.-]{1,100}$/, "the id or domain of a tenant"),
  client_id: text(200),
  client_secret: text(1_000),
  scope: text(500).default("https://cognitiveservices.azure.com/.default"),
  authority: plainUrl.default("https://login.microsoftonline.com"),
}));
export type EntraCredential = z.output<typeof entraCredential>;

/** An access key of AWS, and what signatures are made for. */
export const awsCredential = strictObject(() => ({
  access_key_id: z.string().regex(/^[A-Za-z0-9]{16,128}$/, "an access key id"),
  secret_access_key: text(200),
  session_token: text(4_000).optional(),
  region: z.string().regex(/^[a-z0-9-]{1,40}$/, "a region"),
  service: z
    .string()
    .regex(/^[a-z0-9-]{1,40}$/, "a service")
    .default("bedrock"),
}));
export type AwsCredential = z.output<typeof awsCredential>;

/** The credentials that are not sent as they are: each is a JSON text, from which requests get a token or a signature. */
export const mintedCredentials = {
  google_service_account: serviceAccountCredential,
  entra: entraCredential,
  aws_sigv4: awsCredential,
} as const satisfies Partial<Record<AuthStyle, z.ZodType>>;

export type MintedStyle = keyof typeof mintedCredentials;

export function isMinted(style: AuthStyle): style is MintedStyle {
  return Object.hasOwn(mintedCredentials, style);
}

/** What is wrong with a credential for a style, in words for the person who enters it; null if nothing is. */
export function credentialFault(style: AuthStyle, credential: string): string | null {
  if (!isMinted(style)) {
    return /^[\x21-\x7e]+$/.test(credential) ? null : "This credential may not have spaces or line breaks.";
  }
  let value: unknown;
  try {
    value = JSON.parse(credential);
  } catch {
    return "This kind of credential is a JSON object.";
  }
  const [issue] = mintedCredentials[style].safeParse(value).error?.issues ?? [];
  return issue === undefined ? null : `${issue.path.join(".") || "credential"}: ${issue.message}`;
}
