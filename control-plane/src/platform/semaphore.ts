export type SemaphoreLimits = {
  readonly runningMax: number;
  readonly waitingMax: number;
  readonly waitMsMax: number;
};

/** Too many wait already, or it took too long until it was this one's turn. Nothing was begun. */
export class SemaphoreFullError extends Error {
  override readonly name = "SemaphoreFullError";

  constructor() {
    super("too much work is in progress");
  }
}

/** Lets so many run at a time; the others wait in their order, but not many of them and not for long. */
export class Semaphore {
  readonly #limits: SemaphoreLimits;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits;
  }

  /** @throws SemaphoreFullError before the work begins, and whatever the work throws */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#limits.runningMax) {
      await this.#wait();
    } else {
      this.#running += 1;
    }
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  /** Resolves with the place of somebody who left. */
  #wait(): Promise<void> {
    if (this.#waiting.size >= this.#limits.waitingMax) {
      return Promise.reject(new SemaphoreFullError());
    }
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(enter);
        reject(new SemaphoreFullError());
      }, this.#limits.waitMsMax);
      this.#waiting.add(enter);
    });
  }

  #leave(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#running -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
