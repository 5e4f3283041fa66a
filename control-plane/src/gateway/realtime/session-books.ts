import { noUnits } from "../../models/units.ts";
import type { Clock } from "../../platform/clock.ts";
import type { CallEnder } from "../call-ender.ts";
import { newCallState } from "../call-state.ts";
import type { CallEnd, CallState, Hold, ModelEntry, ParsedRequest, Principal } from "../model.ts";
import { bookable, type UsageLimits, withOutput } from "../usage-count/judge-usage.ts";
import type { ToldUnits } from "../usage-count/units.ts";
import { ConversationCount, ResponseCount, toHeardTokens } from "./response-count.ts";
import { rowId } from "./row-id.ts";
import type { Delta, ServerEvent } from "./server-events.ts";

/** Nobody answers so many responses at once. */
const runningMax = 64;
const abortedStatus = 499;
/** Ids of responses that ended are remembered, so that none is charged twice. */
const endedMax = 10_000;

type Measured = Pick<CallEnd, "units" | "usageSource" | "isImplausible">;

const free: Measured = { units: noUnits, usageSource: "none" };

/** What the provider says of the end of a response. */
type ResponseEnd = Pick<Extract<ServerEvent, { kind: "response_ended" }>, "status" | "units" | "isFiltered">;

/** A session that was let in, or a response in it. */
export type SessionCall = CallState & { principal: Principal; request: ParsedRequest; model: ModelEntry };

type Running = { readonly state: SessionCall; readonly count: ResponseCount };

/** How a session ends for the responses that run in it. */
export type SessionEnd = Pick<CallEnd, "outcome" | "errorCode"> & {
  /** The client gave a response up that the provider had begun, so that its input is owed whatever came of it. */
  readonly owesInput: boolean;
};

/** How a response or a transcription ended, as far as its row needs it. */
type Ending = SessionEnd & Pick<ResponseEnd, "units"> & { readonly isFiltered?: boolean };

/** Everything a session was charged. */
export type SessionTotals = { readonly inputTokens: bigint; readonly outputTokens: bigint };

/**
 * The books of one session. What is charged is not the session but each response in it: a response is what the provider
 * counts and what a client receives whole, so it is the "call" of the usage log, with a row and an id of its own
 * (see `rowId`), written through the same end of a call as every other one. That keeps all promises of the log as they
 * are: the row is in the spool before the client gets `response.done`, so that after `kill -9` there is exactly one row
 * for each response whose end was delivered and none for one that was cut by our death; no row has to grow while a
 * session goes on, and nothing has to be summed up at an end that may never come. One row for a whole session would
 * either be written before its cost is known or lose an hour of usage with the process. The session itself is one
 * record of the trace; a session that was refused has the usual row, which costs nothing.
 */
export class SessionBooks {
  readonly #session: SessionCall;
  readonly #ender: CallEnder;
  readonly #clock: Clock;
  readonly #limits: UsageLimits;
  readonly #running = new Map<string, Running>();
  readonly #ended = new Set<string>();
  readonly #conversation = new ConversationCount();
  #rows = 0;
  #inputTokens = 0n;
  #outputTokens = 0n;

  /** @param limits what a response, or a transcription, can have used */
  constructor(session: SessionCall, parts: { readonly ender: CallEnder; readonly clock: Clock }, limits: UsageLimits) {
    this.#session = session;
    this.#ender = parts.ender;
    this.#clock = parts.clock;
    this.#limits = limits;
  }

  /** Responses that have begun and not ended. */
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

  /** @returns false when more responses run than anybody can want */
  begin(responseId: string): boolean {
    if (!this.#running.has(responseId) && !this.hasEnded(responseId)) {
      this.#running.set(responseId, { state: this.#open(), count: new ResponseCount() });
    }
    return this.#running.size <= runningMax;
  }

