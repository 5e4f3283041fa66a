/** Which choices of a stream have begun, which have a finish reason, and whether the usage was reported after that. */
export class ChoiceEnds {
  readonly #begun = new Set<unknown>();
  readonly #ended = new Set<unknown>();
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

  /** Every known choice has ended: the response is complete, even if the provider sends nothing more. */
  get isWhole(): boolean {
    return this.#ended.size > 0 && this.#ended.size === this.#begun.size;
  }

  /** The provider has also sent everything that follows the choices. */
  get isComplete(): boolean {
    return this.isWhole && this.#isUsageReported;
  }

  #noteChoice(choice: unknown): void {
    if (typeof choice !== "object" || choice === null) {
      return;
    }
    const { index = 0, finish_reason: reason } = choice as Record<string, unknown>;
    this.#begun.add(index);
    if (typeof reason === "string" && reason !== "") {
      this.#ended.add(index);
    }
  }
}
