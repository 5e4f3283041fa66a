import { HttpClientError, type HttpHeader } from "@sluice/http-client/model";
import { noUnits } from "../../models/units.ts";
import type { Clock } from "../../platform/clock.ts";
import { AppError, toAppError } from "../../platform/errors.ts";
import { helpHeader, isHelp } from "../../platform/help-link.ts";
import type { ClientWebSocket, WebSocketClient, WebSocketRefusal } from "../../platform/websocket/model.ts";
import { keepPiece, newCallState, toBegunReport, toReport } from "../call-state.ts";
import { hopHeader } from "../dispatch/compose-request.ts";
import type { CallReport, CallState, GatewayCall } from "../model.ts";
import type { RealtimeOpening, RealtimePort } from "../port.ts";
import { type Handshake, readCredentials, readHandshake } from "../realtime/handshake.ts";
import { frameBytesMax } from "../realtime/limits.ts";
import { writeError } from "../respond/write-error.ts";
import { clientAddressHeader, decodeReport, reportHeader, requestIdHeader, signatureHeader, signCall } from "./link.ts";
import { LinkedSession } from "./linked-session.ts";
import { type RemoteGatewayDeps, toLinkError } from "./remote-gateway.ts";

export type RemoteRealtimeDeps = Pick<RemoteGatewayDeps, "address" | "linkKey" | "captures"> & {
  readonly clock: Clock;
  readonly sockets: WebSocketClient;
  readonly connectTimeoutMs: number;
  readonly drainTimeoutMs: number;
};

/** The status with which a connection becomes a websocket. */
const switchedStatus = 101;
/** The headers of a client's handshake that the gateway gets. */
const sentHeaders = ["authorization", "x-api-key"];
const plainHeaders = ["openai-beta", "user-agent", hopHeader];
const passedHeaders = new Set(["content-type", "retry-after", "allow"]);

/** Sessions of a gateway in another process: the same websocket, one hop further. */
export class RemoteRealtime implements RealtimePort {
  readonly #deps: RemoteRealtimeDeps;
  readonly #sessions = new Set<LinkedSession>();
  #isDraining = false;

  constructor(deps: RemoteRealtimeDeps) {
    this.#deps = deps;
  }

  async open(call: GatewayCall): Promise<RealtimeOpening> {
    const state = newCallState(call, this.#deps.captures);
    state.isStream = true;
    try {
      const handshake = readHandshake(call);
      if (this.#isDraining) {
        throw new AppError("shutting_down", { retryAfterSeconds: 2 });
      }
      const answer = await this.#connect(call, handshake);
      return "status" in answer ? this.#pass(state, answer) : this.#begin(state, handshake, answer);
    } catch (thrown) {
      const error = thrown instanceof HttpClientError ? toLinkError(thrown) : toAppError(thrown);
      const answer = writeError(error);
      keepPiece(state, answer.body as Uint8Array);
      this.#report(state, null, { status: error.status, code: error.code });
      return { kind: "refused", answer };
    }
  }

  beginDrain(): void {
    this.#isDraining = true;
    for (const session of [...this.#sessions]) {
      session.beginDrain(this.#deps.drainTimeoutMs);
    }
  }

  async close(): Promise<void> {
    this.#isDraining = true;
    for (const session of [...this.#sessions]) {
      session.stop();
    }
  }

  async #connect(call: GatewayCall, handshake: Handshake): Promise<ClientWebSocket | WebSocketRefusal> {
    const { address, sockets, connectTimeoutMs } = this.#deps;
    const { protocol, hostname, port, basePath } = address;
    return await sockets.open({
      protocol,
      hostname,
      port,
      target: `${basePath}${call.path}${call.query}`,
      headers: this.#headers(call),
      subprotocols: handshake.isBeta ? ["realtime", "openai-beta.realtime-v1"] : ["realtime"],
      signal: call.signal,
      // The gateway may itself take that long to find a provider, and it should be the one that reports a timeout.
      limits: { connectTimeoutMs: 2 * connectTimeoutMs, frameBytesMax },
    });
  }

  #headers(call: GatewayCall): HttpHeader[] {
    const headers: HttpHeader[] = [];
    const credentials = readCredentials(call.headers);
    for (const [from, names] of [
      [credentials, sentHeaders],
      [call.headers, plainHeaders],
    ] as const) {
      for (const name of names) {
        const value = from.get(name);
        if (value !== null) {
          headers.push([name, value]);
        }
      }
    }
    // Signs the key as the gateway gets it, which may be in another place than where the client sent it.
    const { requestId, clientIp } = call;
    const signature = signCall(this.#deps.linkKey, { requestId, clientIp, headers: credentials });
    headers.push([requestIdHeader, call.requestId], [clientAddressHeader, call.clientIp], [signatureHeader, signature]);
    return headers;
  }

  #pass(state: CallState, { status, headers, body }: WebSocketRefusal): RealtimeOpening {
    keepPiece(state, body);
    this.#report(state, reportIn(headers), { status, code: null });
    const passed = headers.filter(([name, value]) => passedHeaders.has(name) || (name === helpHeader && isHelp(value)));
    return { kind: "refused", answer: { status, headers: Object.fromEntries(passed), body } };
  }

  #begin(state: CallState, handshake: Handshake, gateway: ClientWebSocket): RealtimeOpening {
    const reported = reportIn(gateway.headers);
    const session = new LinkedSession({
      state,
      gateway,
      clock: this.#deps.clock,
      onOver: (ending) => {
        this.#sessions.delete(session);
        const { inputTokens, outputTokens, ...seen } = ending;
        this.#report(
          state,
          { ...reported, ...seen, inputTokens, outputTokens },
          { status: switchedStatus, code: ending.errorCode },
        );
      },
    });
    this.#sessions.add(session);
    const headers = handshake.subprotocol === null ? {} : { "sec-websocket-protocol": handshake.subprotocol };
    return { kind: "open", session, headers, report: { ...toBegunReport(state, switchedStatus), ...reported } };
  }

  /** The gateway's report about the session; for a gateway without reports, only what could be observed here. */
  #report(state: CallState, reported: Partial<CallReport> | null, seen: { status: number; code: string | null }): void {
    const outcome = seen.status < 400 ? "completed" : seen.status === 499 ? "aborted" : "failed";
    const end = { outcome, httpStatus: seen.status, errorCode: seen.code } as const;
    const durationMs = Math.round(this.#deps.clock.tick() - state.call.startedTick);
    const { responsePieces, responseBytes, firstByteMs, ...own } = toReport(state, end, noUnits, durationMs);
    state.call.onReport({ ...own, ...reported, responsePieces, responseBytes, firstByteMs, durationMs });
  }
}

function reportIn(headers: readonly HttpHeader[]): Partial<CallReport> | null {
  const text = headers.find(([name]) => name === reportHeader)?.[1];
  return text === undefined ? null : decodeReport(text);
}
