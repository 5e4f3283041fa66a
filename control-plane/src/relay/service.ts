import type { RequestId } from "@sluice/contracts/ids";
import type { CallReport, GatewayCall, GatewayResponse } from "../gateway/model.ts";
import type { GatewayPort, RealtimeOpening, RealtimePort } from "../gateway/port.ts";
import { type Clock, utcDay } from "../platform/clock.ts";
import { BodyReader } from "../platform/read-body.ts";
import type { PayloadOutcome } from "../trace/model.ts";
import type { TraceService } from "../trace/service.ts";
import { FrameCapture } from "./frame-capture.ts";
import type { AddressedCall, OtherAddress } from "./model.ts";
import { askWithEach, readOnce, withOwnAnswer } from "./other-address.ts";

const userAgentLengthMax = 1_024;

export type RelayDeps = {
  readonly gateway: GatewayPort;
  readonly realtime: RealtimePort;
  readonly trace: TraceService;
  readonly clock: Clock;
  readonly bodyLimits: { readonly bytesMax: number; readonly timeoutMs: number };
  /** Whether bodies are stored at all. If they are, each key can still opt out. */
  readonly keepsPayloads: () => boolean;
};

/** The body that the client sent: the part that was kept, and the total size. */
type SentBody = { readonly bytes: Uint8Array | null; readonly totalBytes: number };

type CallDetails = {
  readonly clientIp: string;
  readonly read: GatewayCall["readBody"];
  /** Called once, with the gateway's report. */
  readonly onReport: (call: GatewayCall, report: CallReport) => void;
  /** Called after `onReport` with the corrected report. */
  readonly onUnrecorded?: (call: GatewayCall, report: CallReport) => void;
};

type RelayedCall = { readonly requestId: RequestId; readonly answer: Promise<GatewayResponse> };
type IdentifiedAnswer = GatewayResponse & { requestId: RequestId };

const nothing = new Uint8Array();

const sentBody = (body: Uint8Array | null): SentBody => ({ bytes: body, totalBytes: body?.byteLength ?? 0 });

/** The number of calls in flight, for the drain. */
export type RelayLoad = { inFlight: number };

/**
 * The business relay: gives a call its id, forwards it unchanged to the gateway, and records the outcome, whatever it
 * is.
 */
