import { AppError } from "./errors.ts";

/** How many tasks a customer may have queued; they are quick. */
const waitingMax = 8;

/** Runs one task at a time for each key: a task begins when the previous one has ended. */
export class OneAtATime<Key> {
  /** The end of each key's queue, and its length. */
  readonly #lines = new Map<Key, { last: Promise<unknown>; count: number }>();

  /** @throws AppError `rate_limit_exceeded` when too many wait, or an error of the work */
  async run<Result>(key: Key, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(key) ?? { last: Promise.resolve(), count: 0 };
    if (line.count > waitingMax) {
      const message = `This API key can have at most ${waitingMax} token counts queued.`;
      throw new AppError("rate_limit_exceeded", { message, retryAfterSeconds: 1 });
    }
    this.#lines.set(key, line);
    line.count += 1;
    const turn = line.last.then(work);
    line.last = turn.catch(() => undefined);
    try {
      return await turn;
    } finally {
      line.count -= 1;
      if (line.count === 0) {
        this.#lines.delete(key);
      }
    }
  }
}
