import type { Units } from "../models/units.ts";
import { AppError } from "../platform/errors.ts";
import type { CallEnder } from "./call-ender.ts";
import { keepPiece } from "./call-state.ts";
import type { AdmittedCall, GatewayResponse } from "./model.ts";
import type { PipelineDeps } from "./pipeline-deps.ts";
import { withCallId } from "./respond/write-error.ts";
import type { KeptAnswer } from "./response-cache/model.ts";
import { cacheHeader } from "./response-cache/read-wish.ts";
import { ReplayedEvents } from "./response-cache/replay-events.ts";
import type { CacheEntry } from "./response-cache/response-cache.ts";

/** How a call continues that is not answered from the cache, and what a response to it can have now. */
type Provided = { readonly ask: () => Promise<GatewayResponse>; readonly most: Pick<Units, "outputTokens"> };

/** A call whose key uses the cache: it gets the response to an equal request, or one of a provider that is kept. */
export class CachedCalls {
  readonly #deps: PipelineDeps;
  readonly #ender: CallEnder;

  constructor(deps: PipelineDeps, ender: CallEnder) {
    this.#deps = deps;
    this.#ender = ender;
  }

  async answer(state: AdmittedCall, entry: CacheEntry, { ask, most }: Provided): Promise<GatewayResponse> {
    const { responses } = this.#deps;
    const found = responses.find(entry);
    const kept = found instanceof Promise ? await found : found;
    // The limits of the model may be lower than they were when the response was kept.
    const isFitting = ({ units }: KeptAnswer) =>
      units.outputTokens <= most.outputTokens && units.inputTokens <= state.model.contextTokensMax;
    if (kept !== null && isFitting(kept)) {
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
    return {
      status: 200,
      headers: sent,
      body: isStream ? new ReplayedEvents(body, call.postscript?.() ?? null) : body,
    };
  }
}
