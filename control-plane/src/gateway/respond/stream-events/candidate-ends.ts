import type { StreamEnds } from "./choice-ends.ts";
import { PartEnds } from "./part-ends.ts";

const nothing = Buffer.alloc(0);

/** Which candidates of a Gemini stream have ended. A prompt that was blocked has none. The stream has no end mark. */
export class CandidateEnds implements StreamEnds {
  readonly mark = nothing;
  readonly #candidates = new PartEnds();
  #isBlocked = false;

  note({ candidates, promptFeedback: feedback }: Record<string, unknown>): void {
    this.#isBlocked ||= typeof feedback === "object" && feedback !== null && "blockReason" in feedback;
    for (const candidate of Array.isArray(candidates) ? candidates : []) {
      if (typeof candidate === "object" && candidate !== null) {
        const { index = 0, finishReason: reason } = candidate as Record<string, unknown>;
        this.#candidates.note(index, typeof reason === "string" && reason !== "");
      }
    }
  }

  get isWhole(): boolean {
    return this.#isBlocked || this.#candidates.areAllEnded;
  }

  get isComplete(): boolean {
    return this.isWhole;
  }
}
