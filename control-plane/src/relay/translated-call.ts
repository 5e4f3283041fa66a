import type { CallReport, GatewayCall, GatewayResponse } from "../gateway/model.ts";
import type { GatewayPort } from "../gateway/port.ts";
import type { Clock } from "../platform/clock.ts";
import type { BodyReader, ByteCounter } from "../platform/read-body.ts";
import type { ClientResponse, Translation } from "./model.ts";

/** The client's body and its conversion for the gateway, each computed once however often it is requested. */
export class TranslatedBody {
  readonly #reader: BodyReader;
  readonly #toBody: Translation["toBody"];
  #reading: Promise<Uint8Array> | null = null;
  #translating: Promise<Uint8Array> | null = null;

  constructor(reader: BodyReader, toBody: Translation["toBody"]) {
    this.#reader = reader;
    this.#toBody = toBody;
  }

  /** The part of the client's body that was read. */
  get bytes(): Uint8Array | null {
    return this.#reader.bytes;
  }

  read(counter?: ByteCounter): Promise<Uint8Array> {
    this.#reading ??= this.#reader.read(counter);
    return this.#reading;
  }

  translate(counter?: ByteCounter): Promise<Uint8Array> {
    this.#translating ??= this.read(counter).then(this.#toBody);
    return this.#translating;
  }
}

export type TranslatedWriter = {
  readonly write: (report: CallReport) => void;
  /** Replaces the recorded report. */
  readonly correct: (report: CallReport) => void;
};

/**
 * Waits for both ends of a translated call: the gateway's report, which comes first, and what the client received. Then
 * it records the call as the client saw it.
 */
export class TranslatedBooks {
  readonly #clock: Clock;
  readonly #writer: TranslatedWriter;
  #report: { readonly callReport: CallReport; readonly tick: number } | null = null;
  #response: ClientResponse | null = null;
  #isWritten = false;

  constructor(clock: Clock, writer: TranslatedWriter) {
    this.#clock = clock;
    this.#writer = writer;
  }

  report(callReport: CallReport): void {
    this.#report = { callReport, tick: this.#clock.tick() };
    this.#writeOnce();
  }

  /** Replaces the first report, which was wrong. */
  correct(callReport: CallReport): void {
    this.#report = { callReport, tick: this.#clock.tick() };
    const report = this.#compose();
    if (this.#isWritten && report !== null) {
      this.#writer.correct(report);
    }
  }

  respond(response: ClientResponse): void {
    this.#response ??= response;
    this.#writeOnce();
  }

  #writeOnce(): void {
    const report = this.#compose();
    if (report !== null && !this.#isWritten) {
      this.#isWritten = true;
      this.#writer.write(report);
    }
  }

  #compose(): CallReport | null {
    if (this.#report === null || this.#response === null) {
      return null;
    }
    const { callReport, tick } = this.#report;
    const { httpStatus, pieces, bytes, model } = this.#response;
    return {
      ...callReport,
      model: callReport.model ?? model?.slice(0, modelLengthMax) ?? null,
      httpStatus: callReport.outcome === "aborted" ? callReport.httpStatus : httpStatus,
      durationMs: callReport.durationMs + Math.round(this.#clock.tick() - tick),
      responsePieces: pieces,
      responseBytes: bytes,
    };
  }
}

const modelLengthMax = 256;

/**
 * Tries the sets of headers one after the other, until the gateway accepts a credential. Only the last refusal counts,
 * because the client never sees the others.
 */
export async function askWithEach(
  gateway: GatewayPort,
  call: GatewayCall,
  candidates: readonly Headers[],
): Promise<GatewayResponse> {
  for (const headers of candidates.slice(0, -1)) {
    let isRefused = false;
    const onReport = (report: CallReport): void => {
      isRefused = report.httpStatus === unauthorized;
      if (!isRefused) {
        call.onReport(report);
      }
    };
    const answer = await gateway.handle({ ...call, headers, onReport });
    if (!isRefused) {
      return answer;
    }
  }
  return await gateway.handle({ ...call, headers: candidates.at(-1) ?? call.headers });
}

/** A provider's own 401 never becomes one of ours. */
const unauthorized = 401;
