import { deprecationHeader, limitHeaderNames, sunsetHeader } from "@sluice/contracts/notice-headers";
import { tagsHeader } from "@sluice/contracts/usage-labels";
import { exitNodeHeader } from "@sluice/exit-protocol/headers";
import {
  type HttpClient,
  HttpClientError,
  type HttpHeader,
  type HttpLimits,
  type HttpRequest,
  type HttpResponse,
  type HttpResponseBody,
} from "@sluice/http-client/model";
import { viewOf } from "@sluice/http-client/packet-part";
import { noUnits } from "../../models/units.ts";
import type { CaptureAllowance } from "../../platform/answer-capture.ts";
import type { AnswerStream } from "../../platform/answer-stream.ts";
import { AppError, toAppError } from "../../platform/errors.ts";
import { helpHeader, isHelp } from "../../platform/help-link.ts";
import type { BodyRoom, BodyShare } from "../body-room.ts";
import { keepPiece, newCallState, toReport } from "../call-state.ts";
import {
  droppedHeader,
  droppedMoreHeader,
  messagesDroppedHeader,
  messagesDroppedMoreHeader,
  strictHeader,
} from "../dropped-headers.ts";
import type { CallHeaders, CallReport, CallState, GatewayCall, GatewayResponse } from "../model.ts";
import { findOperation, isPlainPath } from "../operations/table.ts";
import type { AnswerReceiver, GatewayPort } from "../port.ts";
import { answerHeaders, headerOf, modelUsedHeader } from "../respond/compose-answer.ts";
import { errorEventTo, writeErrorTo } from "../respond/write-error.ts";
import { cacheHeader, cacheLifetimeHeader } from "../response-cache/read-wish.ts";
import { withKeyInHeader } from "./key-in-header.ts";
import {
  begunHeader,
  clientAddressHeader,
  decodeReport,
  encodeTraits,
  reportFollows,
  reportHeader,
  requestIdHeader,
  signatureHeader,
  signCall,
  traitsHeader,
} from "./link.ts";
import { LinkedStream, type LinkedStreamOwner } from "./linked-stream.ts";

export type RemoteGatewayDeps = {
  readonly client: HttpClient;
  readonly address: {
    readonly protocol: "http:" | "https:";
    readonly hostname: string;
    readonly port: number;
    readonly basePath: string;
  };
  readonly linkKey: Uint8Array;
  readonly limits: HttpLimits;
  readonly captures: CaptureAllowance;
  readonly bodyRoom: BodyRoom;
  readonly streamStallTimeoutMs: number;
  readonly tick: () => number;
};

const answerBytesMax = 64 * 1024 * 1024;
const smallBodyBytesMax = 65_536;
/** The client headers that the gateway gets; which of them it passes on to a provider is its own decision. */
const sentHeaders = [
  "authorization",
  "x-api-key",
  "x-goog-api-key",
  "content-type",
  "content-encoding",
  "accept",
  "openai-beta",
  "anthropic-version",
  "anthropic-beta",
  "idempotency-key",
  "user-agent",
  "x-sluice-fallback",
  strictHeader,
  "x-sluice-hops",
  tagsHeader,
  ...["cache-control", cacheHeader, cacheLifetimeHeader],
];
const passedHeaders = [
  "retry-after",
  "retry-after-ms",
  "allow",
  "x-should-retry",
  "request-id",
  droppedHeader,
  droppedMoreHeader,
  modelUsedHeader,
  messagesDroppedHeader,
  messagesDroppedMoreHeader,
  exitNodeHeader,
  ...["age", cacheHeader],
  ...limitHeaderNames,
  ...[deprecationHeader, sunsetHeader],
];

/** The caller, if the gateway was asked about the key before it got the call. */
type Caller = { known: Partial<CallReport> | null };

/** A gateway in another process, or any gateway with the same API. Calls are sent there unchanged. */
export class RemoteGateway implements GatewayPort {
  readonly #deps: RemoteGatewayDeps;

  constructor(deps: RemoteGatewayDeps) {
    this.#deps = deps;
  }

  answer(call: GatewayCall, receiver: AnswerReceiver): void {
    void this.handle(call).then((answer) => receiver.onAnswer(answer));
  }

