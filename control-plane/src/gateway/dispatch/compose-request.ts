import { accountHeader } from "@sluice/exit-protocol/headers";
import { sha256Hex } from "../../platform/crypto/digest.ts";
import type { HttpHeader, HttpLimits, HttpRequest } from "../../platform/http-client/model.ts";
import type { Channel } from "../channels/model.ts";
import type { GatewayCall, ParsedRequest } from "../model.ts";

/** The only headers of a client that go on to a provider; everything else could name the client or steer the way. */
const forwardedHeaders = ["accept", "openai-beta"];
const idempotencyHeader = "idempotency-key";

/** Carries the marks of the gateways that a request has passed, so that a loop is noticed. */
export const hopHeader = "x-sluice-hops";

/**
 * The request as it goes to a channel: the client's method, path, query and body, the channel's credential.
 * `hops` is the mark of this gateway, appended to those the request came with; `exitAccount` names the account that an
 * exit node is to use.
 */
export function composeRequest(
  call: GatewayCall,
  request: ParsedRequest,
  channel: Channel,
  options: { hops: string; limits: HttpLimits; signal: AbortSignal; exitAccount?: string | null },
): HttpRequest {
  const headers: HttpHeader[] = [];
  if (request.contentType !== null) {
    headers.push(["content-type", request.contentType]);
  }
  if (channel.credential !== null) {
    headers.push(["authorization", `Bearer ${channel.credential}`]);
  }
  if (options.exitAccount !== undefined && options.exitAccount !== null) {
    headers.push([accountHeader, options.exitAccount]);
  }
  for (const name of forwardedHeaders) {
    const value = call.headers.get(name);
    if (value !== null) {
      headers.push([name, value]);
    }
  }
  const idempotencyKey = call.headers.get(idempotencyHeader);
  if (idempotencyKey !== null) {
    headers.push([idempotencyHeader, ownIdempotencyKey(call, idempotencyKey)]);
  }
  // The answer is looked into on its way, so it must come as it is.
  headers.push(["accept-encoding", "identity"], ["user-agent", "sluice"], [hopHeader, options.hops]);
  const hasBody = call.method !== "GET" && call.method !== "HEAD";
  const composed: HttpRequest = {
    protocol: channel.protocol,
    hostname: channel.hostname,
    port: channel.port,
    method: call.method,
    target: `${channel.basePath}${call.path.slice("/v1".length)}${call.query}`,
    headers,
    body: hasBody ? request.body : null,
    signal: options.signal,
    limits: options.limits,
  };
  return channel.pinnedAddress === null ? composed : { ...composed, address: channel.pinnedAddress };
}

/**
 * Many customers share one credential of a provider. Two who choose the same key must not get each other's answer, so
 * each one's is mixed with the API key that it came with.
 */
function ownIdempotencyKey(call: GatewayCall, idempotencyKey: string): string {
  const apiKey = call.headers.get("authorization") ?? call.headers.get("x-api-key") ?? "";
  return sha256Hex(`${apiKey}\n${idempotencyKey}`);
}
