import { AppError } from "../platform/errors.ts";
import { boundUnits } from "./admit/reserve-quota.ts";
import type { CallEnder } from "./call-ender.ts";
import { keepPiece } from "./call-state.ts";
import type { AdmittedCall, GatewayResponse } from "./model.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import { withCallId } from "./respond/write-error.ts";
import type { KeptAnswer } from "./response-cache/model.ts";
import { cacheHeader } from "./response-cache/read-wish.ts";
import { replayEvents } from "./response-cache/replay-events.ts";
import type { CacheEntry } from "./response-cache/response-cache.ts";

/** Whether the call could get such a response from a provider now: the limits of the model may be lower than they were. */
function isCovered({ request, model }: AdmittedCall, { units }: KeptAnswer): boolean {
  return units.outputTokens <= boundUnits(request, model).outputTokens && units.inputTokens <= model.contextTokensMax;
}

/** A call whose key uses the cache: it gets the response to an equal request, or one of a provider that is kept. */
export class CachedCalls {
  readonly #deps: PipelineDeps;
  readonly #ender: CallEnder;

  constructor(deps: PipelineDeps, ender: CallEnder) {
    this.#deps = deps;
    this.#ender = ender;
  }

  /** @param ask asks a provider */
  async answer(state: AdmittedCall, entry: CacheEntry, ask: () => Promise<GatewayResponse>): Promise<GatewayResponse> {
    const { responses } = this.#deps;
    const found = responses.find(entry);
    const kept = found instanceof Promise ? await found : found;
    if (kept !== null && isCovered(state, kept)) {
      return await this.#replay(state, kept, entry.rules.basisPoints);
    }
    state.recording = responses.record(entry, state.model.name);
    const answer = await ask();
    answer.headers[cacheHeader] = "miss";
    return answer;
  }

  /** Settled before the client sees a byte of it, like any response that is there as a whole. */
  async #replay(state: AdmittedCall, kept: KeptAnswer, cacheBasisPoints: number): Promise<GatewayResponse> {
    const { call } = state;
    if (call.signal.aborted) {
      throw new AppError("client_closed_request");
    }
    const { body, headers, isStream, units } = kept;
    const { clock } = this.#deps;
    state.isStream = isStream;
    state.firstByteMs = Math.round(clock.tick() - call.startedTick);
    keepPiece(state, body);
    const end = { outcome: "completed", httpStatus: 200, errorCode: null, usageSource: "provider" } as const;
    await this.#ender.settle(state, { ...end, units, cacheBasisPoints });
    const age = Math.max(0, Math.floor((clock.now() - kept.keptAtMs) / 1_000));
    const sent = withCallId({ ...headers, [cacheHeader]: "hit", age: String(age) }, state);
    return { status: 200, headers: sent, body: isStream ? replayEvents(body, call.postscript?.() ?? null) : body };
  }
}