  /** A piece of a response is about to go to the client. */
  onDelta(delta: Delta): void {
    const running = this.#running.get(delta.responseId);
    if (running !== undefined) {
      running.count.add(delta);
      running.state.firstByteMs ??= Math.round(this.#clock.tick() - running.state.call.startedTick);
    }
  }

  /**
   * The provider says that a response ended. Its end may be shown to the client when the promise ends.
   * @returns the tokens that were charged
   * @throws AppError `storage_unavailable` when it can't be recorded; nothing is charged then
   */
  async end(responseId: string, { status, units, isFiltered }: ResponseEnd, hold: Hold): Promise<bigint> {
    const { state, count } = this.#running.get(responseId) ?? { state: this.#open(), count: new ResponseCount() };
    this.#running.delete(responseId);
    if (this.#ended.size < endedMax) {
      this.#ended.add(responseId);
    }
    const outcome = status === "failed" ? "failed" : status === "cancelled" ? "aborted" : "completed";
    const ending = { outcome, errorCode: null, owesInput: outcome === "aborted", units, isFiltered } as const;
    const tokens = await this.#settle(state, hold, ending, count);
    if (units !== null && units.isOdd !== true && units.inputTokens > 0n) {
      this.#conversation.onCounted(bookable(units, this.#limits).units);
    }
    return tokens;
  }

  /**
   * The provider counted a transcription beside the conversation. The client may have named what transcribes, so that time
   * is never free: where a second has no price, it costs the tokens that it is to the session's own model.
   * @throws AppError `storage_unavailable`
   */
  async transcribed(told: ToldUnits, hold: Hold): Promise<bigint> {
    const isTimed = this.#session.model.price.audio > 0n;
    const heard = { audioMs: 0n, inputTokens: told.inputTokens + toHeardTokens(told.audioMs) };
    const units = isTimed ? told : { ...told, ...heard };
    const ending = { outcome: "completed", errorCode: null, owesInput: false, units } as const;
    return await this.#settle(this.#open(), hold, ending, new ResponseCount());
  }

  /**
   * The session is over. Responses that were cut off are charged for what was delivered of them, by our own count, and
   * for what they read if the client left them; one for which nothing could be set aside is free.
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
  }

  #open(): SessionCall {
    const { call, principal, request, model, channelId, attempts } = this.#session;
    const startedAtMs = this.#clock.now();
    const own = {
      ...call,
      requestId: rowId(call.requestId, startedAtMs, this.#rows),
      startedAtMs,
      startedTick: this.#clock.tick(),
      onReport: () => undefined,
    };
    // What is said is kept with the session.
    const state = newCallState(own, null);
    this.#rows += 1;
    state.attempts.push(...attempts);
    return Object.assign(state, { principal, request, model, channelId, isStream: true });
  }

  async #settle(state: SessionCall, hold: Hold, ending: Ending, count: ResponseCount): Promise<bigint> {
    const { outcome, errorCode } = ending;
    const measured = this.#measure(ending, count, state.model);
    await this.#ender.settle(Object.assign(state, { hold }), {
      outcome,
      httpStatus: outcome === "aborted" ? abortedStatus : 200,
      errorCode,
      ...measured,
    });
    const charged = measured.units;
    this.#inputTokens += charged.inputTokens;
    this.#outputTokens += charged.outputTokens;
    return charged.inputTokens + charged.outputTokens;
  }

  /**
   * An error is free; what was given up is charged for what it read and what there is of it, as everywhere. Nor is it
   * believed here that what was delivered took no tokens, unless the provider threw it away.
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
    if (units.outputTokens === 0n && hasOutput && isFiltered !== true) {
      const estimated = withOutput(units, this.#conversation.estimate(count, model), this.#limits);
      return { units: estimated, usageSource: "estimated", isImplausible: outcome === "completed" };
    }
    const isOwed = outcome === "completed" || owesInput || units.outputTokens > 0n;
    return isOwed ? { ...bookable(units, this.#limits), usageSource: "provider" } : free;
  }
}
