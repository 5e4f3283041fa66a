/**
 * Opens something for the first caller that needs it. Callers that ask meanwhile wait for the same attempt; after a failure
 * the next caller tries again.
 */
export class Late<Opened> {
  readonly #open: () => Promise<Opened>;
  #opening: Promise<Opened> | null = null;
  #opened: Opened | null = null;

  constructor(open: () => Promise<Opened>) {
    this.#open = open;
  }

  /** Null until it is open. */
  get opened(): Opened | null {
    return this.#opened;
  }

  get(): Promise<Opened> {
    this.#opening ??= this.#begin();
    return this.#opening;
  }

  /** What is open, or will be in a moment; null if nobody has asked for it. */
  async settled(): Promise<Opened | null> {
    await this.#opening?.catch(() => undefined);
    return this.#opened;
  }

  async #begin(): Promise<Opened> {
    try {
      this.#opened = await this.#open();
      return this.#opened;
    } catch (error) {
      this.#opening = null;
      throw error;
    }
  }
}
