import { entraCredential } from "@sluice/contracts/minted-credentials";
import { readCredential } from "../read-credential.ts";
import { requestToken, type TokenDeps } from "../request-token.ts";
import type { MintedToken } from "../token-cache.ts";

/**
 * A token of an application of Microsoft Entra, by its secret.
 * @param credential JSON
 * @throws TokenError
 */
export async function mintEntraToken(deps: TokenDeps, credential: string): Promise<MintedToken> {
  const { authority, tenant_id: tenant, ...fields } = readCredential(entraCredential, credential);
  const url = `${authority.replace(/\/+$/, "")}/${tenant}/oauth2/v2.0/token`;
  return await requestToken(deps, url, { ...fields, grant_type: "client_credentials" });
}
