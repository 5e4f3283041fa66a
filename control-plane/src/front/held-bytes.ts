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
  readonly #unfinished: Part;
  readonly #ahead: Part;

  constructor({ unfinished, ahead }: HeldBytes) {
    this.#unfinished = new Part(unfinished);
    this.#ahead = new Part(ahead);
  }

  /** The rest of a request is missing. @returns false if that is more than there is room for */
  waitForRest(bytes: number): boolean {
    this.#ahead.set(0);
    return this.#unfinished.set(bytes);
  }

  /** A request is whole, and these bytes of the next ones wait for it. @returns the same */
  waitForAnswer(bytes: number): boolean {
    this.#unfinished.set(0);
    return this.#ahead.set(bytes);
  }

  release(): void {
    this.#unfinished.set(0);
    this.#ahead.set(0);
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

class Part {
  #bytes = 0;
  readonly #whole: Bound;

  constructor(whole: Bound) {
    this.#whole = whole;
  }

  set(bytes: number): boolean {
    const change = bytes - this.#bytes;
    this.#bytes = bytes;
    return change === 0 || this.#whole.change(change) || bytes === 0;
  }
}
