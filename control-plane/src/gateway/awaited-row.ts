import { noUnits } from "../models/units.ts";
import type { Amount } from "../platform/amount.ts";
import { utcDay } from "../platform/clock.ts";
import { AppError } from "../platform/errors.ts";
import type { RowWaiter } from "../platform/spool/model.ts";
import type { RecordedCall, UsageRow } from "../usage/log/model.ts";
import { toReport } from "./call-state.ts";
import type { AdmittedCall, CallEnd, CallState } from "./model.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import { toUsageRow } from "./settle/record-usage.ts";
import { type Charges, chargesOf, releaseHold, settleQuota } from "./settle/settle-quota.ts";

const unrecordedCode = "storage_unavailable";

/** A call that a provider answered, or a response in a session. */
export type ServedCall = CallState & Pick<AdmittedCall, "principal" | "request" | "model" | "hold">;

/** Waits for the row of a call: one of the two is called, once. */
export interface Settling {
  onSettled(): void;
  onFailed(error: unknown): void;
}

type Deps = Pick<PipelineDeps, "leases" | "observer" | "onFirstUse" | "log">;

/** How a call ended, and what the client sees if its row is lost. */
type Ended = Pick<RecordedCall, "quota" | "durationMs"> & { readonly end: CallEnd; readonly unrecordedStatus: number };

/** A served call, recorded: it is charged once its row is durable, and costs nothing without it. */
export class AwaitedRow implements RecordedCall, RowWaiter {
  readonly state: ServedCall;
  readonly end: CallEnd;
  readonly quota: Amount;
  readonly durationMs: number;
  readonly day: string;
  readonly #unrecordedStatus: number;
  /** Known before the row is recorded: what is durable is charged. */
  readonly #charges: Charges;
  readonly #deps: Deps;
  readonly #settling: Settling;

  constructor(deps: Deps, state: ServedCall, { end, quota, durationMs, unrecordedStatus }: Ended, settling: Settling) {
    this.state = state;
    this.end = end;
    this.quota = quota;
    this.durationMs = durationMs;
    this.day = utcDay(state.call.startedAtMs);
    this.#unrecordedStatus = unrecordedStatus;
    this.#charges = chargesOf({ quota, rateMultiplier: state.principal.rateMultiplier });
    this.#deps = deps;
    this.#settling = settling;
  }

  toRow(): UsageRow {
    return toUsageRow(this.state, this.end, this.quota, this.durationMs);
  }

  onWritten(): void {
    try {
      this.#charge();
    } catch (error) {
      // The row is durable, so that the client pays for the response, and gets it.
      this.#deps.log.error("call.charge_failed", { requestId: this.state.call.requestId, error });
    }
    try {
      this.#settling.onSettled();
    } catch (error) {
      this.#settling.onFailed(error);
    }
  }

  onLost(cause: unknown): void {
    try {
      releaseHold(this.#deps.leases, this.state.hold);
      this.#finishUnrecorded();
    } finally {
      this.#settling.onFailed(new AppError(unrecordedCode, { cause, retryAfterSeconds: 5 }));
    }
  }

  #charge(): void {
    const { state, end, quota } = this;
    const { principal, hold } = state;
    settleQuota(this.#deps.leases, hold, this.#charges);
    this.#deps.observer.onEnd(state, end, this.durationMs, quota);
    if (principal.isFirstUse && end.outcome === "completed") {
      this.#deps.onFirstUse(principal.apiKeyId);
    }
  }

  /** The report was to be written together with the row, and is lost when the row is. */
  #finishUnrecorded(): void {
    const { state, durationMs } = this;
    const failed: CallEnd = {
      ...this.end,
      outcome: "failed",
      httpStatus: this.#unrecordedStatus,
      errorCode: unrecordedCode,
      units: noUnits,
      usageSource: "none",
    };
    this.#deps.observer.onEnd(state, failed, durationMs, 0);
    state.call.onUnrecorded?.(toReport(state, failed, noUnits, durationMs));
  }
}
