import { turn } from "./turn.ts";

export interface Timed {
  /** The position of this object in the ticker; -1 while it is not registered. Only the ticker writes it. */
  tickerSlot: number;
  /** Called on every tick while registered and not resting, with the reading of the ticker's clock. */
  onTick(nowMs: number): void;
}

export const tickMs = 50;
// A process that was stopped or busy for longer than this must not blame its peers for the silence.
const stepMsMax = 5 * tickMs;
// Starting and stopping the timer costs more than a few empty ticks.
const emptyTicksMax = 40;

/**
 * One timer for all deadlines of a client. A deadline fires at most 100 ms late, and early by no more than what a busy
 * process ticks late; in return, no request, phase or packet has to set or clear a timer.
 */
export class DeadlineTicker {
  readonly #timed: Timed[] = [];
  /** For each of them the reading until which it rests, in one piece: those that rest stay out of the caches. */
  readonly #restUntilMs: number[] = [];
  #timer: ReturnType<typeof setInterval> | null = null;
  #nowMs = 0;
  #lastReadingMs = 0;
  #emptyTicks = 0;

  /** A coarse monotonic clock: the reading of the last tick. */
  get nowMs(): number {
    return this.#nowMs;
  }

  add(timed: Timed): void {
    timed.tickerSlot = this.#timed.length;
    this.#timed.push(timed);
    this.#restUntilMs.push(0);
    if (this.#timer === null) {
      this.#emptyTicks = 0;
      this.#lastReadingMs = performance.now();
      this.#timer = setInterval(() => this.#tick(), tickMs);
      // Only a socket keeps the process alive, never this timer.
      this.#timer.unref();
    }
  }

  remove(timed: Timed): void {
    const slot = timed.tickerSlot;
    if (slot === -1) {
      return;
    }
    timed.tickerSlot = -1;
    // The last entry moves to the free position.
    const last = this.#timed.pop();
    const lastRestUntilMs = this.#restUntilMs.pop();
    if (last !== undefined && lastRestUntilMs !== undefined && last !== timed) {
      last.tickerSlot = slot;
      this.#timed[slot] = last;
      this.#restUntilMs[slot] = lastRestUntilMs;
    }
  }

  /** None of its deadlines can be over before so much time has passed, whatever happens, unless this is called again. */
  rest(timed: Timed, restMs: number): void {
    if (timed.tickerSlot !== -1) {
      this.#restUntilMs[timed.tickerSlot] = this.#nowMs + restMs;
    }
  }

  #tick(): void {
    // The runtime calls timers between reading and processing: what came in time must not be late because of that.
    turn.catchUp();
    const readingMs = performance.now();
    this.#nowMs += Math.min(readingMs - this.#lastReadingMs, stepMsMax);
    this.#lastReadingMs = readingMs;
    // The loop runs from the end, because a callback may remove its own entry.
    for (let slot = this.#timed.length - 1; slot >= 0; slot -= 1) {
      if ((this.#restUntilMs[slot] as number) <= this.#nowMs) {
        this.#timed[slot]?.onTick(this.#nowMs);
      }
    }
    this.#emptyTicks = this.#timed.length === 0 ? this.#emptyTicks + 1 : 0;
    if (this.#emptyTicks > emptyTicksMax && this.#timer !== null) {
      clearInterval(this.#timer);
      this.#timer = null;
    }
  }
}

/** Whether `limitMs` have passed since a reading of the clock, which may have been one tick old. */
export function hasPassed(limitMs: number, sinceMs: number, nowMs: number): boolean {
  return nowMs - sinceMs >= limitMs + tickMs;
}
