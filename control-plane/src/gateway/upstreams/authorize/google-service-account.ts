import { serviceAccountCredential } from "@sluice/contracts/minted-credentials";
import { readCredential } from "../read-credential.ts";
import { requestToken, type TokenDeps } from "../request-token.ts";
import type { MintedToken } from "../token-cache.ts";
import { TokenError } from "../token-error.ts";

const scope = "https://www.googleapis.com/auth/cloud-platform";
const grant = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const lifetimeSeconds = 3_600;

/**
 * A token of a Google service account, for a signed statement of who it is.
 * @param credential the key file
 * @throws TokenError
 */
export async function mintGoogleToken(deps: TokenDeps, credential: string): Promise<MintedToken> {
  const {
    client_email: email,
    private_key: pem,
    token_uri: url,
  } = readCredential(serviceAccountCredential, credential);
  // Loaded by the first channel that needs it.
  const { importPKCS8, SignJWT } = await import("jose");
  const importKey = (text: string) =>
    importPKCS8(text, "RS256").catch(() => {
      throw new TokenError("the private key can't be read", true);
    });
  const issuedAt = Math.floor(deps.nowMs() / 1000);
  const assertion = await new SignJWT({ scope })
    .setProtectedHeader({ alg: "RS256", typ: "JWT" })
    .setIssuer(email)
    .setAudience(url)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + lifetimeSeconds)
    .sign(await importKey(pem));
  return await requestToken(deps, url, { grant_type: grant, assertion });
}
