import { dialectRoots } from "@sluice/contracts/upstreams";
import { HttpClientError, type HttpResponseBody } from "@sluice/http-client/model";
import type { ClientWebSocket, WebSocketClient, WebSocketRefusal } from "../../platform/websocket/model.ts";
import { attemptChannels, noteAttempt } from "../attempt-channels.ts";
import type { ChannelUse } from "../channels/channel-load.ts";
import type { Channel } from "../channels/model.ts";
import { composeRequest, hopHeader, withHop } from "../dispatch/compose-request.ts";
import { attemptsMax } from "../dispatch/retry-policy.ts";
import type { AttemptFailure, FailedAttempt } from "../model.ts";
import type { PipelineDeps } from "../pipeline-deps.ts";
import { classifyStatus, failedBy, failedByToken, malformedResponse } from "../respond/classify-status.ts";
import { readRefusal } from "../respond/read-upstream-error.ts";
import { TokenError } from "../upstreams/token-error.ts";
import type { Handshake } from "./handshake.ts";
import { frameBytesMax, type RealtimeLimits } from "./limits.ts";
import type { SessionCall } from "./session-books.ts";

export type ConnectDeps = Pick<
  PipelineDeps,
  | "affinities"
  | "authorizer"
  | "loads"
  | "catalog"
  | "clock"
  | "random"
  | "observer"
  | "log"
  | "hopMark"
  | "upstreamLimits"
> & { readonly sockets: WebSocketClient; readonly realtimeLimits: RealtimeLimits };

export type ConnectedChannel = { readonly use: ChannelUse; readonly upstream: ClientWebSocket };

/** Sessions belong to the OpenAI API. */
const dialect = "chat";
/** The status of a successful websocket handshake. */
const switchedStatus = 101;

/**
 * Tries channels until one accepts the session. Nothing has been sent yet, so a failed attempt costs nothing and the
 * next one is free to start over.
 * @throws AppError as the client is to see it
 */
export async function connectChannel(
  deps: ConnectDeps,
  state: SessionCall,
  handshake: Handshake,
): Promise<ConnectedChannel> {
  const serving = deps.catalog().abilities.get(state.principal.groupName)?.get(state.model.name) ?? [];
  // Exit nodes do not forward websockets, and the socket client would connect to wherever their name resolves.
  const abilities = serving.filter(({ channel }) => channel.exitNode === null && channel.endpoints.has(dialect));
  const { connectTimeoutMs } = deps.realtimeLimits;
  // No provider works on anything before the session is open.
  const rule = { attemptMs: connectTimeoutMs, callMs: connectTimeoutMs * attemptsMax, isSentRetried: true };
  const choice = { abilities, rule, dialect, conversation: null } as const;
  return await attemptChannels<ConnectedChannel>(deps, state, choice, {
    try: (attempt) => {
      const model = attempt.planned.ability.upstreamModel ?? handshake.model;
      attempt.resolve(connect(deps, state, attempt.use, { ...handshake, model }));
    },
  });
}

async function connect(
  deps: ConnectDeps,
  state: SessionCall,
  use: ChannelUse,
  handshake: Handshake,
): Promise<ConnectedChannel | FailedAttempt> {
  const answer = await openUpstream(deps, state, use, handshake);
  if (answer instanceof TokenError) {
    return failedByToken(answer);
  }
  if (answer instanceof HttpClientError || isRefusal(answer)) {
    return await readFailure(answer, use.channel);
  }
  noteAttempt(deps, state, use, { status: switchedStatus, result: "answered" });
  deps.loads.answered(use);
  return { use, upstream: answer };
}

/** A handshake contains nothing that could be quoted. */
const noRequest = new Uint8Array();

/** Why a channel did not accept the session, and the part of its message that the client may read. */
async function readFailure(answer: WebSocketRefusal | HttpClientError, channel: Channel): Promise<FailedAttempt> {
  if (answer instanceof HttpClientError) {
    return failedBy(answer);
  }
  const { headers, body } = answer;
  return await readRefusal({ headers, body: wholeBody(body) }, classifyRefusal(answer), channel, noRequest);
}

/** A refused handshake comes with its complete body: nothing to wait for or to cancel. */
function wholeBody(body: Buffer): Pick<HttpResponseBody, "bytes" | "consume" | "cancel"> {
  const nothing = (): void => undefined;
  return {
    bytes: () => Promise.resolve(body),
    consume: (sink) => {
      queueMicrotask(() => {
        sink.onChunk(body);
        sink.onEnd(true);
      });
      return { pause: nothing, resume: nothing, cancel: nothing };
    },
    cancel: nothing,
  };
}

async function openUpstream(
  deps: ConnectDeps,
  state: SessionCall,
  use: ChannelUse,
  handshake: Handshake,
): Promise<ClientWebSocket | WebSocketRefusal | HttpClientError | TokenError> {
  const { call, request } = state;
  const { channel } = use;
  const { hopMark, upstreamLimits, realtimeLimits } = deps;
  const endpoint = channel.endpoints.get(dialect);
  if (endpoint === undefined) {
    throw new Error(`channel ${channel.name} does not speak ${dialect}`);
  }
  const credential = use.credential?.secret ?? null;
  const composed = composeRequest(call, request, channel, {
    hops: withHop(call.headers.get(hopHeader), hopMark),
    limits: upstreamLimits,
    accept: null,
    dialect,
    endpoint,
    credential,
    path: call.path.slice(dialectRoots[dialect].length),
    query: `?${new URLSearchParams({ model: handshake.model }).toString()}`,
  });
  const ready = await deps.authorizer.authorize(composed, endpoint.auth, credential);
  if (ready instanceof TokenError) {
    return ready;
  }
  const { protocol, hostname, port, target, headers, signal } = ready;
  const hasBeta = headers.some(([name]) => name === "openai-beta");
  try {
    return await deps.sockets.open({
      protocol,
      hostname,
      port,
      target,
      headers: handshake.isBeta && !hasBeta ? [...headers, ["openai-beta", "realtime=v1"]] : headers,
      subprotocols: ["realtime"],
      signal,
      limits: { connectTimeoutMs: realtimeLimits.connectTimeoutMs, frameBytesMax },
    });
  } catch (error) {
    if (error instanceof HttpClientError) {
      return error;
    }
    throw error;
  }
}

function isRefusal(answer: ClientWebSocket | WebSocketRefusal | HttpClientError): answer is WebSocketRefusal {
  return "status" in answer;
}

/** A 2xx status does not answer a handshake: this endpoint does not exist. */
function classifyRefusal({ status, headers }: WebSocketRefusal): AttemptFailure {
  const failure = classifyStatus(status, headers);
  return failure ?? { ...malformedResponse, status };
}
