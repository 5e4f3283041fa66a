import { cpus } from "node:os";

/** The times of all processors since the machine started. */
export type ProcessorTimes = { readonly allMs: number; readonly idleMs: number };

/** How busy the processors were, as a whole and by the kind of job that ended: it shows which kind left them idle, waiting for something. */
export class ProcessorUse {
  readonly #read: () => ProcessorTimes;
  readonly #first: ProcessorTimes;
  #last: ProcessorTimes;
  readonly #kinds = new Map<string, ProcessorTimes>();

  constructor(read: () => ProcessorTimes = processorTimes) {
    this.#read = read;
    this.#first = read();
    this.#last = this.#first;
  }

  /** A job of this kind has ended: the time since the last such moment counts as its kind's. */
  note(kind: string): void {
    const now = this.#read();
    const { allMs, idleMs } = this.#kinds.get(kind) ?? { allMs: 0, idleMs: 0 };
    const passed = between(this.#last, now);
    this.#kinds.set(kind, { allMs: allMs + passed.allMs, idleMs: idleMs + passed.idleMs });
    this.#last = now;
  }

  /** Such as `91 % (unit 97 %, fault 82 %)`. */
  describe(): string {
    const kinds = [...this.#kinds].map(([kind, times]) => `${kind} ${busyShare(times)}`);
    const whole = busyShare(between(this.#first, this.#read()));
    return kinds.length === 0 ? whole : `${whole} (${kinds.join(", ")})`;
  }
}

export function processorTimes(): ProcessorTimes {
  const times = cpus().map(({ times: each }) => each);
  const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
  return { allMs: sum(times.flatMap((each) => Object.values(each))), idleMs: sum(times.map(({ idle }) => idle)) };
}

const between = (from: ProcessorTimes, to: ProcessorTimes): ProcessorTimes => ({
  allMs: to.allMs - from.allMs,
  idleMs: to.idleMs - from.idleMs,
});

const busyShare = ({ allMs, idleMs }: ProcessorTimes): string =>
  `${Math.round((1 - idleMs / Math.max(1, allMs)) * 100)} %`;
