import type { CallRows } from "@sluice/control-plane/compose/call-rows.ts";
import type { SpoolEntry } from "@sluice/control-plane/platform/spool/model.ts";
import type { ReportedCall, TraceRow } from "@sluice/control-plane/trace/model.ts";
import type { RecordedCall, UsageRow } from "@sluice/control-plane/usage/log/model.ts";

type State = RecordedCall["state"];

/** What the calls of a key have in common is one object, as in the service. */
const principals = new Map<string, State["principal"]>();
const models = new Map<string, State["model"]>();

function shared<Value extends object>(all: Map<string, Value>, value: Value): Value {
  const text = JSON.stringify(value, (_, field) => (typeof field === "bigint" ? String(field) : field));
  const known = all.get(text) ?? value;
  all.set(text, known);
  return known;
}

/** The call of a usage row in parts, as the gateway records it; the row itself if only a refused call has such a one. */
export function recordedCall(row: UsageRow): UsageRow | RecordedCall {
  const { model, priceVersion, isImplausible, providerCost, cacheBasisPoints } = row;
  if (model === null || priceVersion === null) {
    return row;
  }
  const { gatewayUserId, apiKeyId, userBudgetId, keyBudgetId, sharedBudgetIds, groupName, rateMultiplier } = row;
  const customer = { gatewayUserId, apiKeyId, userBudgetId, keyBudgetId, sharedBudgetIds, groupName, rateMultiplier };
  const { requestId, path, startedAtMs, endUser, tags } = row;
  const { askedModel, channelId, isStream, attempts, firstByteMs } = row;
  const { outcome, httpStatus, errorCode, units, usageSource } = row;
  return {
    day: row.day,
    quota: row.quota,
    durationMs: row.durationMs,
    state: {
      ...{ askedModel, channelId, isStream, attempts, firstByteMs },
      call: { requestId, path, startedAtMs },
      principal: shared(principals, customer),
      model: shared(models, { name: model, price: { version: priceVersion } }),
      labels: endUser === null && tags.length === 0 ? null : { endUser, tags },
      hold: { userAmount: row.quotaHeld },
    },
    end: {
      ...{ outcome, httpStatus, errorCode, units, usageSource },
      ...(isImplausible ? { isImplausible } : {}),
      ...(providerCost === null ? {} : { providerCost }),
      ...(cacheBasisPoints === null ? {} : { cacheBasisPoints }),
    },
    toRow: () => row,
  };
}

/** The call of a trace in parts, as the relay records it. */
export function reportedCall(row: TraceRow): ReportedCall {
  const { requestId, day, userAgent, payload, method, path, clientIp, startedAtMs } = row;
  return {
    ...{ requestId, day, userAgent, payload },
    call: { requestId, method, path, clientIp, startedAtMs },
    report: { ...row, outcome: row.status, firstByteMs: row.firstTokenMs },
    toRow: () => row,
  };
}

/** Both rows of a call as they are recorded, one right after the other. */
export function recordedRows(usage: UsageRow, trace: TraceRow): SpoolEntry<CallRows>[] {
  return [
    { kind: "usage", row: recordedCall(usage) },
    { kind: "trace", row: reportedCall(trace) },
  ];
}
