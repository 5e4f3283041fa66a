import { type HttpClient, HttpClientError } from "@sluice/http-client/model";
import { z } from "zod";
import { parseBaseUrl } from "../channels/model.ts";
import type { MintedToken } from "./token-cache.ts";
import { TokenError } from "./token-error.ts";

export type TokenDeps = { readonly client: HttpClient; readonly nowMs: () => number };

const limits = {
  connectTimeoutMs: 5_000,
  firstByteTimeoutMs: 10_000,
  idleTimeoutMs: 10_000,
  totalTimeoutMs: 15_000,
  responseBytesMax: 65_536,
};
const answer = z.object({ access_token: z.string().regex(/^[\x21-\x7e]{1,16384}$/), expires_in: z.coerce.number() });
/** No token is trusted for longer, whatever its endpoint says. */
const lifetimeSecondsMax = 86_400;

/**
 * Requests a token from an OAuth endpoint.
 * @param form the fields of the request
 * @throws TokenError
 */
export async function requestToken(
  { client, nowMs }: TokenDeps,
  url: string,
  form: Readonly<Record<string, string>>,
): Promise<MintedToken> {
  const { basePath, ...server } = parseBaseUrl(url);
  let status: number;
  let body: Uint8Array;
  try {
    const response = await client.send({
      ...server,
      method: "POST",
      target: basePath === "" ? "/" : basePath,
      headers: [
        ["content-type", "application/x-www-form-urlencoded"],
        ["accept", "application/json"],
        ["accept-encoding", "identity"],
        ["user-agent", "sluice"],
      ],
      body: Buffer.from(new URLSearchParams(form).toString()),
      signal: AbortSignal.timeout(limits.totalTimeoutMs),
      limits,
    });
    ({ status } = response);
    body = await response.body.bytes(limits.responseBytesMax);
  } catch (error) {
    if (error instanceof HttpClientError) {
      throw new TokenError(`the token endpoint failed: ${error.kind}`, false, error);
    }
    throw error;
  }
  return readToken(status, body, nowMs());
}

function readToken(status: number, body: Uint8Array, nowMs: number): MintedToken {
  if (status !== 200) {
    throw new TokenError(`the token endpoint answered with status ${status}`, status >= 400 && status < 500);
  }
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body).toString("utf8"));
  } catch (error) {
    throw new TokenError("the token endpoint answered with no JSON", false, error);
  }
  const parsed = answer.safeParse(value);
  if (!parsed.success || !(parsed.data.expires_in > 0)) {
    throw new TokenError("the token endpoint answered without a token", false);
  }
  const { access_token: token, expires_in: seconds } = parsed.data;
  return { token, expiresAtMs: nowMs + Math.min(seconds, lifetimeSecondsMax) * 1000 };
}
