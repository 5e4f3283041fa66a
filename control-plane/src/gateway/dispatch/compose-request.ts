import type { Dialect } from "@sluice/contracts/upstreams";
import { accountHeader } from "@sluice/exit-protocol/headers";
import { HeadMemo, type HttpHeader, type HttpLimits, type HttpRequest } from "@sluice/http-client/model";
import { sha256Hex } from "../../platform/crypto/digest.ts";
import { AppError } from "../../platform/errors.ts";
import type { Channel, Endpoint, RequestChanges } from "../channels/model.ts";
import type { GatewayCall, ParsedRequest } from "../model.ts";
import type { Operation } from "../operations/model.ts";
import { credentialHeader } from "../upstreams/credential-header.ts";
import { betasHeader, messagesHeaders, versionHeader } from "../upstreams/messages-headers.ts";

/**
 * A feature switch of the OpenAI API that a client may send. No other header is forwarded, except those of the Messages
 * API and the idempotency key.
 */
const betaHeader = "openai-beta";
const betaPattern = /^[A-Za-z0-9=_.,; -]{1,200}$/;
const idempotencyHeader = "idempotency-key";

/** Carries the marks of the gateways that a request has passed, so that a loop is detected. */
export const hopHeader = "x-sluice-hops";
const hopPattern = /^[0-9a-f]{16}$/;
/** The last marks reveal a loop; a longer list would not help with a longer path. */
const hopsMax = 32;

/** Whether a request has already passed the gateway with this mark. */
export function hasPassed(hops: string | null, mark: string): boolean {
  return hops?.includes(mark) === true;
}

/** Appends a mark. Anything in a client's header that is not a mark is dropped. */
export function withHop(hops: string | null, mark: string): string {
  if (hops === null) {
    return mark;
  }
  const marks = hops.split(",").map((part) => part.trim());
  return [...marks.filter((part) => hopPattern.test(part)).slice(-hopsMax), mark].join(",");
}

/**
 * The query parameters that are forwarded, each once and without anything unusual. A provider's address may have
 * others, such as a version or a deployment, and those are the operator's choice.
 */
const queryNames: ReadonlySet<string> = new Set("after before include include[] limit order purpose".split(" "));
const queryLengthMax = 1_024;

/**
 * @throws AppError `invalid_parameter` for a query longer than any sensible one, and for a stream of the Gemini API that is
 * not asked for as events
 */
export function checkQuery(query: string, { streams }: Pick<Operation, "streams">): void {
  if (streams === "always" && new URLSearchParams(query).get("alt") !== "sse") {
    throw new AppError("invalid_parameter", {
      message: "Ask for the stream as events, with '?alt=sse'.",
      param: "alt",
    });
  }
  if (query.length > queryLengthMax) {
    throw new AppError("invalid_parameter", { message: `The query is longer than ${queryLengthMax} characters.` });
  }
}

/**
 * The response types of the operation. A client that could ask for something else could make a channel fail.
 */
export function acceptOf({ answers }: Pick<Operation, "answers">): string {
  return answers === "json" ? "application/json, text/event-stream" : "*/*";
}

/** What an attempt adds to the call. */
export type RequestOptions = {
  /** The dialect of the request as it is sent. */
  readonly dialect: Dialect;
  /** The address of the channel in the dialect of the request. */
  readonly endpoint: Endpoint;
  /** Null if the channel needs none. */
  readonly credential: string | null;
  /** What follows the base path of the address. */
  readonly path: string;
  /** The marks of the gateways that the request has passed, ending with this one's. */
  readonly hops: string;
  readonly limits: HttpLimits;
  /** Null omits the header. */
  readonly accept: string | null;
  /** The account that an exit node should use. */
  readonly exitAccount?: string | null;
  /** Replaces the allowed part of the client's query; null keeps that. */
  readonly query: string | null;
};

/**
 * The request as sent to a channel: the client's method and body, the allowed part of its query, the channel's
 * credential, and the channel's own parameters and headers.
 */
export function composeRequest(
  call: GatewayCall,
  request: ParsedRequest,
  channel: Channel,
  options: RequestOptions,
): HttpRequest {
  const { endpoint, limits } = options;
  const start = startFor(call, request, channel, options);
  const hasBody = call.method !== "GET" && call.method !== "HEAD";
  const composed: HttpRequest = {
    protocol: endpoint.protocol,
    hostname: endpoint.hostname,
    port: endpoint.port,
    method: call.method,
    target: start.target,
    headers: start.headers,
    headMemo: start.headMemo,
    body: hasBody ? request.body : null,
    signal: call.signal,
    limits,
  };
  return channel.pinnedAddress === null ? composed : { ...composed, address: channel.pinnedAddress };
}

/** What decides about the headers of a request to a channel, and is the client's. */
type ClientsOwn = Pick<ParsedRequest, "contentType"> & {
  readonly beta: string | null;
  readonly idempotencyKey: string | null;
  /** Of the Messages API. */
  readonly version: string | null;
  readonly betas: string | null;
};

/** How a request begins, whatever its body. */
type RequestStart = {
  readonly target: string;
  readonly headers: readonly HttpHeader[];
  readonly headMemo: HeadMemo | null;
};
type KnownStart = RequestStart & {
  readonly own: ClientsOwn;
  readonly of: Pick<RequestOptions, "endpoint" | "credential" | "accept" | "hops" | "dialect">;
  /** Of the path and the query of the last request. */
  target: string;
  path: string;
  query: string;
};

