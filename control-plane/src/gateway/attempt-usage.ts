import { boundUnits, plausibleUnits } from "./admit/reserve-quota.ts";
import type { AdmittedCall } from "./model.ts";
import { measureStream, type StreamMeter } from "./settle/measure-usage.ts";
import type { RequestPlan } from "./upstreams/plan-request.ts";
import type { AnsweredCall, Measured, StreamedResponse } from "./usage-count/model.ts";

/* What an attempt has used, in the words of its channel and within the limits of its call. */

export function answeredOf(state: AdmittedCall, { operation, request, usageDialect }: RequestPlan): AnsweredCall {
  const { model } = state;
  const held = boundUnits(state.request, model);
  const limits = { held, most: plausibleUnits(state.request, model, held) };
  return { operation, usageDialect, request, limits, price: model.price };
}

export function measureStreamOf(
  state: AdmittedCall,
  plan: RequestPlan,
  end: StreamedResponse["end"],
  meter: StreamMeter,
): Measured {
  const { capture, responseBytes: bytesSent } = state;
  return measureStream({
    ...answeredOf(state, plan),
    ...meter.heard,
    end,
    pieces: capture.pieces,
    bytesSent,
  });
}
