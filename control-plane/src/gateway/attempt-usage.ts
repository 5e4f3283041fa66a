import type { Units } from "../models/units.ts";
import { plausibleUnits } from "./admit/reserve-quota.ts";
import type { Endpoint } from "./channels/model.ts";
import type { AdmittedCall } from "./model.ts";
import { measureStream, type StreamMeter } from "./settle/measure-usage.ts";
import type { RequestPlan } from "./upstreams/plan-request.ts";
import type { UsageLimits } from "./usage-count/judge-usage.ts";
import { KnownTail } from "./usage-count/known-tail.ts";
import type { AnsweredCall, Measured, StreamedResponse } from "./usage-count/model.ts";

/* What an attempt has used, in the words of its channel and within the limits of its call. */

export function answeredOf(state: AdmittedCall, plan: RequestPlan): AnsweredCall {
  const { operation, request, usageDialect, endpoint } = plan;
  const { price } = state.model;
  return { operation, usageDialect, request, limits: new CallLimits(state), price, tail: tailOf(endpoint) };
}

const tails = new WeakMap<Endpoint, KnownTail>();

function tailOf(endpoint: Endpoint): KnownTail {
  let tail = tails.get(endpoint);
  if (tail === undefined) {
    tail = new KnownTail();
    tails.set(endpoint, tail);
  }
  return tail;
}

/** Most usage is within the bound of its call, so that the most that is plausible need not be known. */
class CallLimits implements UsageLimits {
  readonly held: Units;
  readonly #state: AdmittedCall;

  constructor(state: AdmittedCall) {
    this.held = state.bound;
    this.#state = state;
  }

  get most(): Units {
    return plausibleUnits(this.#state.request, this.#state.model, this.held);
  }
}

export function measureStreamOf(
  state: AdmittedCall,
  plan: RequestPlan,
  end: StreamedResponse["end"],
  meter: StreamMeter,
): Measured {
  const { capture } = state;
  return measureStream({
    ...answeredOf(state, plan),
    ...meter.heard,
    end,
    pieces: capture.pieces,
    bytesSent: capture.sentBytes,
  });
}
