import type { HttpHeader } from "@sluice/http-client/model";
import type { ActiveAccount } from "./accounts.ts";

/** The only request headers that a provider sees; all others could identify the caller or affect routing. */
const forwardedHeaders = [
  "content-type",
  "accept",
  "openai-beta",
  "anthropic-version",
  "anthropic-beta",
  "idempotency-key",
];

/** The headers for the provider: the caller's credential is removed, the node's key takes its place. */
export function injectProviderKey(sent: Headers, account: ActiveAccount): HttpHeader[] {
  const headers: HttpHeader[] = [];
  for (const name of forwardedHeaders) {
    const value = sent.get(name);
    if (value !== null) {
      headers.push([name, value]);
    }
  }
  const { apiKey, credentialHeader } = account;
  headers.push([credentialHeader, credentialHeader === "authorization" ? `Bearer ${apiKey}` : apiKey]);
  // A compressed response could contain the key without being noticed.
  headers.push(["accept-encoding", "identity"], ["user-agent", "sluice"]);
  return headers;
}
