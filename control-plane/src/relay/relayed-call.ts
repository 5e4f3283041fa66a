import type { RequestId } from "@sluice/contracts/ids";
import type { AbortNotice } from "@sluice/http-client/model";
import type { Bytes } from "@sluice/http-client/packet-part";
import type { CallHeaders, CallReport, GatewayCall, GatewayResponse } from "../gateway/model.ts";
import type { AnswerReceiver } from "../gateway/port.ts";
import type { Clock } from "../platform/clock.ts";
import type { BodyLimits, ByteCounter } from "../platform/read-body.ts";
import type { PayloadOutcome } from "../trace/model.ts";
import { markCall } from "./mark-call.ts";
import type { IncomingCall } from "./model.ts";

/** What happens with the reports of all calls. */
export type CallKeeper = {
  readonly clock: Clock;
  readonly bodyLimits: BodyLimits;
  /** The public address, where the pages about errors are. */
  readonly siteUrl: string;
  /** The call is over. @param body null if the client has sent none, or it was not read */
  readonly end: (call: GatewayCall, body: Bytes | null, report: CallReport) => PayloadOutcome;
  /** Records the corrected report of a call that is over. */
  readonly record: (call: GatewayCall, report: CallReport, payload: PayloadOutcome) => void;
};

/** A call on its way through the gateway, and its response on the way back: one object, whatever happens to it. */
export class RelayedCall implements GatewayCall, AnswerReceiver {
  readonly requestId = Bun.randomUUIDv7() as RequestId;
  readonly path: string;
  readonly query: string;
  readonly startedAtMs: number;
  readonly startedTick: number;
  readonly #incoming: IncomingCall;
  readonly #keeper: CallKeeper;
  /** Who takes the response; null if that is not given to this call. */
  receiver: AnswerReceiver | null = null;
  #payload: PayloadOutcome = "none";

  constructor(incoming: IncomingCall, keeper: CallKeeper) {
    const { target } = incoming;
    const mark = target.indexOf("?");
    this.path = mark === -1 ? target : target.slice(0, mark);
    this.query = mark === -1 ? "" : target.slice(mark);
    this.startedAtMs = keeper.clock.now();
    this.startedTick = keeper.clock.tick();
    this.#incoming = incoming;
    this.#keeper = keeper;
  }

  get method(): string {
    return this.#incoming.method;
  }

  get headers(): CallHeaders {
    return this.#incoming.headers;
  }

  get clientIp(): string {
    return this.#incoming.clientIp;
  }

  get signal(): AbortNotice {
    return this.#incoming.signal;
  }

  get bodyBytes(): number | undefined {
    return this.#incoming.bodyBytes;
  }

  /** @param bytesMax the limit of an address that takes less than others */
  readBody(counter: ByteCounter | null = null, bytesMax = Number.POSITIVE_INFINITY): Bytes | Promise<Bytes> {
    const { bodyLimits } = this.#keeper;
    const limits = bytesMax < bodyLimits.bytesMax ? { ...bodyLimits, bytesMax } : bodyLimits;
    return this.#incoming.readBody(limits, counter);
  }

  /** Marks the response for the server that received the call. */
  onAnswer(answer: GatewayResponse): void {
    markCall(answer.headers, this.requestId, this.#keeper.siteUrl);
    this.receiver?.onAnswer(answer);
  }

  onReport(report: CallReport): void {
    this.#incoming.onOver(report.responseBytes);
    this.#payload = this.#keeper.end(this, this.#incoming.body, report);
  }

  onUnrecorded(report: CallReport): void {
    this.#keeper.record(this, report, this.#payload);
  }
}
