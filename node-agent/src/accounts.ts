import type { HttpOrigin } from "@sluice/http-client/model";
import type { Config } from "./config.ts";
import { ConfigError } from "./config-error.ts";

export type CredentialHeader = "authorization" | "x-api-key" | "api-key";

/** An account that serves calls. */
export type ActiveAccount = {
  readonly kind: "active";
  readonly accountCode: string;
  readonly provider: string;
  readonly authType: "api_key";
  readonly apiKey: string;
  readonly apiKeyBytes: Buffer;
  readonly credentialHeader: CredentialHeader;
  readonly destination: HttpOrigin;
  /** Replaces `/v1` in a path, without a trailing slash. */
  readonly basePath: string;
};

/** A slot that is kept for later: no call uses it, and no provider is called for it. */
export type StandbyAccount = {
  readonly kind: "standby";
  readonly accountCode: string;
  readonly provider: string;
  readonly authType: "oauth_refresh_token";
  readonly refreshToken: string | null;
};

export type ProviderAccount = ActiveAccount | StandbyAccount;

type Rules = Pick<Config, "allowedProviderHosts" | "isPrivateUpstreamAllowed">;

const namePattern = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;
const secretPattern = /^[\x21-\x7e]+$/;
const credentialHeaders: readonly string[] = ["authorization", "x-api-key", "api-key"];
const fieldNames = new Set([
  ...["accountCode", "provider", "authType", "apiKey", "refreshToken", "baseUrl", "credentialHeader"],
]);
const secretLengthMin = 8;
const accountsMax = 64;

/**
 * Reads the JSON of the provider accounts: `{"accounts":[{accountCode, provider, authType, ...}]}`.
 * @throws ConfigError, with the position and without the value
 */
export function parseAccounts(text: string, rules: Rules): readonly ProviderAccount[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new ConfigError("The provider accounts are not valid JSON.");
  }
  const list = isRecord(parsed) ? parsed["accounts"] : null;
  if (!Array.isArray(list) || list.length === 0 || list.length > accountsMax) {
    throw new ConfigError(`The provider accounts must be an object with a list "accounts" of 1 to ${accountsMax}.`);
  }
  const accounts = list.map((entry: unknown, index) => parseAccount(entry, index, rules));
  const codes = new Set(accounts.map(({ accountCode }) => accountCode));
  if (codes.size < accounts.length) {
    throw new ConfigError("Two provider accounts have the same accountCode.");
  }
  return accounts;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function parseAccount(entry: unknown, index: number, rules: Rules): ProviderAccount {
  const place = `Provider account ${index + 1}`;
  if (!isRecord(entry)) {
    throw new ConfigError(`${place} is not an object.`);
  }
  const unknown = Object.keys(entry).find((name) => !fieldNames.has(name));
  if (unknown !== undefined) {
    throw new ConfigError(`${place} has an unknown field "${unknown.slice(0, 40)}".`);
  }
  const accountCode = textField(entry, "accountCode", namePattern, place);
  const provider = textField(entry, "provider", namePattern, place);
  switch (entry["authType"]) {
    case "api_key":
      return parseActive({ accountCode, provider }, entry, place, rules);
    case "oauth_refresh_token":
      return {
        kind: "standby",
        accountCode,
        provider,
        authType: "oauth_refresh_token",
        refreshToken: entry["refreshToken"] === undefined ? null : secretField(entry, "refreshToken", place),
      };
    default:
      throw new ConfigError(`${place} needs authType "api_key" or "oauth_refresh_token".`);
  }
}

function parseActive(
  names: { readonly accountCode: string; readonly provider: string },
  entry: Record<string, unknown>,
  place: string,
  rules: Rules,
): ActiveAccount {
  const credentialHeader = entry["credentialHeader"] ?? "authorization";
  if (typeof credentialHeader !== "string" || !credentialHeaders.includes(credentialHeader)) {
    throw new ConfigError(`${place} has a credentialHeader other than ${credentialHeaders.join(", ")}.`);
  }
  const apiKey = secretField(entry, "apiKey", place);
  return {
    kind: "active",
    ...names,
    authType: "api_key",
    apiKey,
    apiKeyBytes: Buffer.from(apiKey, "latin1"),
    credentialHeader: credentialHeader as CredentialHeader,
    ...parseBaseUrl(entry["baseUrl"], place, rules),
  };
}

function parseBaseUrl(value: unknown, place: string, rules: Rules): Pick<ActiveAccount, "destination" | "basePath"> {
  if (typeof value !== "string" || !URL.canParse(value)) {
    throw new ConfigError(`${place} has no valid baseUrl.`);
  }
  const url = new URL(value);
  const { protocol } = url;
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "") {
    throw new ConfigError(`${place} has a baseUrl with more than scheme, host, port and path.`);
  }
  if (protocol !== "https:" && !(protocol === "http:" && rules.isPrivateUpstreamAllowed)) {
    throw new ConfigError(`${place} has a baseUrl without https; plain http needs PRIVATE_UPSTREAM_ALLOWED.`);
  }
  // Certificate checks treat a name with a trailing dot as a different name.
  if (url.hostname.endsWith(".") || !rules.allowedProviderHosts.includes(url.host)) {
    throw new ConfigError(`${place} has a baseUrl whose host is not in ALLOWED_PROVIDER_HOSTS.`);
  }
  const isSecure = protocol === "https:";
  return {
    destination: {
      protocol: isSecure ? "https:" : "http:",
      hostname: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: url.port === "" ? (isSecure ? 443 : 80) : Number(url.port),
    },
    basePath: url.pathname.replace(/\/+$/, ""),
  };
}

function textField(entry: Record<string, unknown>, name: string, pattern: RegExp, place: string): string {
  const value = entry[name];
  if (typeof value !== "string" || !pattern.test(value)) {
    throw new ConfigError(`${place} has no valid ${name}.`);
  }
  return value;
}

function secretField(entry: Record<string, unknown>, name: string, place: string): string {
  const secret = textField(entry, name, secretPattern, place);
  if (secret.length < secretLengthMin) {
    throw new ConfigError(`${place} has an ${name} of fewer than ${secretLengthMin} characters.`);
  }
  return secret;
}
