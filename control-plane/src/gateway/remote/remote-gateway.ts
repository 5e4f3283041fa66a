import { AppError, toAppError } from "../../platform/errors.ts";
import {
  type HttpClient,
  HttpClientError,
  type HttpHeader,
  type HttpLimits,
} from "../../platform/http-client/model.ts";
import { keepPiece, newCallState, toReport } from "../call-state.ts";
import type { CallReport, CallState, GatewayAnswer, GatewayCall } from "../model.ts";
import type { GatewayPort } from "../port.ts";
import { answerHeaders, headerOf } from "../respond/compose-answer.ts";
import { writeError } from "../respond/write-error.ts";
import { clientAddressHeader, decodeReport, reportHeader, requestIdHeader, signatureHeader, signCall } from "./link.ts";
import { LinkedStream } from "./linked-stream.ts";

export type RemoteGatewayParts = {
  readonly client: HttpClient;
  readonly address: {
    readonly protocol: "http:" | "https:";
    readonly hostname: string;
    readonly port: number;
    readonly basePath: string;
  };
  readonly linkKey: Uint8Array;
  readonly limits: HttpLimits;
  readonly tick: () => number;
};

const answerBytesMax = 64 * 1024 * 1024;
/** What of a client's request the gateway gets to see; what it passes on to a provider is its own decision. */
const sentHeaders = [
  "authorization",
  "x-api-key",
  "content-type",
  "content-encoding",
  "accept",
  "openai-beta",
  "idempotency-key",
  "user-agent",
  "x-sluice-hops",
];
const passedHeaders = ["retry-after", "allow"];

/** A gateway in another process, or any gateway that speaks the same API: the call goes there unchanged. */
export class RemoteGateway implements GatewayPort {
  readonly #parts: RemoteGatewayParts;

  constructor(parts: RemoteGatewayParts) {
    this.#parts = parts;
  }

  async handle(call: GatewayCall): Promise<GatewayAnswer> {
    const state = newCallState(call);
    try {
      return await this.#send(state);
    } catch (thrown) {
      const error = thrown instanceof HttpClientError ? toLinkError(thrown) : toAppError(thrown);
      const answer = writeError(error);
      keepPiece(state, answer.body as Uint8Array);
      this.#report(state, null, { status: error.status, code: error.code });
      return answer;
    }
  }

  async #send(state: CallState): Promise<GatewayAnswer> {
    const { call } = state;
    const { client, address, limits } = this.#parts;
    const hasBody = call.method !== "GET" && call.method !== "HEAD";
    const { protocol, hostname, port, basePath } = address;
    const response = await client.send({
      protocol,
      hostname,
      port,
      method: call.method,
      target: `${basePath}${call.path}${call.query}`,
      headers: this.#headers(call),
      body: hasBody ? await call.readBody() : null,
      signal: call.signal,
      limits,
    });
    const headers = answerHeaders(response);
    for (const name of passedHeaders) {
      const value = headerOf(response, name);
      if (value !== null) {
        headers[name] = value;
      }
    }
    const known = headerOf(response, reportHeader);
    if (known === null && headers["content-type"]?.startsWith("text/event-stream") === true) {
      state.isStream = true;
      return { status: response.status, headers, body: this.#stream(state, response.body) };
    }
    const bytes = await response.body.bytes(answerBytesMax);
    keepPiece(state, bytes);
    this.#report(state, known === null ? null : decodeReport(known), { status: response.status, code: null });
    return { status: response.status, headers, body: bytes };
  }

  #stream(state: CallState, body: Parameters<typeof LinkedStream.open>[0]): ReadableStream<Uint8Array> {
    return LinkedStream.open(body, {
      onSent: (piece) => {
        state.firstByteMs ??= Math.round(this.#parts.tick() - state.call.startedTick);
        keepPiece(state, piece);
      },
      onEnd: (report, isAborted) => {
        const decoded = report === null ? null : decodeReport(report);
        this.#report(
          state,
          decoded,
          isAborted ? { status: 499, code: "client_closed_request" } : { status: 200, code: null },
        );
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
    headers.push(
      [requestIdHeader, call.requestId],
      [clientAddressHeader, call.clientIp],
      [signatureHeader, signCall(this.#parts.linkKey, call.requestId, call.clientIp)],
    );
    return headers;
  }

  /** What the gateway said of the call; of a gateway that says nothing, only what could be seen from here. */
  #report(state: CallState, said: Partial<CallReport> | null, seen: { status: number; code: string | null }): void {
    const isGood = seen.status < 400;
    const end = {
      outcome: isGood ? "completed" : seen.status === 499 ? "aborted" : "failed",
      httpStatus: seen.status,
    } as const;
    const durationMs = Math.round(this.#parts.tick() - state.call.startedTick);
    const own = toReport(state, { ...end, errorCode: seen.code, inputTokens: 0n, outputTokens: 0n }, durationMs);
    const { responsePieces, responseBytes, firstByteMs } = own;
    state.call.onReport({
      ...own,
      ...said,
      responsePieces,
      responseBytes,
      durationMs,
      firstByteMs: said?.firstByteMs ?? firstByteMs,
    });
  }
}

function toLinkError(error: HttpClientError): AppError {
  if (error.kind === "aborted") {
    return new AppError("client_closed_request", { cause: error });
  }
  return new AppError(error.kind.endsWith("_timeout") ? "upstream_timeout" : "temporarily_unavailable", {
    cause: error,
    retryAfterSeconds: 2,
  });
}