export class RelayService {
  readonly load: RelayLoad = { inFlight: 0 };
  readonly #deps: RelayDeps;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
  }

  /**
   * @param target path and query exactly as on the request line
   * @param onOver called when the end of the response is about to be sent, with the total number of bytes
   */
  relay(request: Request, target: string, clientIp: string, onOver: (answerBytes: number) => void): RelayedCall {
    const reader = new BodyReader(request, this.#deps.bodyLimits);
    let payload: PayloadOutcome = "none";
    const call = this.#begin(request, target, {
      clientIp,
      read: (counter) => reader.read(counter),
      onReport: (over, report) => {
        onOver(report.responseBytes);
        payload = this.#end(over, sentBody(reader.bytes), report);
      },
      onUnrecorded: (over, report) => this.#record(over, report, payload),
    });
    return { requestId: call.requestId, answer: this.#deps.gateway.handle(call) };
  }

  /** The same for a call at another address of ours: the trace shows that address, and what came and went there. */
  async relayFrom({ request, target, clientIp, onOver }: AddressedCall, as: OtherAddress): Promise<IdentifiedAnswer> {
    const { bodyLimits, gateway } = this.#deps;
    const bytesMax = Math.min(bodyLimits.bytesMax, as.bodyBytesMax ?? bodyLimits.bytesMax);
    const reader = new BodyReader(request, { ...bodyLimits, bytesMax });
    let payload: PayloadOutcome = "none";
    let waiting: CallReport | null = null;
    const end = (report: CallReport): void => {
      onOver(report.responseBytes);
      payload = this.#end(call, sentBody(reader.bytes), report);
    };
    const call = this.#begin(request, target, {
      clientIp,
      read: readOnce(reader, as.toBody),
      onReport: (_over, report) => {
        if (as.toAnswer === undefined) {
          end(report);
        } else {
          waiting = report;
        }
      },
      onUnrecorded: (over, report) => this.#record(over, report, payload),
    });
    const { method = call.method, path, headers, traits, toAnswer } = as;
    const asked = { ...call, method, path, query: "", ...(traits === undefined ? {} : { traits }) };
    const answer = await askWithEach(gateway, asked, headers);
    const own = toAnswer?.(answer, call.requestId);
    if (own === undefined || waiting === null) {
      return { ...answer, requestId: call.requestId };
    }
    end(withOwnAnswer(waiting, own));
    return { ...own, requestId: call.requestId };
  }

  /** Opens a session over a websocket, whose content is known only at its end. */
  async openSession(
    request: Request,
    target: string,
    clientIp: string,
  ): Promise<RealtimeOpening & { requestId: RequestId }> {
    const capture = new FrameCapture();
    const call = this.#begin(request, target, {
      clientIp,
      read: () => Promise.resolve(nothing),
      onReport: (over, report) => this.#end(over, capture, report),
    });
    const opening = await this.#deps.realtime.open(call);
    const { requestId } = call;
    if (opening.kind === "refused") {
      return { ...opening, requestId };
    }
    const { session } = opening;
    return {
      ...opening,
      requestId,
      session: {
        onOpen: (socket) => session.onOpen(socket),
        onFrame: (frame) => {
          capture.add(frame);
          session.onFrame(frame);
        },
        onPong: () => session.onPong(),
        onClose: (code, reason) => session.onClose(code, reason),
      },
    };
  }

  #begin(request: Request, target: string, more: CallDetails): GatewayCall {
    const { clock } = this.#deps;
    const mark = target.indexOf("?");
    const call: GatewayCall = {
      requestId: Bun.randomUUIDv7() as RequestId,
      method: request.method,
      path: mark === -1 ? target : target.slice(0, mark),
      query: mark === -1 ? "" : target.slice(mark),
      headers: request.headers,
      clientIp: more.clientIp,
      signal: request.signal,
      startedAtMs: clock.now(),
      startedTick: clock.tick(),
      readBody: more.read,
      onReport: (report) => more.onReport(call, report),
      onUnrecorded: (report) => more.onUnrecorded?.(call, report),
    };
    this.load.inFlight += 1;
    return call;
  }

  #end(call: GatewayCall, sent: SentBody, report: CallReport): PayloadOutcome {
    this.load.inFlight -= 1;
    const payload = this.#keepPayload(call.requestId, utcDay(call.startedAtMs), sent, report);
    this.#record(call, report, payload);
    return payload;
  }

  /** A later row of the same call counts only if the earlier one was lost. */
  #record(call: GatewayCall, report: CallReport, payload: PayloadOutcome): void {
    this.#deps.trace.record({
      requestId: call.requestId,
      day: utcDay(call.startedAtMs),
      userId: report.userId,
      gatewayUserId: report.gatewayUserId,
      apiKeyId: report.apiKeyId,
      method: call.method,
      path: call.path.slice(0, 256),
      model: report.model,
      status: report.outcome,
      errorCode: report.errorCode,
      httpStatus: report.httpStatus,
      isStream: report.isStream,
      inputTokens: report.inputTokens,
      outputTokens: report.outputTokens,
      firstTokenMs: report.firstByteMs,
      durationMs: report.durationMs,
      clientIp: call.clientIp,
      userAgent: (call.headers.get("user-agent") ?? "").slice(0, userAgentLengthMax),
      payload,
      startedAtMs: call.startedAtMs,
    });
  }

  #keepPayload(requestId: RequestId, day: string, sent: SentBody, report: CallReport): PayloadOutcome {
    const { gatewayUserId, isPayloadTraced } = report;
    if (gatewayUserId === null || (sent.bytes === null && report.responseBytes === 0)) {
      return "none";
    }
    if (!isPayloadTraced || !this.#deps.keepsPayloads()) {
      return "off";
    }
    return this.#deps.trace.storePayload({
      requestId,
      day,
      gatewayUserId,
      request: sent.bytes,
      response: report.responsePieces,
      requestBytes: sent.totalBytes,
      responseBytes: report.responseBytes,
    });
  }
}
