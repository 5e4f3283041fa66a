import { errorDefinition } from "@sluice/contracts/errors";
import { HttpClientError, type HttpResponse } from "@sluice/http-client/model";
import { type Bytes, viewOf } from "@sluice/http-client/packet-part";
import { noUnits } from "../models/units.ts";
import { AppError } from "../platform/errors.ts";
import { continuing, eventStreamType, headersOf, wholeFor } from "./attempt-answer.ts";
import { noteAttempt } from "./attempt-channels.ts";
import { refuseAnswer, refuseError, unless } from "./attempt-outcomes.ts";
import { answeredOf } from "./attempt-usage.ts";
import type { Settling } from "./awaited-row.ts";
import type { CallEnder } from "./call-ender.ts";
import { keepPiece, noteFirstByte } from "./call-state.ts";
import type { ChannelUse } from "./channels/channel-load.ts";
import type { Ending } from "./dispatch/forward.ts";
import type { AdmittedCall, CallEnd, FailedAttempt, GatewayResponse } from "./model.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import { failedBy } from "./respond/classify-status.ts";
import { readNote } from "./respond/read-upstream-error.ts";
import { streamResult } from "./respond/translate-ending.ts";
import { withCallId, writeErrorTo } from "./respond/write-error.ts";
import { type AnswerForm, measureAnswer, measureUnread } from "./settle/measure-usage.ts";
import type { ConvertedAnswer } from "./upstreams/conversion-order.ts";
import type { RequestPlan } from "./upstreams/plan-request.ts";
import type { Measured } from "./usage-count/model.ts";

const answerBytesMax = 64 * 1024 * 1024;
const unrecordedStatus = errorDefinition("storage_unavailable").status;

export type Outcome = GatewayResponse | FailedAttempt;

/** A request that was sent to a channel. */
export type WholeAttempt = { readonly state: AdmittedCall; readonly use: ChannelUse; readonly plan: RequestPlan };

/**
 * Responses that come whole. They are settled before the client sees a byte of them. If all of a response has arrived and it
 * is not converted on another thread, everything up to its row happens at once.
 */
export class WholeAnswers {
  readonly #deps: PipelineDeps;
  readonly #ender: CallEnder;

  constructor(deps: PipelineDeps, ender: CallEnder) {
    this.#deps = deps;
    this.#ender = ender;
  }

