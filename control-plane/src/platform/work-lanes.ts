export type WorkLanesOptions = {
  /** How many pieces of work are under way at a time, at most. */
  readonly lanesMax: number;
  /**
   * Takes one piece of work and does it; false if there was none. Calls `more` as soon as it has taken one, because there
   * may be another for the next lane.
   */
  readonly doNext: (more: () => void) => Promise<boolean>;
  /** What one lane threw, which ends that lane until the next `wake`. */
  readonly onError: (error: unknown) => void;
};

/** Works through what is due in a queue of the database: wider while there is work, and idle until somebody wakes it. */
export class WorkLanes {
  readonly #options: WorkLanesOptions;
  readonly #cutOff = new AbortController();
  #lanes = 0;
  #wakeCount = 0;
  #isStopping = false;
  #idle = Promise.withResolvers<void>();

  constructor(options: WorkLanesOptions) {
    this.#options = options;
  }

  /** Aborts when what is under way has no more time. */
  get cutOff(): AbortSignal {
    return this.#cutOff.signal;
  }

  /** Looks for work. */
  wake(): void {
    this.#wakeCount += 1;
    this.#startLane();
  }

  /** Works until nothing is due. */
  async runDue(): Promise<void> {
    this.wake();
    await this.#untilIdle();
  }

  /** Takes no more work, lets what is under way finish, and aborts it after `timeoutMs`. */
  async stop(timeoutMs: number): Promise<void> {
    this.#isStopping = true;
    const timer = setTimeout(() => this.#cutOff.abort(), timeoutMs);
    await this.#untilIdle();
    clearTimeout(timer);
  }

  async #untilIdle(): Promise<void> {
    if (this.#lanes > 0) {
      await this.#idle.promise;
    }
  }

  #startLane(): void {
    if (this.#isStopping || this.#lanes >= this.#options.lanesMax) {
      return;
    }
    if (this.#lanes === 0) {
      this.#idle = Promise.withResolvers();
    }
    this.#lanes += 1;
    void this.#runLane();
  }

  async #runLane(): Promise<void> {
    const { doNext, onError } = this.#options;
    try {
      let wakeCount: number;
      let isBusy: boolean;
      do {
        wakeCount = this.#wakeCount;
        isBusy = !this.#isStopping && (await doNext(() => this.#startLane()));
        // A wake-up during an empty search may be about something that was committed a moment later.
      } while (isBusy || (!this.#isStopping && wakeCount !== this.#wakeCount));
    } catch (error) {
      onError(error);
    } finally {
      this.#lanes -= 1;
      if (this.#lanes === 0) {
        this.#idle.resolve();
      }
    }
  }
}
