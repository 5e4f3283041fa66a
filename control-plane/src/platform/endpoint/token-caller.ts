import { managementTokenPrefix } from "@sluice/contracts/token-prefix";
import { allowsToken, tokenRuleOf } from "@sluice/contracts/token-scopes";
import { AppError } from "../errors.ts";
import { refuseWithoutRight } from "./admin-rules.ts";
import type { AdminCaller, AnyEndpoint, CallerReader, UserCaller } from "./model.ts";

const bearerPattern = /^Bearer +(\S+) *$/i;

/** The access token of a request; null without one. Other credentials in the header are not meant for us. */
export function readAccessToken(request: Request): string | null {
  const [, token = ""] = bearerPattern.exec(request.headers.get("authorization") ?? "") ?? [];
  return token.startsWith(managementTokenPrefix) ? token : null;
}

export type TokenUse = { readonly token: string; readonly ip: string };

/**
 * The caller of an endpoint that is not public, by an access token.
 * @throws AppError `ambiguous_credentials` with a session as well, `access_token_refused`, `invalid_access_token`,
 * `insufficient_scope`; for admins what their rights do not allow
 */
export async function readTokenCaller(
  endpoint: AnyEndpoint,
  callers: CallerReader,
  request: Request,
  { token, ip }: TokenUse,
): Promise<{ readonly user?: UserCaller; readonly admin?: AdminCaller }> {
  if (callers.carriesSession(request, "user") || callers.carriesSession(request, "admin")) {
    throw new AppError("ambiguous_credentials", { message: "Send a session cookie or an access token, not both." });
  }
  const { path, access } = endpoint;
  const rule = tokenRuleOf(path);
  if (rule === "closed" || access === "optional_user") {
    throw new AppError("access_token_refused");
  }
  if (access === "user") {
    const found = await callers.readToken(token, "user", ip);
    requireScope(found?.scopes, rule);
    return found === null ? {} : { user: found.caller };
  }
  const found = await callers.readToken(token, "admin", ip);
  requireScope(found?.scopes, rule);
  if (found === null) {
    return {};
  }
  if (endpoint.freshLogin === true && !found.caller.isFresh) {
    throw missingScope("sensitive");
  }
  refuseWithoutRight(endpoint, found.caller);
  return { admin: found.caller };
}

function requireScope(scopes: readonly string[] | undefined, rule: ReturnType<typeof tokenRuleOf>): void {
  if (scopes === undefined) {
    throw new AppError("invalid_access_token");
  }
  if (!allowsToken(scopes, rule)) {
    throw missingScope(rule);
  }
}

const missingScope = (scope: string) =>
  new AppError("insufficient_scope", { message: `This requires an access token with the scope '${scope}'.` });