/** The beginning of the last request to each channel: nearly all of its requests have the same. */
const knownStarts = new WeakMap<Channel, KnownStart>();

function startFor(
  call: GatewayCall,
  { contentType }: ParsedRequest,
  channel: Channel,
  options: RequestOptions,
): RequestStart {
  const query = options.query ?? keepQuery(call.query);
  const isKnown = (options.exitAccount ?? null) === null && call.headers.get(idempotencyHeader) === null;
  const known = isKnown ? knownStarts.get(channel) : undefined;
  const { endpoint, credential, accept, hops, dialect, path } = options;
  if (known !== undefined && isSameClient(known, call, contentType) && isSameAttempt(known.of, options)) {
    if (known.path !== path || known.query !== query) {
      known.path = path;
      known.query = query;
      known.target = targetOf(path, query, endpoint, channel);
    }
    return known;
  }
  const own = ownOf(call, contentType, dialect);
  const headers = makeHeaders(call, own, channel, options);
  const target = targetOf(path, query, endpoint, channel);
  if (!isKnown) {
    return { target, headers, headMemo: null };
  }
  const of = { endpoint, credential, accept, hops, dialect };
  const made = { target, headers, headMemo: new HeadMemo(), own, of, path, query };
  knownStarts.set(channel, made);
  return made;
}

function targetOf(path: string, query: string, { basePath }: Endpoint, { changes }: Channel): string {
  return `${basePath}${path}${joinQuery(query, changes)}`;
}

function ownOf({ headers }: GatewayCall, contentType: string | null, dialect: Dialect): ClientsOwn {
  const isMessages = dialect === "messages";
  return {
    contentType,
    beta: headers.get(betaHeader),
    idempotencyKey: headers.get(idempotencyHeader),
    version: isMessages ? headers.get(versionHeader) : null,
    betas: isMessages ? headers.get(betasHeader) : null,
  };
}

function isSameClient({ own, of }: KnownStart, { headers }: GatewayCall, contentType: string | null): boolean {
  return (
    own.contentType === contentType &&
    own.beta === headers.get(betaHeader) &&
    (of.dialect !== "messages" ||
      (own.version === headers.get(versionHeader) && own.betas === headers.get(betasHeader)))
  );
}

function isSameAttempt(one: KnownStart["of"], other: RequestOptions): boolean {
  return (
    one.endpoint === other.endpoint &&
    one.credential === other.credential &&
    one.hops === other.hops &&
    one.accept === other.accept &&
    one.dialect === other.dialect
  );
}

function makeHeaders(
  call: GatewayCall,
  { beta, idempotencyKey, contentType }: ClientsOwn,
  channel: Channel,
  { endpoint, exitAccount, accept, dialect, hops, credential: secret }: RequestOptions,
): HttpHeader[] {
  const headers: HttpHeader[] = [];
  if (contentType !== null) {
    headers.push(["content-type", contentType]);
  }
  const credential = credentialHeader(endpoint.auth, secret);
  if (credential !== null) {
    headers.push(credential);
  }
  if (exitAccount !== undefined && exitAccount !== null) {
    headers.push([accountHeader, exitAccount]);
  }
  if (accept !== null) {
    headers.push(["accept", accept]);
  }
  if (dialect === "messages") {
    headers.push(...messagesHeaders(call.headers, channel.flags));
  } else if (beta !== null && betaPattern.test(beta)) {
    headers.push([betaHeader, beta]);
  }
  if (idempotencyKey !== null) {
    headers.push([idempotencyHeader, ownIdempotencyKey(call, idempotencyKey)]);
  }
  // The gateway inspects the response, so it must not be compressed.
  headers.push(plainEncoding, ownName, [hopHeader, hops]);
  return changeHeaders(headers, channel.changes);
}

const plainEncoding: HttpHeader = ["accept-encoding", "identity"];
const ownName: HttpHeader = ["user-agent", "sluice"];

function joinQuery(query: string, { query: added }: RequestChanges): string {
  return added === "" ? query : `${query}${query === "" ? "?" : "&"}${added}`;
}

function changeHeaders(headers: HttpHeader[], { headersSet, headersRemoved }: RequestChanges): HttpHeader[] {
  if (headersSet.length === 0 && headersRemoved.size === 0) {
    return headers;
  }
  const set = new Map(headersSet);
  return [...headers.filter(([name]) => !headersRemoved.has(name) && !set.has(name)), ...set];
}

/** The allowed part of a query, re-encoded. */
function keepQuery(query: string): string {
  if (query === "") {
    return "";
  }
  const kept = [...new URLSearchParams(query)].filter(([name]) => queryNames.has(name));
  return kept.length === 0 ? "" : `?${new URLSearchParams(kept).toString()}`;
}

/**
 * Many customers share one credential at a provider. Two who choose the same key must not get each other's response, so
 * each key is mixed with the API key it came with.
 */
function ownIdempotencyKey(call: GatewayCall, idempotencyKey: string): string {
  const { headers, query } = call;
  // One of them is the key; the others may be there and empty.
  const sent = ["authorization", "x-api-key", "x-goog-api-key"].map((name) => headers.get(name) ?? "");
  const asked = query === "" ? "" : (new URLSearchParams(query).get("key") ?? "");
  return sha256Hex([...sent, asked, idempotencyKey].join("\n"));
}