  async handle(asked: GatewayCall): Promise<GatewayResponse> {
    const call = withKeyInHeader(asked);
    const state = newCallState(call, this.#deps.captures);
    const caller: Caller = { known: null };
    try {
      // The gateway process has other endpoints, such as its metrics, which the relay must not expose.
      if (!isPlainPath(call.path)) {
        throw new AppError("not_found");
      }
      return await this.#send(state, caller);
    } catch (thrown) {
      const error = thrown instanceof HttpClientError ? toLinkError(thrown) : toAppError(thrown);
      const answer = writeErrorTo(state, error);
      keepPiece(state, answer.body as Uint8Array);
      this.#report(state, caller.known, { status: error.status === 499 ? 499 : answer.status, code: error.code });
      return answer;
    }
  }

  async #send(state: CallState, caller: Caller): Promise<GatewayResponse> {
    const { call } = state;
    const hasBody = call.method !== "GET" && call.method !== "HEAD";
    const isKeyFirst = hasBody && !hasSmallBody(call.headers);
    const refusal = isKeyFirst ? await this.#refuseKey(state, caller) : null;
    if (refusal !== null) {
      return refusal;
    }
    let body: Uint8Array | null = null;
    try {
      body = hasBody ? viewOf(await call.readBody(this.#takeRoom(state, caller))) : null;
    } catch (thrown) {
      // Problems with a body are only reported to callers with a valid key.
      const answer = isKeyFirst ? null : await this.#refuseKey(state, caller);
      if (answer !== null) {
        return answer;
      }
      throw thrown;
    }
    const target = `${call.path}${call.query}`;
    const response = await this.#request(call, { method: call.method, target, body });
    const isEvents = headerOf(response, "content-type")?.startsWith("text/event-stream") === true;
    const known = headerOf(response, reportHeader);
    if (isEvents && (known === null || known === reportFollows)) {
      state.isStream = true;
      const stream = this.#stream(state, response.body, { isReportAnnounced: known !== null, begun: null });
      return { status: response.status, headers: passHeaders(response), body: stream };
    }
    const begun = headerOf(response, begunHeader);
    if (begun !== null) {
      const stream = this.#stream(state, response.body, { isReportAnnounced: false, begun: decodeReport(begun) ?? {} });
      return { status: response.status, headers: passHeaders(response), body: stream };
    }
    return await this.#collect(state, response);
  }

  /** The body's share of this process's memory; its owner is known if the key was checked first. */
  #takeRoom(state: CallState, { known }: Caller): BodyShare {
    const share = this.#deps.bodyRoom.share(known?.gatewayUserId ?? null);
    state.bodyShare = share;
    return share;
  }

  /** Asks the gateway to check only the key; null when it is valid. */
  async #refuseKey(state: CallState, caller: Caller): Promise<GatewayResponse | null> {
    const models = await this.#request(state.call, { method: "GET", target: "/v1/models", body: null });
    if (models.status >= 400) {
      return await this.#collect(state, models);
    }
    const header = headerOf(models, reportHeader);
    const report = header === null ? null : decodeReport(header);
    if (report !== null) {
      const { userId, gatewayUserId, apiKeyId, isPayloadTraced } = report;
      caller.known = { userId, gatewayUserId, apiKeyId, isPayloadTraced };
    }
    await models.body.bytes(answerBytesMax);
    return null;
  }