  /** Reads the response of an attempt to its end. */
  collect(attempt: WholeAttempt, response: HttpResponse, ending: Ending<Outcome>): void {
    let reading: Bytes | Promise<Bytes>;
    try {
      reading = response.body.bytesNow(answerBytesMax);
    } catch (error) {
      ending.resolve(this.#failToRead(attempt, response.status, error));
      return;
    }
    if (reading instanceof Promise) {
      reading
        .then(
          (bytes) => this.#measure(attempt, response, bytes, ending),
          (error: unknown) => ending.resolve(this.#failToRead(attempt, response.status, error)),
        )
        .catch((thrown: unknown) => ending.reject(thrown));
    } else {
      this.#measure(attempt, response, reading, ending);
    }
  }

  #failToRead({ state, use, plan }: WholeAttempt, status: number, error: unknown): Outcome | Promise<Outcome> {
    if (!(error instanceof HttpClientError)) {
      throw error;
    }
    return error.kind === "aborted"
      ? this.leave(state, use, status, measureUnread(answeredOf(state, plan)))
      : failedBy(error);
  }

  #measure(attempt: WholeAttempt, response: HttpResponse, body: Bytes, ending: Ending<Outcome>): void {
    const { state, use, plan } = attempt;
    const measured = measureAnswer(body, answeredOf(state, plan));
    const { form } = measured;
    if (form !== "answer") {
      const sent = viewOf(plan.request.body);
      const refused =
        form === "error_event"
          ? refuseError(response, JSON.parse(viewOf(body).toString("utf8")), use.channel, sent)
          : refuseAnswer(response, form, readNote(viewOf(body), use.channel, sent));
      ending.resolve(refused);
      return;
    }
    const converting = wholeFor(this.#deps, state, plan, body);
    const answer = new MeasuredAnswer(attempt, response, measured, ending);
    if (converting instanceof Promise) {
      unless(state.call.signal, converting)
        .then((converted) => this.#settle(answer, converted))
        .catch((thrown: unknown) => ending.reject(thrown));
    } else {
      this.#settle(answer, converting);
    }
  }

  #settle(answer: MeasuredAnswer, converted: ConvertedAnswer | null): void {
    const { measured, response, ending } = answer;
    const { state, use } = answer.attempt;
    const { status } = response;
    // A client that has left meanwhile gets nothing, and owes what was measured.
    if (state.call.signal.aborted) {
      ending.resolve(this.leave(state, use, status, measured));
      return;
    }
    const fitting = continuing(state, converted);
    if (fitting === null) {
      ending.resolve(refuseAnswer(response, "not_convertible"));
      return;
    }
    answer.fitting = fitting;
    const { bytes, isEvents } = fitting;
    state.isStream ||= isEvents;
    const { loads, clock } = this.#deps;
    const tick = clock.tick();
    noteAttempt(this.#deps, state, use, { status, result: "answered", tick });
    loads.answered(use);
    loads.end(use, "none", null, tick);
    noteFirstByte(state, tick);
    keepPiece(state, bytes);
    this.#ender.settleThen(state, endOf(measured, status, tick), unrecordedStatus, answer);
  }

  /** An answer that no provider has given. */
  async answerFree(state: AdmittedCall, value: object): Promise<GatewayResponse> {
    const body = Buffer.from(JSON.stringify(value));
    keepPiece(state, body);
    const measured = { units: noUnits, usageSource: "none", isImplausible: false } as const;
    await this.#ender.settle(state, { outcome: "completed", httpStatus: 200, errorCode: null, ...measured });
    return { status: 200, headers: withCallId({ "content-type": "application/json" }, state), body };
  }

  /** The client left after the head of a response: it gets nothing and owes what was measured. */
  async leave(state: AdmittedCall, use: ChannelUse, status: number, measured: Measured): Promise<GatewayResponse> {
    const error = new AppError("client_closed_request");
    noteAttempt(this.#deps, state, use, { status, result: streamResult({ kind: "aborted" }) });
    this.#deps.loads.release(use);
    const { status: httpStatus, code: errorCode } = error;
    await this.#ender.settle(state, { outcome: "aborted", httpStatus, errorCode, ...measured });
    return writeErrorTo(state, error);
  }
}

/** A response that came whole, and what it has used. It is released once its row is recorded. */
class MeasuredAnswer implements Settling {
  readonly attempt: WholeAttempt;
  readonly response: HttpResponse;
  readonly measured: Measured & { readonly form: AnswerForm };
  readonly ending: Ending<Outcome>;
  /** In the form that its client expects, before it is settled. */
  fitting: ConvertedAnswer | null = null;

  constructor(
    attempt: WholeAttempt,
    response: HttpResponse,
    measured: Measured & { readonly form: AnswerForm },
    ending: Ending<Outcome>,
  ) {
    this.attempt = attempt;
    this.response = response;
    this.measured = measured;
    this.ending = ending;
  }

  onSettled(): void {
    this.ending.resolve(answerOf(this, this.fitting as ConvertedAnswer));
  }

  onFailed(error: unknown): void {
    this.ending.reject(error);
  }
}

/** @param tick when it ended */
function endOf(
  { units, usageSource, isImplausible, providerCost }: Measured,
  httpStatus: number,
  tick: number,
): CallEnd {
  const end = { outcome: "completed", httpStatus, errorCode: null, units, usageSource, isImplausible, tick } as const;
  return providerCost === undefined ? end : { ...end, providerCost };
}

/** The response for the client, once its row is recorded. */
function answerOf(
  { attempt, response, measured }: MeasuredAnswer,
  { bytes, isEvents }: ConvertedAnswer,
): GatewayResponse {
  const { state, plan } = attempt;
  const headers = headersOf(response, state, plan);
  if (isEvents) {
    headers["content-type"] = eventStreamType;
  }
  const answer = { status: response.status, headers, body: bytes };
  if (state.recording !== null) {
    recordWhole(state, answer, measured);
  }
  return answer;
}

/** Keeps a response that came whole for the response cache. */
function recordWhole(
  { recording, early, isStream, model }: AdmittedCall,
  { status, headers, body }: Pick<GatewayResponse, "status" | "headers"> & { readonly body: Bytes },
  measured: Measured,
): void {
  if (status === 200 && early?.hasBegun !== true) {
    recording?.add(viewOf(body));
    // The headers about the limits of this call are not those of others.
    recording?.settle({ headers: { ...headers }, isStream, model: model.name, measured });
  }
  recording?.finish();
}
