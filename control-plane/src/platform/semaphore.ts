export type SemaphoreLimits = {
  readonly runningMax: number;
  readonly waitingMax: number;
  readonly waitMsMax: number;
};

/** Too many are waiting, or the wait was too long. The work was not started. */
export class SemaphoreFullError extends Error {
  override readonly name = "SemaphoreFullError";

  constructor() {
    super("too much work is in progress");
  }
}

/**
 * Lets this many tasks run at a time; others wait in order, but only a limited number of them and for a limited time.
 */
export class Semaphore {
  readonly #limits: SemaphoreLimits;
  readonly #waiting = new Set<() => void>();
  #running = 0;

  constructor(limits: SemaphoreLimits) {
    this.#limits = limits;
  }

  /** @throws SemaphoreFullError before the work begins, and any error of the work */
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

  /** Resolves with a slot that was released. */
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