  #request(call: GatewayCall, request: Pick<HttpRequest, "method" | "target" | "body">): Promise<HttpResponse> {
    const { client, address, limits } = this.#deps;
    const { protocol, hostname, port, basePath } = address;
    const target = `${basePath}${request.target}`;
    const headers = this.#headers(call);
    return client.send({ ...request, protocol, hostname, port, target, headers, signal: call.signal, limits });
  }

  async #collect(state: CallState, response: HttpResponse): Promise<GatewayResponse> {
    const known = headerOf(response, reportHeader);
    const body = await response.body.bytes(answerBytesMax);
    keepPiece(state, body);
    this.#report(state, known === null ? null : decodeReport(known), { status: response.status, code: null });
    return { status: response.status, headers: passHeaders(response), body };
  }

  #stream(
    state: CallState,
    body: HttpResponseBody,
    { isReportAnnounced, begun }: { isReportAnnounced: boolean; begun: Partial<CallReport> | null },
  ): AnswerStream {
    return LinkedStream.open(body, {
      isReportAnnounced,
      isRaw: begun !== null,
      errorEvent: (error) => errorEventTo(state, error, findOperation(state.call.path).stream),
      stallTimeoutMs: this.#deps.streamStallTimeoutMs,
      onSent: (piece) => {
        state.firstByteMs ??= Math.round(this.#deps.tick() - state.call.startedTick);
        keepPiece(state, piece);
      },
      onEnd: (report, ending) => {
        const seen = seenEndings[ending];
        if (begun === null) {
          this.#report(state, report === null ? null : decodeReport(report), seen);
        } else {
          // The early report named the caller, but only this process saw how the call ended.
          const { outcome: _outcome, httpStatus: _status, errorCode: _code, firstByteMs: _first, ...known } = begun;
          this.#report(state, known, seen);
        }
      },
    });
  }

  #headers(call: GatewayCall): HttpHeader[] {
    const headers: HttpHeader[] = [];
    for (const name of sentHeaders) {
      const value = call.headers.get(name);
      if (value !== null) {
        headers.push([name, value]);
      }
    }
    const traits = call.traits?.() ?? null;
    const encodedTraits = traits === null ? null : encodeTraits(traits);
    const { requestId, clientIp } = call;
    const signature = signCall(this.#deps.linkKey, { requestId, clientIp, headers: call.headers, encodedTraits });
    headers.push([requestIdHeader, call.requestId], [clientAddressHeader, call.clientIp], [signatureHeader, signature]);
    if (encodedTraits !== null) {
      headers.push([traitsHeader, encodedTraits]);
    }
    return headers;
  }

  /** The gateway's report about the call; for a gateway without reports, only what could be observed here. */
  #report(state: CallState, reported: Partial<CallReport> | null, seen: SeenEnding): void {
    state.bodyShare?.end();
    const isGood = seen.status < 400 && seen.code === null;
    const end = {
      outcome: isGood ? "completed" : seen.status === 499 ? "aborted" : "failed",
      httpStatus: seen.status,
    } as const;
    const durationMs = Math.round(this.#deps.tick() - state.call.startedTick);
    const own = toReport(state, { ...end, errorCode: seen.code }, noUnits, durationMs);
    const { responsePieces, responseBytes, firstByteMs } = own;
    state.call.onReport({
      ...own,
      ...reported,
      responsePieces,
      responseBytes,
      durationMs,
      firstByteMs: reported?.firstByteMs ?? firstByteMs,
    });
  }
}

function passHeaders(response: HttpResponse): Record<string, string> {
  const headers = answerHeaders(response, null);
  for (const name of passedHeaders) {
    const value = headerOf(response, name);
    if (value !== null) {
      headers[name] = value;
    }
  }
  const help = headerOf(response, helpHeader);
  if (help !== null && isHelp(help)) {
    headers[helpHeader] = help;
  }
  return headers;
}

/**
 * Whether the body may be read before the key is checked. A longer one is only accepted from a caller with a valid key,
 * so that strangers can't fill the memory of the relay.
 */
function hasSmallBody(headers: CallHeaders): boolean {
  const declared = headers.get("content-length");
  return declared !== null && Number(declared) <= smallBodyBytesMax && headers.get("expect") === null;
}
type SeenEnding = { readonly status: number; readonly code: string | null };

/** How a stream ended as observed here, if there was no report. */
const seenEndings: Record<Parameters<LinkedStreamOwner["onEnd"]>[1], SeenEnding> = {
  closed: { status: 200, code: null },
  broken: { status: 200, code: "stream_interrupted" },
  aborted: { status: 499, code: "client_closed_request" },
};

/** The meaning of a failed connection to the gateway. */
export function toLinkError(error: HttpClientError): AppError {
  if (error.kind === "aborted") {
    return new AppError("client_closed_request", { cause: error });
  }
  if (error.kind === "reset_in_body") {
    return new AppError("stream_interrupted", { cause: error });
  }
  return new AppError(error.kind.endsWith("_timeout") ? "upstream_timeout" : "temporarily_unavailable", {
    cause: error,
    retryAfterSeconds: 2,
  });
}
