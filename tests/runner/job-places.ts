import { type ProcessorTimes, processorTimes } from "./processor-use.ts";

/** Loads are fractions, whose sums are not exact. */
const roundingError = 1e-6;
/** Jobs of several kinds wait for something at the same time now and then: one more uses what they leave. */
const idleShareMin = 0.2;

/** How many jobs run at the same time: their loads add up to the processors there are, and to one job more where these idle. */
export class JobPlaces {
  readonly #processors: number;
  readonly #read: () => ProcessorTimes;
  #last: ProcessorTimes;
  #load = 0;
  #isOneMore = false;

  constructor(processors: number, read: () => ProcessorTimes = processorTimes) {
    this.#processors = processors;
    this.#read = read;
    this.#last = read();
  }

  hasRoomFor(load: number): boolean {
    return this.#load + (this.#isOneMore ? 0 : load) <= this.#processors + roundingError;
  }

  take(load: number): void {
    this.#load += load;
    this.#isOneMore = false;
  }

  giveBack(load: number): void {
    this.#load -= load;
  }

  /** To be called every few seconds: there is room for one more if the processors have idled since the last call. */
  look(): void {
    const now = this.#read();
    const idleMs = now.idleMs - this.#last.idleMs;
    this.#isOneMore = idleMs >= idleShareMin * Math.max(1, now.allMs - this.#last.allMs);
    this.#last = now;
  }
}
