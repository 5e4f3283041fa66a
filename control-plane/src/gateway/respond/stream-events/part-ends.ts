/** Which parts of a response have begun, and which have ended. Nearly every response has only one, for which no set is made. */
export class PartEnds {
  #first: unknown;
  #hasBegun = false;
  #isFirstEnded = false;
  /** All parts, once there is a second one. */
  #parts: { readonly begun: Set<unknown>; readonly ended: Set<unknown> } | null = null;

  note(index: unknown, hasEnded: boolean): void {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      this.#first = index;
    }
    if (this.#parts === null && index === this.#first) {
      this.#isFirstEnded ||= hasEnded;
      return;
    }
    this.#parts ??= { begun: new Set([this.#first]), ended: new Set(this.#isFirstEnded ? [this.#first] : []) };
    this.#parts.begun.add(index);
    if (hasEnded) {
      this.#parts.ended.add(index);
    }
  }

  /** Whether every part that has begun has ended, and there is one. */
  get areAllEnded(): boolean {
    const parts = this.#parts;
    return parts === null ? this.#isFirstEnded : parts.ended.size > 0 && parts.ended.size === parts.begun.size;
  }
}
