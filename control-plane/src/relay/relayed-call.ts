import type { RequestId } from "@sluice/contracts/ids";
import type { AbortNotice } from "@sluice/http-client/model";
import type { Bytes } from "@sluice/http-client/packet-part";
import type { CallHeaders, CallReport, GatewayCall } from "../gateway/model.ts";
import type { Clock } from "../platform/clock.ts";
import type { BodyLimits, ByteCounter } from "../platform/read-body.ts";
import type { PayloadOutcome } from "../trace/model.ts";
import type { IncomingCall } from "./model.ts";

/** The body that the client sent: the part that was kept, and the total size. */
export type SentBody = { readonly bytes: Bytes | null; readonly totalBytes: number };

/** What happens with the reports of all calls. */
export type CallKeeper = {
  readonly clock: Clock;
  readonly bodyLimits: BodyLimits;
  /** The call is over. */
  readonly end: (call: GatewayCall, sent: SentBody, report: CallReport) => PayloadOutcome;
  /** Records the corrected report of a call that is over. */
  readonly record: (call: GatewayCall, report: CallReport, payload: PayloadOutcome) => void;
};

/** A call on its way through the gateway: one object, whatever happens to it. */
export class RelayedCall implements GatewayCall {
  readonly requestId = Bun.randomUUIDv7() as RequestId;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: CallHeaders;
  readonly clientIp: string;
  readonly signal: AbortNotice;
  readonly startedAtMs: number;
  readonly startedTick: number;
  readonly #incoming: IncomingCall;
  readonly #keeper: CallKeeper;
  #payload: PayloadOutcome = "none";

  constructor(incoming: IncomingCall, keeper: CallKeeper) {
    const { target } = incoming;
    const mark = target.indexOf("?");
    this.method = incoming.method;
    this.path = mark === -1 ? target : target.slice(0, mark);
    this.query = mark === -1 ? "" : target.slice(mark);
    this.headers = incoming.headers;
    this.clientIp = incoming.clientIp;
    this.signal = incoming.signal;
    this.startedAtMs = keeper.clock.now();
    this.startedTick = keeper.clock.tick();
    this.#incoming = incoming;
    this.#keeper = keeper;
  }

  /** @param bytesMax the limit of an address that takes less than others */
  readBody(counter: ByteCounter | null = null, bytesMax = Number.POSITIVE_INFINITY): Bytes | Promise<Bytes> {
    const { bodyLimits } = this.#keeper;
    const limits = bytesMax < bodyLimits.bytesMax ? { ...bodyLimits, bytesMax } : bodyLimits;
    return this.#incoming.readBody(limits, counter);
  }

  onReport(report: CallReport): void {
    this.#incoming.onOver(report.responseBytes);
    const { body } = this.#incoming;
    this.#payload = this.#keeper.end(this, { bytes: body, totalBytes: body?.byteLength ?? 0 }, report);
  }

  onUnrecorded(report: CallReport): void {
    this.#keeper.record(this, report, this.#payload);
  }
}
