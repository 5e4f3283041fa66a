import type { Quota } from "@sluice/contracts/money";
import type { Amount } from "../../platform/amount.ts";
import { utcDay } from "../../platform/clock.ts";
import { recordedPathLengthMax } from "../../platform/request-target.ts";
import type { UsageRow } from "../../usage/log/model.ts";
import type { CallEnd, CallState, Principal } from "../model.ts";

const noTags: readonly string[] = [];

/**
 * The usage row of an admitted call.
 * @param quota what it costs before a multiplier
 * @param durationMs from the start of the call until its end
 */
export function toUsageRow(
  state: CallState & { principal: Principal },
  end: CallEnd,
  quota: Amount,
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
    sharedBudgetIds: principal.sharedBudgetIds,
    groupName: principal.groupName,
    path: call.path.slice(0, recordedPathLengthMax),
    model: model?.name ?? null,
    askedModel: state.askedModel,
    endUser: state.labels?.endUser ?? null,
    tags: state.labels?.tags ?? noTags,
    channelId: state.channelId,
    outcome: end.outcome,
    httpStatus: end.httpStatus,
    errorCode: end.errorCode,
    isStream: state.isStream,
    units: end.units,
    usageSource: end.usageSource,
    isImplausible: end.isImplausible === true,
    providerCost: end.providerCost ?? null,
    cacheBasisPoints: end.cacheBasisPoints ?? null,
    priceVersion: model?.price.version ?? null,
    rateMultiplier: principal.rateMultiplier,
    quota: BigInt(quota) as Quota,
    quotaHeld: BigInt(state.hold?.userAmount ?? 0) as Quota,
    attempts: state.attempts,
    firstByteMs: state.firstByteMs,
    durationMs,
    startedAtMs: call.startedAtMs,
  };
}
