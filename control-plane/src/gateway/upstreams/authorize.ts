import { isMinted, type MintedStyle } from "@sluice/contracts/minted-credentials";
import type { AuthStyle } from "@sluice/contracts/upstreams";
import type { HttpHeader, HttpRequest } from "@sluice/http-client/model";
import type { Clock } from "../../platform/clock.ts";
import { signForAws } from "./authorize/aws-signature.ts";
import { mintEntraToken } from "./authorize/entra.ts";
import { mintGoogleToken } from "./authorize/google-service-account.ts";
import type { TokenDeps } from "./request-token.ts";
import { type MintedToken, TokenCache } from "./token-cache.ts";
import { TokenError } from "./token-error.ts";

const unauthorized = 401;

const mints: Readonly<
  Record<Exclude<MintedStyle, "aws_sigv4">, (deps: TokenDeps, credential: string) => Promise<MintedToken>>
> = { google_service_account: mintGoogleToken, entra: mintEntraToken };

/** Adds tokens and signatures that are made from credentials to requests. */
export class Authorizer {
  readonly #deps: TokenDeps;
  readonly #tokens: TokenCache;

  constructor(client: TokenDeps["client"], clock: Clock) {
    this.#deps = { client, nowMs: () => clock.now() };
    this.#tokens = new TokenCache(clock);
  }

  /**
   * The request with what its endpoint wants; the same request if its credential is already in a header.
   * @returns a promise only for a signature, or while there is no token
   */
  authorize(
    request: HttpRequest,
    style: AuthStyle,
    credential: string | null,
  ): HttpRequest | Promise<HttpRequest | TokenError> {
    if (credential === null || !isMinted(style)) {
      return request;
    }
    if (style === "aws_sigv4") {
      return signForAws(request, credential).then((headers) => withHeaders(request, headers), toTokenError);
    }
    const token = this.#tokens.get(credential, () => mints[style](this.#deps, credential));
    return typeof token === "string"
      ? withToken(request, token)
      : token.then((minted) => withToken(request, minted), toTokenError);
  }

  /** A token that a provider refuses is not used again. */
  noteStatus(status: number, credential: string | null): void {
    if (status === unauthorized && credential !== null) {
      this.#tokens.forget(credential);
    }
  }
}

function toTokenError(error: unknown): TokenError {
  if (error instanceof TokenError) {
    return error;
  }
  throw error;
}

function withToken(request: HttpRequest, token: string): HttpRequest {
  return withHeaders(request, [["authorization", `Bearer ${token}`]]);
}

function withHeaders(request: HttpRequest, headers: readonly HttpHeader[]): HttpRequest {
  return { ...request, headers: [...request.headers, ...headers], headMemo: null };
}
