import type { Quota } from "@sluice/contracts/money";
import { utcDay } from "../../platform/clock.ts";
import type { CallEnd, CallState, Hold, ModelEntry, Principal } from "../model.ts";
import type { UsageRow } from "../usage-log/model.ts";
import { priceUsage } from "./price-usage.ts";

const nothing = 0n as Quota;

/**
 * The usage row of a call that was let in. The written rule: charge what was delivered; an error or no output is free.
 * @param durationMs from the start of the call until its end
 */
export function toUsageRow(
  state: CallState & { principal: Principal },
  end: CallEnd,
  hold: Hold | null,
  durationMs: number,
): UsageRow {
  const { call, principal, model } = state;
  return {
    requestId: call.requestId,
    day: utcDay(call.startedAtMs),
    gatewayUserId: principal.gatewayUserId,
    apiKeyId: principal.apiKeyId,
    userBudgetId: principal.userBudgetId,
    keyBudgetId: principal.keyBudgetId,
    groupName: principal.groupName,
    path: call.path.slice(0, 256),
    model: model?.name ?? null,
    channelId: state.channelId,
    outcome: end.outcome,
    httpStatus: end.httpStatus,
    errorCode: end.errorCode,
    isStream: state.isStream,
    units: end.units,
    usageSource: end.usageSource,
    priceVersion: model?.price.version ?? null,
    rateMultiplier: principal.rateMultiplier,
    quota: chargeFor(end, model),
    quotaHeld: hold?.userAmount ?? nothing,
    attempts: state.attempts,
    firstByteMs: state.firstByteMs,
    durationMs,
    startedAtMs: call.startedAtMs,
  };
}

function chargeFor(end: CallEnd, model: ModelEntry | null): Quota {
  return end.usageSource === "none" || model === null ? nothing : priceUsage(end.units, model.price, 1n);
}
