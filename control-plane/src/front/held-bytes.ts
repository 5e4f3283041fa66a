/** The memory of requests that have not begun, in all connections. */
export class HeldBytes {
  readonly unfinished: Bound;
  /** Apart from the unfinished ones, because anybody can begin a request: others would be cut for it. */
  readonly ahead: Bound;

  /** @param bytesMax of unfinished requests, and as much again of those that wait for the one before them */
  constructor(bytesMax: number) {
    this.unfinished = new Bound(bytesMax);
    this.ahead = new Bound(bytesMax);
  }
}

/** The share of one connection. */
export class HeldShare {
  readonly #whole: HeldBytes;
  #unfinished = 0;
  #ahead = 0;

  constructor(whole: HeldBytes) {
    this.#whole = whole;
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
    return hasRoom(this.#whole.unfinished, change, bytes);
  }

  #setAhead(bytes: number): boolean {
    const change = bytes - this.#ahead;
    this.#ahead = bytes;
    return hasRoom(this.#whole.ahead, change, bytes);
  }
}

class Bound {
  #bytes = 0;
  readonly #bytesMax: number;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** @returns whether there is room for it */
  change(byBytes: number): boolean {
    this.#bytes += byBytes;
    return this.#bytes <= this.#bytesMax;
  }
}

function hasRoom(whole: Bound, change: number, bytes: number): boolean {
  return change === 0 || whole.change(change) || bytes === 0;
}
