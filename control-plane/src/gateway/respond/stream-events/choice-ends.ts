import { PartEnds } from "./part-ends.ts";

/** What the events of a stream say about its end, for providers that omit the end mark. */
export interface StreamEnds {
  /** The last event of a complete stream, which some providers omit and just close the connection. */
  readonly mark: Buffer;
  /** Every part has ended: the response is complete, even if the provider sends nothing more. */
  readonly isWhole: boolean;
  /** The provider has also sent everything that follows the parts. */
  readonly isComplete: boolean;
  /** The payload of an event. */
  note(payload: Record<string, unknown>): void;
}

const doneEvent = Buffer.from("data: [DONE]\n\n");

/** Which choices of a stream have begun, which have a finish reason, and whether the usage was reported after that. */
export class ChoiceEnds implements StreamEnds {
  readonly mark = doneEvent;
  readonly #choices = new PartEnds();
  #isUsageReported = false;

  /** The payload of an event of chat or text completions. */
  note(payload: Record<string, unknown>): void {
    const { choices } = payload;
    if (Array.isArray(choices)) {
      for (const choice of choices) {
        this.#noteChoice(choice);
      }
    }
    this.#isUsageReported ||= payload["usage"] != null && this.isWhole;
  }

  get isWhole(): boolean {
    return this.#choices.areAllEnded;
  }

  get isComplete(): boolean {
    return this.isWhole && this.#isUsageReported;
  }

  #noteChoice(choice: unknown): void {
    if (typeof choice !== "object" || choice === null) {
      return;
    }
    const { index = 0, finish_reason: reason } = choice as Record<string, unknown>;
    this.#choices.note(index, typeof reason === "string" && reason !== "");
  }
}
