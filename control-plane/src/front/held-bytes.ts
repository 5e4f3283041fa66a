/** The memory that requests hold which have not begun: unfinished ones, and those that wait for the one before. */
export class HeldBytes {
  #bytes = 0;
  readonly #bytesMax: number;

  /** @param bytesMax of all connections together */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** @returns whether there is room for it */
  change(byBytes: number): boolean {
    this.#bytes += byBytes;
    return this.#bytes <= this.#bytesMax;
  }
}

/** The share of one connection. */
export class HeldShare {
  #bytes = 0;
  readonly #all: HeldBytes;

  constructor(all: HeldBytes) {
    this.#all = all;
  }

  /** @returns false if that is more than there is room for */
  set(bytes: number): boolean {
    if (bytes === this.#bytes) {
      return true;
    }
    const hasRoom = this.#all.change(bytes - this.#bytes);
    this.#bytes = bytes;
    return hasRoom || bytes === 0;
  }
}
