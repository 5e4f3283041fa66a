import { noUnits } from "../../models/units.ts";
import { type Amount, plus } from "../../platform/amount.ts";
import type { Clock } from "../../platform/clock.ts";
import { AppError } from "../../platform/errors.ts";
import type { CallEnder } from "../call-ender.ts";
import { newCallState } from "../call-state.ts";
import type { CallEnd, CallState, Hold, ModelEntry, ParsedRequest, Principal } from "../model.ts";
import { changedCall } from "../port.ts";
import { bookable, type UsageLimits, withOutput } from "../usage-count/judge-usage.ts";
import { audioUnits, estimateAudio } from "../usage-count/measure-audio.ts";
import { asSold } from "../usage-count/sold-sound.ts";
import { ConversationCount, ResponseCount } from "./response-count.ts";
import { rowId } from "./row-id.ts";
import type { Piece, ServerEvent, TranscriptPiece } from "./server-events.ts";

/** The maximum number of concurrent responses. */
const runningMax = 64;
const abortedStatus = 499;
/** The maximum number of items awaiting transcription. */
const transcriptItemsMax = 1_024;
/** The ids of finished responses are remembered, so that none is charged twice. */
const endedMax = 10_000;

type Measured = Pick<CallEnd, "units" | "usageSource" | "isImplausible">;

const whole = { outcome: "completed", errorCode: null } as const;
const free: Measured = { units: noUnits, usageSource: "none" };

/** What the provider reports at the end of a response. */
type ResponseEnd = Omit<Extract<ServerEvent, { kind: "response_ended" }>, "kind" | "id">;

type Transcribed = Extract<ServerEvent, { kind: "transcribed" }>;

/** An admitted session, or a response in it. */
export type SessionCall = CallState & { principal: Principal; request: ParsedRequest; model: ModelEntry };

type Running = { readonly state: SessionCall; readonly count: ResponseCount };

/** How the end of a session affects its running responses. */
export type SessionEnd = Pick<CallEnd, "outcome" | "errorCode"> & {
  /** The client abandoned a response that the provider had begun, so the client owes its input in any case. */
  readonly owesInput: boolean;
};

/** How a response or a transcription ended, as needed for its row. */
type Ending = SessionEnd & Pick<ResponseEnd, "units"> & { readonly isFiltered?: boolean };

/** Everything that a session was charged. */
export type SessionTotals = { readonly inputTokens: Amount; readonly outputTokens: Amount };

/**
 * The books of one session. What is charged is not the session but each response in it: a response is what the provider
 * counts and what a client receives whole, so it is the "call" of the usage log, with its own row and id (see `rowId`),
 * written through the same end of a call as every other one. That keeps all guarantees of the log: the row is in the
 * spool before the client gets `response.done`, so that after `kill -9` there is exactly one row for each response
 * whose end was delivered and none for one that our crash cut off; no row has to grow during a session, and nothing has
 * to be summed up at an end that may never come. One row for a whole session would either be written before its cost is
 * known or lose an hour of usage with the process. The session itself is one record of the trace; a refused session has
 * the usual row, which costs nothing.
 */
export class SessionBooks {
  readonly #session: SessionCall;
  readonly #ender: CallEnder;
  readonly #clock: Clock;
  readonly #limits: UsageLimits;
  readonly #running = new Map<string, Running>();
  readonly #ended = new Set<string>();
  readonly #conversation = new ConversationCount();
  /** Transcribed user speech that has not been counted yet, in bytes by item. */
  readonly #heard = new Map<string, number>();
  /** The model that transcribes the user's speech, if the client has named one. */
  #transcriber: ModelEntry | null = null;
  #rows = 0;
  #inputTokens: Amount = 0;
  #outputTokens: Amount = 0;

