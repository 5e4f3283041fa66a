import type { RequestId } from "@sluice/contracts/ids";
import type { Bytes } from "@sluice/http-client/packet-part";
import type { CallReport, GatewayCall, GatewayResponse } from "../gateway/model.ts";
import {
  type AnswerReceiver,
  changedCall,
  type GatewayPort,
  type RealtimeOpening,
  type RealtimePort,
} from "../gateway/port.ts";
import { type Clock, utcDay } from "../platform/clock.ts";
import { completeHelp } from "../platform/help-link.ts";
import type { BodyLimits } from "../platform/read-body.ts";
import type { PayloadOutcome } from "../trace/model.ts";
import type { TraceService } from "../trace/service.ts";
import { FrameCapture } from "./frame-capture.ts";
import type { IdentifiedAnswer, IncomingCall, OtherAddress } from "./model.ts";
import { askWithEach, readOnce, withOwnAnswer } from "./other-address.ts";
import { type CallKeeper, RelayedCall } from "./relayed-call.ts";
import { RelayedReport } from "./relayed-report.ts";

export type RelayDeps = {
  readonly gateway: GatewayPort;
  readonly realtime: RealtimePort;
  readonly trace: TraceService;
  readonly clock: Clock;
  readonly bodyLimits: BodyLimits;
  /** Whether bodies are stored at all. If they are, each key can still opt out. */
  readonly keepsPayloads: () => boolean;
  /** The public address, where the pages about errors are. */
  readonly siteUrl: string;
};

const nothing = new Uint8Array();

/** The number of calls in flight, for the drain. */
export type RelayLoad = { inFlight: number };

/**
 * The business relay: gives a call its id, forwards it unchanged to the gateway, and records the outcome, whatever it
 * is.
 */
export class RelayService {
  readonly load: RelayLoad = { inFlight: 0 };
  readonly #deps: RelayDeps;
  readonly #keeper: CallKeeper;

  constructor(deps: RelayDeps) {
    this.#deps = deps;
    this.#keeper = {
      clock: deps.clock,
      bodyLimits: deps.bodyLimits,
      siteUrl: deps.siteUrl,
      end: (call, body, report) => this.#end(call, body, body?.byteLength ?? 0, report),
      record: (call, report, payload) => this.#record(call, report, payload),
    };
  }

  /** Never rejects. The response has the headers of every call. */
  relay(incoming: IncomingCall): Promise<GatewayResponse> {
    return new Promise((onAnswer) => this.relayTo(incoming, { onAnswer }));
  }

  /** The same without a promise. The receiver is called once, after this has returned. */
  relayTo(incoming: IncomingCall, receiver: AnswerReceiver): void {
    const call = this.#begin(incoming);
    call.receiver = receiver;
    this.#deps.gateway.answer(call, call);
  }

  /** The same for a call at another address of ours: the trace shows that address, and what came and went there. */
  async relayFrom(incoming: IncomingCall, as: OtherAddress): Promise<IdentifiedAnswer> {
    const call = this.#begin(incoming);
    const { requestId } = call;
    let waiting: CallReport | null = null;
    const { method = call.method, path, headers, toBody, bodyBytesMax, traits = () => null, toAnswer } = as;
    const asked = changedCall(call, {
      method,
      path,
      query: "",
      traits,
      readBody: readOnce((counter) => call.readBody(counter, bodyBytesMax), toBody),
      onReport: (report) => {
        if (toAnswer === undefined) {
          call.onReport(report);
        } else {
          waiting = report;
        }
      },
    });
    const answer = await askWithEach(this.#deps.gateway, asked, headers);
    const own = toAnswer?.(answer, requestId);
    if (own === undefined || waiting === null) {
      return { ...answer, requestId };
    }
    call.onReport(withOwnAnswer(waiting, own));
    return { ...own, requestId };
  }

  /** Opens a session over a websocket, whose content is known only at its end. */
  async openSession(incoming: IncomingCall): Promise<RealtimeOpening & { requestId: RequestId }> {
    const capture = new FrameCapture();
    const call = this.#begin(incoming);
    const { requestId } = call;
    const opening = await this.#deps.realtime.open(
      changedCall(call, {
        readBody: () => nothing,
        onReport: (report) => void this.#end(call, capture.bytes, capture.totalBytes, report),
        onUnrecorded: () => undefined,
      }),
    );
    if (opening.kind === "refused") {
      completeHelp(opening.answer.headers, this.#deps.siteUrl);
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

  #begin(incoming: IncomingCall): RelayedCall {
    this.load.inFlight += 1;
    return new RelayedCall(incoming, this.#keeper);
  }

  /** @param body the part of what the client has sent that was kept @param bytes the size of all of it */
  #end(call: GatewayCall, body: Bytes | null, bytes: number, report: CallReport): PayloadOutcome {
    this.load.inFlight -= 1;
    const payload = this.#keepPayload(call, body, bytes, report);
    this.#record(call, report, payload);
    return payload;
  }

  /** A later row of the same call counts only if the earlier one was lost. */
  #record(call: GatewayCall, report: CallReport, payload: PayloadOutcome): void {
    this.#deps.trace.record(new RelayedReport(call, report, payload));
  }

  #keepPayload(call: GatewayCall, body: Bytes | null, bytes: number, report: CallReport): PayloadOutcome {
    const { gatewayUserId, isPayloadTraced } = report;
    if (gatewayUserId === null || (body === null && report.responseBytes === 0)) {
      return "none";
    }
    if (!isPayloadTraced || !this.#deps.keepsPayloads()) {
      return "off";
    }
    return this.#deps.trace.storePayload({
      requestId: call.requestId,
      day: utcDay(call.startedAtMs),
      gatewayUserId,
      request: body,
      response: report.responsePieces,
      requestBytes: bytes,
      responseBytes: report.responseBytes,
    });
  }
}
