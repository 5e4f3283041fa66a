const partMs = 2_000;
const parts = 5;
const callsMin = 20;
const failureShareMax = 0.5;

/** How the calls of the last ten seconds went: enough to tell a channel that is down from one that stumbled. */
export class FailureWindow {
  readonly #calls = new Uint32Array(parts);
  readonly #failures = new Uint32Array(parts);
  #latestPart = 0;

  add(isFailure: boolean, tick: number): void {
    this.#forget(tick);
    const slot = this.#latestPart % parts;
    this.#calls[slot] = (this.#calls[slot] ?? 0) + 1;
    this.#failures[slot] = (this.#failures[slot] ?? 0) + (isFailure ? 1 : 0);
  }

  /** Whether at least half of at least 20 calls failed. */
  isBad(): boolean {
    let calls = 0;
    let failures = 0;
    for (let slot = 0; slot < parts; slot += 1) {
      calls += this.#calls[slot] ?? 0;
      failures += this.#failures[slot] ?? 0;
    }
    return calls >= callsMin && failures / calls >= failureShareMax;
  }

  clear(): void {
    this.#calls.fill(0);
    this.#failures.fill(0);
  }

  /** Empties the parts that have become older than the window. */
  #forget(tick: number): void {
    const part = Math.floor(tick / partMs);
    const passed = Math.min(parts, part - this.#latestPart);
    for (let step = 1; step <= passed; step += 1) {
      const slot = (part - passed + step) % parts;
      this.#calls[slot] = 0;
      this.#failures[slot] = 0;
    }
    this.#latestPart = part;
  }
}
