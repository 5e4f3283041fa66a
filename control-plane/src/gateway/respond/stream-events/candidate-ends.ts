import type { StreamEnds } from "./choice-ends.ts";

/** Which candidates of a Gemini stream have ended. A prompt that was blocked has none. The stream has no end mark. */
export class CandidateEnds implements StreamEnds {
  readonly mark = Buffer.alloc(0);
  readonly #begun = new Set<unknown>();
  readonly #ended = new Set<unknown>();
  #isBlocked = false;

  note({ candidates, promptFeedback: feedback }: Record<string, unknown>): void {
    this.#isBlocked ||= typeof feedback === "object" && feedback !== null && "blockReason" in feedback;
    for (const candidate of Array.isArray(candidates) ? candidates : []) {
      if (typeof candidate === "object" && candidate !== null) {
        const { index = 0, finishReason: reason } = candidate as Record<string, unknown>;
        this.#begun.add(index);
        if (typeof reason === "string" && reason !== "") {
          this.#ended.add(index);
        }
      }
    }
  }

  get isWhole(): boolean {
    return this.#isBlocked || (this.#ended.size > 0 && this.#ended.size === this.#begun.size);
  }

  get isComplete(): boolean {
    return this.isWhole;
  }
}
