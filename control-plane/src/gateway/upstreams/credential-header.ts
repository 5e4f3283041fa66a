import type { AuthStyle } from "@sluice/contracts/upstreams";
import type { HttpHeader } from "@sluice/http-client/model";

const noHeader = (): null => null;

const headers: Readonly<Record<AuthStyle, (credential: string) => HttpHeader | null>> = {
  bearer: (credential) => ["authorization", `Bearer ${credential}`],
  x_api_key: (credential) => ["x-api-key", credential],
  api_key: (credential) => ["api-key", credential],
  x_goog_api_key: (credential) => ["x-goog-api-key", credential],
  none: noHeader,
  // These are added later: they are made from the credential, and some from the whole request.
  google_service_account: noHeader,
  entra: noHeader,
  aws_sigv4: noHeader,
};

type Shown = { readonly style: AuthStyle; readonly credential: string; readonly header: HttpHeader | null };

/** The header that was made last: one call after the other goes to the same channel. */
let latest: Shown | null = null;

/** The header that shows a credential to an upstream as it is; null if there is none, or if it is not shown so. */
export function credentialHeader(style: AuthStyle, credential: string | null): HttpHeader | null {
  if (credential === null) {
    return null;
  }
  if (latest === null || latest.credential !== credential || latest.style !== style) {
    latest = { style, credential, header: headers[style](credential) };
  }
  return latest.header;
}
