/** The memory of requests that have not begun, in all connections. */
export class HeldBytes {
  #unfinished = 0;
  #ahead = 0;
  readonly #bytesMax: number;

  /** @param bytesMax of unfinished requests, and as much again of those that wait for the one before them */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** @returns whether there is room for it */
  changeUnfinished(byBytes: number): boolean {
    this.#unfinished += byBytes;
    return this.#unfinished <= this.#bytesMax;
  }

  /** Apart from the unfinished ones, because anybody can begin a request: others would be cut for it. */
  changeAhead(byBytes: number): boolean {
    this.#ahead += byBytes;
    return this.#ahead <= this.#bytesMax;
  }
}

/** The share of one connection. */
export class HeldShare {
  #unfinished = 0;
  #ahead = 0;
  readonly #all: HeldBytes;

  constructor(all: HeldBytes) {
    this.#all = all;
  }

  /** The rest of a request is missing. @returns false if that is more than there is room for */
  waitForRest(bytes: number): boolean {
    this.#setAhead(0);
    return this.#setUnfinished(bytes);
  }

  /** A request is whole, and these bytes of the next ones wait for it. @returns the same */
  waitForAnswer(bytes: number): boolean {
    this.#setUnfinished(0);
    return this.#setAhead(bytes);
  }

  release(): void {
    this.#setUnfinished(0);
    this.#setAhead(0);
  }

  #setUnfinished(bytes: number): boolean {
    const change = bytes - this.#unfinished;
    this.#unfinished = bytes;
    return change === 0 || this.#all.changeUnfinished(change) || bytes === 0;
  }

  #setAhead(bytes: number): boolean {
    const change = bytes - this.#ahead;
    this.#ahead = bytes;
    return change === 0 || this.#all.changeAhead(change) || bytes === 0;
  }
}
