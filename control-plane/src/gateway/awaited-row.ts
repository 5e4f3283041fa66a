import type { Quota } from "@sluice/contracts/money";
import { noUnits } from "../models/units.ts";
import { AppError } from "../platform/errors.ts";
import type { RowWaiter } from "../platform/spool/model.ts";
import type { UsageRow } from "../usage/log/model.ts";
import { toReport } from "./call-state.ts";
import type { AdmittedCall, CallEnd, CallState } from "./model.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import { settleQuota } from "./settle/settle-quota.ts";

const nothing = 0n as Quota;
const unrecordedCode = "storage_unavailable";

/** A call that a provider answered, or a response in a session. */
export type ServedCall = CallState & Pick<AdmittedCall, "principal" | "request" | "model" | "hold">;

/** Waits for the row of a call: one of the two is called, once. */
export interface Settling {
  onSettled(): void;
  onFailed(error: unknown): void;
}

/** A call whose row is on its way to the disk. */
type RecordedCall = {
  readonly state: ServedCall;
  readonly end: CallEnd;
  readonly row: UsageRow;
  /** What the client sees if the row is lost. */
  readonly unrecordedStatus: number;
};

/** The row of a call that was served: the call is charged once that is durable, and costs nothing without it. */
export class AwaitedRow implements RowWaiter {
  readonly #deps: Pick<PipelineDeps, "leases" | "observer" | "onFirstUse">;
  readonly #state: ServedCall;
  readonly #end: CallEnd;
  readonly #row: UsageRow;
  readonly #unrecordedStatus: number;
  readonly #settling: Settling;

  constructor(
    deps: Pick<PipelineDeps, "leases" | "observer" | "onFirstUse">,
    { state, end, row, unrecordedStatus }: RecordedCall,
    settling: Settling,
  ) {
    this.#deps = deps;
    this.#state = state;
    this.#end = end;
    this.#row = row;
    this.#unrecordedStatus = unrecordedStatus;
    this.#settling = settling;
  }

  onWritten(): void {
    try {
      this.#charge();
      this.#settling.onSettled();
    } catch (error) {
      this.#settling.onFailed(error);
    }
  }

  onLost(cause: unknown): void {
    try {
      settleQuota(this.#deps.leases, this.#state.hold, { ...this.#row, quota: nothing });
      this.#finishUnrecorded();
    } finally {
      this.#settling.onFailed(new AppError(unrecordedCode, { cause, retryAfterSeconds: 5 }));
    }
  }

  #charge(): void {
    const state = this.#state;
    const end = this.#end;
    const row = this.#row;
    const { principal } = state;
    settleQuota(this.#deps.leases, state.hold, row);
    this.#deps.observer.onEnd(state, end, row.durationMs, row.quota);
    if (principal.isFirstUse && end.outcome === "completed") {
      this.#deps.onFirstUse(principal.apiKeyId);
    }
  }

  /** The report was to be written together with the row, and is lost when the row is. */
  #finishUnrecorded(): void {
    const state = this.#state;
    const { durationMs } = this.#row;
    const failed: CallEnd = {
      ...this.#end,
      outcome: "failed",
      httpStatus: this.#unrecordedStatus,
      errorCode: unrecordedCode,
      units: noUnits,
      usageSource: "none",
    };
    this.#deps.observer.onEnd(state, failed, durationMs, nothing);
    state.call.onUnrecorded?.(toReport(state, failed, noUnits, durationMs));
  }
}
