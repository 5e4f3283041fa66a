import type { AuthStyle } from "@sluice/contracts/upstreams";
import type { HttpHeader } from "@sluice/http-client/model";

const headers: Readonly<Record<AuthStyle, (credential: string) => HttpHeader | null>> = {
  bearer: (credential) => ["authorization", `Bearer ${credential}`],
  x_api_key: (credential) => ["x-api-key", credential],
  api_key: (credential) => ["api-key", credential],
  x_goog_api_key: (credential) => ["x-goog-api-key", credential],
  none: () => null,
};

/** The header that shows a credential to an upstream; null if there is no credential, or if none is to be shown. */
export function credentialHeader(style: AuthStyle, credential: string | null): HttpHeader | null {
  return credential === null ? null : headers[style](credential);
}
