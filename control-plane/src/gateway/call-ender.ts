import { noUnits } from "../models/units.ts";
import { plus } from "../platform/amount.ts";
import type { AppError } from "../platform/errors.ts";
import { AwaitedRow, type ServedCall, type Settling } from "./awaited-row.ts";
import { toReport } from "./call-state.ts";
import type { CallEnd, CallState } from "./model.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import { priceUsage } from "./settle/price-usage.ts";
import { toUsageRow } from "./settle/record-usage.ts";
import { releaseHold } from "./settle/settle-quota.ts";

/** Ends each call exactly once: row, spool, quota, limits, report. */
export class CallEnder {
  readonly #deps: PipelineDeps;

  constructor(deps: PipelineDeps) {
    this.#deps = deps;
  }

  /**
   * Ends a call that a provider served. Its response may be released once the promise has settled.
   * @param unrecordedStatus what the client sees when the row can't be made durable: the status of the end, once the
   * head was sent
   * @throws AppError `storage_unavailable` when the row can't be made durable; nothing is charged then
   */
  settle(state: ServedCall, end: CallEnd, unrecordedStatus = end.httpStatus): Promise<void> {
    return new Promise((resolve, reject) => {
      this.settleThen(state, end, unrecordedStatus, { onSettled: resolve, onFailed: reject });
    });
  }

  /** The same without a promise: most responses wait for nothing else. */
  settleThen(state: ServedCall, end: CallEnd, unrecordedStatus: number, settling: Settling): void {
    if (state.isSettled) {
      // After an exception a call may have two ends. Its hold was given back with the first one.
      settling.onFailed(new Error("the call has ended already"));
      return;
    }
    const tick = end.tick ?? this.#deps.clock.tick();
    const durationMs = durationAt(state, tick);
    if (end.isImplausible === true) {
      this.#reportImplausible(state, end);
    }
    if (isUnpaid(state, end)) {
      this.#deps.limits.noteUnpaid(state.principal);
    }
    const quota = priceUsage(end, state.model);
    const row = new AwaitedRow(this.#deps, state, { end, quota, durationMs, unrecordedStatus }, settling);
    state.isSettled = true;
    // The call's trace is recorded in the same tick, so that both rows share one write.
    this.#deps.usage.append(row, row);
    this.#finish(state, end, tick);
  }

  /**
   * Ends a call without a provider's response: its row costs nothing, and nobody waits for it.
   * @param seenStatus the status that the client sees
   */
  refuse(state: CallState, error: AppError, seenStatus = error.status): void {
    if (state.isSettled) {
      return;
    }
    state.isSettled = true;
    // First, so that nothing that fails below keeps it.
    if (state.hold !== null) {
      releaseHold(this.#deps.leases, state.hold);
    }
    const isClientGone = error.code === "client_closed_request";
    const end: CallEnd = {
      outcome: isClientGone ? "aborted" : isOurs(state, error) ? "failed" : "refused",
      httpStatus: error.status,
      errorCode: error.code,
      units: noUnits,
      usageSource: "none",
    };
    const tick = this.#deps.clock.tick();
    const durationMs = durationAt(state, tick);
    this.#recordRefusal(state, end, durationMs);
    this.#finish(state, isClientGone ? end : { ...end, httpStatus: seenStatus }, tick);
    this.#deps.observer.onEnd(state, end, durationMs, 0);
  }

  #recordRefusal(state: CallState, end: CallEnd, durationMs: number): void {
    const { principal, attempts, call } = state;
    if (principal === null) {
      return;
    }
    const onLost = (cause: unknown) => this.#deps.log.error("usage.row_lost", { requestId: call.requestId, cause });
    try {
      if (end.outcome === "aborted" && attempts.length > 0) {
        this.#deps.limits.noteUnpaid(principal);
      }
      const row = toUsageRow({ ...state, principal }, end, 0, durationMs);
      this.#deps.usage.append(row, { onWritten: () => undefined, onLost });
    } catch (cause) {
      onLost(cause);
    }
  }

  /** Ends a call that needed no provider: it has no row, only a trace. */
  finishFree(state: CallState, httpStatus: number): void {
    state.isSettled = true;
    if (state.hold !== null) {
      releaseHold(this.#deps.leases, state.hold);
    }
    const end: CallEnd = { outcome: "completed", httpStatus, errorCode: null, units: noUnits, usageSource: "none" };
    const tick = this.#deps.clock.tick();
    this.#finish(state, end, tick);
    this.#deps.observer.onEnd(state, end, durationAt(state, tick), 0);
  }

  #finish(state: CallState, end: CallEnd, tick: number): void {
    const { inputTokens, outputTokens } = end.units;
    try {
      try {
        state.bodyShare?.end();
        state.readOn?.end();
      } finally {
        if (state.principal !== null && state.isLimited) {
          this.#deps.limits.end(state.principal, plus(inputTokens, outputTokens), tick);
        }
      }
      state.call.onReport(toReport(state, end, end.units, durationAt(state, tick)));
    } catch (error) {
      // The client gets its response as if the trace had been recorded.
      this.#deps.log.error("call.report_failed", { requestId: state.call.requestId, error });
    }
    state.capture.recycle();
  }

  /** An operator has to check the channel: its counts are wrong, and even the plausible ones may be. */
  #reportImplausible({ call, channelId, attempts, model }: CallState, { units, usageSource }: CallEnd): void {
    this.#deps.log.error("usage.implausible", {
      requestId: call.requestId,
      channelId: String(channelId),
      channel: attempts.at(-1)?.channel,
      model: model?.name,
      booked: { source: usageSource, input: String(units.inputTokens), output: String(units.outputTokens) },
    });
  }
}

function durationAt({ call }: CallState, tick: number): number {
  return Math.round(tick - call.startedTick);
}

/**
 * Whether the provider may bill more than was charged: for work that the client never received, or for a prompt without
 * an answer.
 */
function isUnpaid({ request, readOn }: ServedCall, { outcome, usageSource }: CallEnd): boolean {
  return outcome === "aborted"
    ? usageSource === "estimated" && readOn?.isMostlyUnseen === true
    : outcome === "completed" && usageSource === "none" && request.bounds.outputTokensMax !== 0;
}

/**
 * Whether a call without a response failed because of us or a provider, rather than being refused for something its
 * caller has to change. While every provider is paused, none is called, and yet each call fails.
 */
function isOurs({ attempts }: CallState, { status, code }: AppError): boolean {
  return attempts.length > 0 || status >= 500 || code === "upstream_rate_limited";
}