  /** @param limits what a response, or a transcription, can have used */
  constructor(session: SessionCall, parts: { readonly ender: CallEnder; readonly clock: Clock }, limits: UsageLimits) {
    this.#session = session;
    this.#ender = parts.ender;
    this.#clock = parts.clock;
    this.#limits = limits;
  }

  /** Responses in progress. */
  get running(): number {
    return this.#running.size;
  }

  get totals(): SessionTotals {
    return { inputTokens: this.#inputTokens, outputTokens: this.#outputTokens };
  }

  onClientFrame(frame: string | Buffer): void {
    this.#conversation.onClientFrame(frame);
  }

  /** Whether the end of this response was settled already. */
  hasEnded(responseId: string): boolean {
    return responseId !== "" && this.#ended.has(responseId);
  }

  /** @returns false when too many responses are in progress */
  begin(responseId: string): boolean {
    if (!this.#running.has(responseId) && !this.hasEnded(responseId)) {
      this.#running.set(responseId, { state: this.#open(), count: new ResponseCount() });
    }
    return this.#running.size <= runningMax;
  }

  /** Whether this response is known, in progress or finished. */
  isKnown(responseId: string): boolean {
    return this.#running.has(responseId) || this.hasEnded(responseId);
  }

  /**
   * Sets the model that transcribes the user's speech, as named by the client. There is one per session, so that the
   * price of each count of the provider is known.
   * @throws AppError `invalid_value`
   */
  setTranscriber(model: ModelEntry, param: string): void {
    if (this.#transcriber !== null && this.#transcriber.name !== model.name) {
      throw new AppError("invalid_value", { message: "A session keeps the model that transcribes.", param });
    }
    this.#transcriber = model;
  }

  /** A delta of the user's transcribed speech is about to be sent to the client. */
  onTranscript(piece: TranscriptPiece | null): void {
    if (piece !== null && (this.#heard.has(piece.itemId) || this.#heard.size < transcriptItemsMax)) {
      this.#heard.set(piece.itemId, (this.#heard.get(piece.itemId) ?? 0) + piece.textBytes);
    }
  }

  /** A delta of a response is about to be sent to the client. */
  onPiece(piece: Piece): void {
    const running = this.#running.get(piece.responseId);
    if (running !== undefined) {
      running.count.add(piece);
      running.state.firstByteMs ??= Math.round(this.#clock.tick() - running.state.call.startedTick);
    }
  }

  /**
   * The provider reports that a response ended. Its end may be shown to the client once the promise has resolved.
   * @returns the tokens that were charged
   * @throws AppError `storage_unavailable` when it can't be recorded; nothing is charged then
   */
  async end(responseId: string, { status, units, isFiltered, output }: ResponseEnd, hold: Hold): Promise<Amount> {
    const { state, count } = this.#running.get(responseId) ?? { state: this.#open(), count: new ResponseCount() };
    if (output !== null && count.outputTokens() === 0) {
      count.add({ responseId, item: "", kind: "whole", part: "all", size: output });
    }
    this.#running.delete(responseId);
    if (this.#ended.size < endedMax) {
      this.#ended.add(responseId);
    }
    const outcome = status === "failed" ? "failed" : status === "cancelled" ? "aborted" : "completed";
    const ending = { outcome, errorCode: null, owesInput: outcome === "aborted", units, isFiltered } as const;
    const tokens = await this.#settle(state, hold, ending, count);
    if (units !== null && units.isOdd !== true && units.inputTokens > 0) {
      this.#conversation.onCounted(bookable(units, this.#limits).units);
    }
    return tokens;
  }

  /**
   * The user's speech was transcribed alongside the conversation. It is charged at the price of the model that the
   * client has named for it, or else of the session's own, in the unit that this model has a price for.
   * @throws AppError `storage_unavailable`
   */
  async transcribed(
    { itemId, textBytes, units }: Omit<Transcribed, "kind">,
    hold: Hold,
    { outcome, errorCode }: Omit<SessionEnd, "owesInput"> = whole,
  ): Promise<Amount> {
    this.#heard.delete(itemId);
    const model = this.#transcriber ?? this.#session.model;
    const heard = audioUnits(estimateAudio(textBytes));
    const isCounted = units !== null && units.isOdd !== true;
    const booked = bookable(isCounted ? units : heard, this.#limits);
    const sold = asSold(booked.units, heard, model.price);
    return await this.#write(Object.assign(this.#open(), { hold, model }), {
      outcome,
      errorCode,
      units: bookable(sold.units, this.#limits).units,
      usageSource: isCounted && !sold.isConverted ? "provider" : "estimated",
      isImplausible: booked.isImplausible || (units !== null && !isCounted),
    });
  }

  /**
   * The session is over. Responses that were cut off are charged for what was delivered of them, by our own count, and
   * for their input if the client left; one for which nothing could be set aside is free.
   * @throws AppError `storage_unavailable`
   */
  async close(take: () => Hold | null, ending: SessionEnd): Promise<void> {
    const cut = [...this.#running.values()];
    this.#running.clear();
    for (const { state, count } of cut) {
      const hold = take();
      if (hold !== null) {
        await this.#settle(state, hold, { ...ending, units: null }, count);
      }
    }
    const textBytes = [...this.#heard.values()].reduce((sum, bytes) => sum + bytes, 0);
    const hold = textBytes > 0 ? take() : null;
    if (hold !== null) {
      await this.transcribed({ itemId: "", textBytes, units: null }, hold, ending);
    }
  }

  #open(): SessionCall {
    const { call, principal, request, model, channelId, attempts } = this.#session;
    const startedAtMs = this.#clock.now();
    const own = changedCall(call, {
      requestId: rowId(call.requestId, startedAtMs, this.#rows),
      startedAtMs,
      startedTick: this.#clock.tick(),
      onReport: () => undefined,
    });
    // The session keeps the text of the error.
    const state = newCallState(own, null);
    this.#rows += 1;
    return Object.assign(state, { principal, request, model, channelId, attempts, isStream: true });
  }

  async #settle(state: SessionCall, hold: Hold, ending: Ending, count: ResponseCount): Promise<Amount> {
    const { outcome, errorCode } = ending;
    const measured = this.#measure(ending, count, state.model);
    return await this.#write(Object.assign(state, { hold }), { outcome, errorCode, ...measured });
  }

  async #write(state: SessionCall & { hold: Hold }, end: Omit<CallEnd, "httpStatus">): Promise<Amount> {
    await this.#ender.settle(state, { ...end, httpStatus: end.outcome === "aborted" ? abortedStatus : 200 });
    const { inputTokens, outputTokens } = end.units;
    this.#inputTokens = plus(this.#inputTokens, inputTokens);
    this.#outputTokens = plus(this.#outputTokens, outputTokens);
    return plus(inputTokens, outputTokens);
  }

  /**
   * An error is free; an abandoned response is charged for its input and for what was delivered, as everywhere. A count
   * of zero tokens for delivered output is not accepted here either, unless the provider filtered it out.
   */
  #measure({ outcome, owesInput, units, isFiltered }: Ending, count: ResponseCount, model: ModelEntry): Measured {
    const hasOutput = count.outputTokens() > 0;
    if (units === null || units.isOdd === true) {
      return owesInput || hasOutput
        ? {
            units: this.#conversation.estimate(count, model),
            usageSource: "estimated",
            isImplausible: units !== null,
          }
        : free;
    }
    if (units.outputTokens === 0 && hasOutput && isFiltered !== true) {
      const estimated = withOutput(units, this.#conversation.estimate(count, model), this.#limits);
      return { units: estimated, usageSource: "estimated", isImplausible: outcome === "completed" };
    }
    const isOwed = outcome === "completed" || owesInput || units.outputTokens > 0;
    return isOwed ? { ...bookable(units, this.#limits), usageSource: "provider" } : free;
  }
}
