import { t } from "../../translate.ts";
import type { Profile } from "./profile.ts";

type AuthType = Profile["auth_type"];
type ProfileField = { readonly name: string; readonly label: string; readonly hint?: string };

/** The non-secret fields of each login method. */
export const settingFields: Readonly<Record<AuthType, readonly ProfileField[]>> = {
  api_key: [
    { name: "header", label: t("Header"), hint: t("If empty, authorization.") },
    { name: "prefix", label: t("Prefix"), hint: t("Bearer, or empty.") },
  ],
  service_account: [
    { name: "client_email", label: t("Client e-mail") },
    { name: "token_url", label: t("Token address") },
    { name: "scopes", label: t("Scopes"), hint: t("Separated by spaces.") },
  ],
  oauth_refresh_token: [
    { name: "client_id", label: t("Client ID") },
    { name: "token_url", label: t("Token address") },
    { name: "scopes", label: t("Scopes"), hint: t("Separated by spaces.") },
  ],
  custom_header: [{ name: "header", label: t("Header") }],
};

/** The secret fields of each; the first is required for a new one. */
export const credentialFields: Readonly<Record<AuthType, readonly ProfileField[]>> = {
  api_key: [{ name: "api_key", label: t("API key") }],
  service_account: [
    { name: "private_key", label: t("Private key"), hint: t("In PEM, with its first and last line.") },
    { name: "private_key_id", label: t("Private key ID"), hint: t("Optional.") },
  ],
  oauth_refresh_token: [
    { name: "refresh_token", label: t("Refresh token") },
    { name: "client_secret", label: t("Client secret"), hint: t("Optional.") },
  ],
  custom_header: [{ name: "value", label: t("Header value") }],
};

/** The settings as sent: scopes are a list, and empty fields are left to the backend, except the prefix. */
export function settingsToSend(type: AuthType, texts: Readonly<Record<string, string>>): Record<string, unknown> {
  const entries = settingFields[type].map(({ name }) => [name, (texts[name] ?? "").trim()] as const);
  return Object.fromEntries(
    entries
      .filter(([name, text]) => text !== "" || name === "prefix")
      .map(([name, text]) => [name, name === "scopes" ? text.split(/\s+/) : text]),
  );
}

/** The credential as sent; undefined keeps the stored one. */
export function credentialToSend(
  type: AuthType,
  texts: Readonly<Record<string, string>>,
): Record<string, string> | undefined {
  const entries = credentialFields[type]
    .map(({ name }) => [name, (texts[name] ?? "").trim()] as const)
    .filter(([, text]) => text !== "");
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
