import type { Clock } from "../platform/clock.ts";

/** Lets a number of bytes pass per second, and up to one second's worth at once. */
export class ByteAllowance {
  readonly #bytesPerMs: number;
  readonly #clock: Clock;
  #bytes: number;
  #filledTick: number;

  constructor(bytesPerSecond: number, clock: Clock) {
    this.#bytesPerMs = bytesPerSecond / 1_000;
    this.#clock = clock;
    this.#bytes = bytesPerSecond;
    this.#filledTick = clock.tick();
  }

  /** Whether this many bytes may pass now; if not, nothing is taken. */
  take(bytes: number): boolean {
    if (this.#bytes < bytes) {
      const tick = this.#clock.tick();
      this.#bytes = Math.min(this.#bytesPerMs * 1_000, this.#bytes + (tick - this.#filledTick) * this.#bytesPerMs);
      this.#filledTick = tick;
    }
    if (this.#bytes < bytes) {
      return false;
    }
    this.#bytes -= bytes;
    return true;
  }
}
