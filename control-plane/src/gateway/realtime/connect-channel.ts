import type { ChannelId } from "@sluice/contracts/ids";
import { AppError } from "../../platform/errors.ts";
import { HttpClientError, type HttpResponseBody } from "../../platform/http-client/model.ts";
import type { ClientWebSocket, WebSocketClient, WebSocketRefusal } from "../../platform/websocket/model.ts";
import type { ChannelUse } from "../channels/channel-load.ts";
import type { Ability, Channel } from "../channels/model.ts";
import { chooseChannel } from "../dispatch/choose-channel.ts";
import { composeRequest, hopHeader } from "../dispatch/compose-request.ts";
import { mayRetry } from "../dispatch/retry-policy.ts";
import type { AttemptFailure } from "../model.ts";
import type { PipelineParts } from "../pipeline-parts.ts";
import { classifyClientError, classifyStatus, malformedAnswer } from "../respond/classify-status.ts";
import { readRefusal } from "../respond/read-upstream-error.ts";
import { toAttemptError } from "../respond/translate-ending.ts";
import type { Attempt } from "../usage-log/model.ts";
import type { Handshake } from "./handshake.ts";
import { frameBytesMax, type RealtimeLimits } from "./limits.ts";
import type { SessionCall } from "./session-books.ts";

export type ConnectParts = Pick<
  PipelineParts,
  "loads" | "catalog" | "clock" | "random" | "observer" | "log" | "hopMark" | "upstreamLimits"
> & { readonly sockets: WebSocketClient; readonly realtimeLimits: RealtimeLimits };

export type ConnectedChannel = { readonly use: ChannelUse; readonly upstream: ClientWebSocket };

/** What a provider that switches protocols answers. */
const switchedStatus = 101;

/**
 * Tries channels until one takes the session. Nothing was said yet, so that every failed try costs nothing and leaves
 * the next one free.
 * @throws AppError as the client shall see it
 */
export async function connectChannel(
  parts: ConnectParts,
  state: SessionCall,
  handshake: Handshake,
): Promise<ConnectedChannel> {
  const { loads, catalog, clock, random } = parts;
  const serving = catalog().abilities.get(state.principal.groupName)?.get(state.model.name) ?? [];
  // Exit nodes pass no websockets on, and the socket client would go where their name leads.
  const abilities = serving.filter(({ channel }) => channel.exitNode === null);
  const tried = new Set<ChannelId>();
  for (let last: AppError | null = null; ; ) {
    const channel = chooseChannel(abilities, tried, (candidate) => loads.isOpen(candidate), random());
    if (channel === null) {
      throw last ?? noChannel(parts, abilities);
    }
    tried.add(channel.id);
    const use = loads.begin(channel);
    const answer = await openUpstream(parts, state, use, handshake);
    if (!(answer instanceof HttpClientError) && !isRefusal(answer)) {
      noteAttempt(parts, state, use, { status: switchedStatus, result: "answered" });
      loads.answered(use);
      return { use, upstream: answer };
    }
    const { failure, said } = await readFailure(answer, channel);
    noteFailure(parts, state, use, failure);
    last = toAttemptError(failure.needsCooldown ? withPause(parts, failure, abilities) : failure, said);
    if (!mayRetry(failure, tried.size, clock.tick() - state.call.startedTick)) {
      throw last;
    }
  }
}

/** A try that brought no connection counts against the channel, or not, as everywhere. */
function noteFailure(parts: ConnectParts, state: SessionCall, use: ChannelUse, failure: AttemptFailure): void {
  const { loads, log, random } = parts;
  noteAttempt(parts, state, use, failure);
  if (failure.result === "credential_refused") {
    log.error("channel.credential_refused", { requestId: state.call.requestId, channel: use.channel.name });
  }
  loads.end(use, failure.isChannelFault);
  if (failure.needsCooldown) {
    loads.coolDown(use.channel, failure.retryAfterSeconds, random);
  }
}

/** What kept a channel from taking the session, and what it said that the client may read. */
async function readFailure(
  answer: WebSocketRefusal | HttpClientError,
  channel: Channel,
): ReturnType<typeof readRefusal> {
  if (answer instanceof HttpClientError) {
    return { failure: classifyClientError(answer), said: null };
  }
  const { headers, body } = answer;
  return await readRefusal({ headers, body: wholeBody(body) }, classifyRefusal(answer), channel.credential);
}

/** A refused handshake comes with its body, of which nothing is left to wait for or to give up. */
function wholeBody(body: Uint8Array): Pick<HttpResponseBody, "bytes" | "consume" | "cancel"> {
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
  parts: ConnectParts,
  state: SessionCall,
  use: ChannelUse,
  handshake: Handshake,
): Promise<ClientWebSocket | WebSocketRefusal | HttpClientError> {
  const { call, request } = state;
  const { channel } = use;
  const { hopMark, loads, upstreamLimits, realtimeLimits } = parts;
  const before = call.headers.get(hopHeader);
  const hops = before === null ? hopMark : `${before},${hopMark}`;
  const composed = composeRequest(call, request, channel, { hops, limits: upstreamLimits, signal: call.signal });
  const { protocol, hostname, port, target, headers, signal } = composed;
  const hasBeta = headers.some(([name]) => name === "openai-beta");
  try {
    return await parts.sockets.open({
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
    loads.release(use);
    throw error;
  }
}

function isRefusal(answer: ClientWebSocket | WebSocketRefusal | HttpClientError): answer is WebSocketRefusal {
  return "status" in answer;
}

/** An answer of the 200s to a handshake is no answer: there is no such endpoint. */
function classifyRefusal({ status, headers }: WebSocketRefusal): AttemptFailure {
  const failure = classifyStatus(status, headers);
  return failure ?? { ...malformedAnswer, status };
}

/** A client that comes back when it was told to does not meet the same pause again. */
function withPause({ loads }: ConnectParts, failure: AttemptFailure, abilities: readonly Ability[]): AttemptFailure {
  const pause = loads.retryAfterSeconds(abilities.map(({ channel }) => channel));
  return { ...failure, retryAfterSeconds: Math.max(failure.retryAfterSeconds ?? 0, pause) };
}

function noChannel({ loads }: ConnectParts, abilities: readonly Ability[]): AppError {
  if (abilities.length === 0) {
    return new AppError("no_upstream", { internal: { reason: "no ability" } });
  }
  const channels = abilities.map(({ channel }) => channel);
  const code = channels.some((channel) => loads.isBusy(channel)) ? "upstream_rate_limited" : "no_upstream";
  return new AppError(code, { retryAfterSeconds: loads.retryAfterSeconds(channels) });
}

function noteAttempt(
  { clock, observer }: ConnectParts,
  state: SessionCall,
  { channel, startedTick }: ChannelUse,
  seen: Pick<Attempt, "status" | "result">,
): void {
  const attempt = {
    channelId: String(channel.id),
    channel: channel.name,
    startedAtMs: Math.round(startedTick - state.call.startedTick),
    durationMs: Math.round(clock.tick() - startedTick),
    status: seen.status,
    result: seen.result,
  };
  state.attempts.push(attempt);
  observer.onAttempt(attempt, channel.exitNode);
}
