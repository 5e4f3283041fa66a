import { SQL } from "bun";
import { backoffMs } from "./backoff.ts";

/** Called for every change: true when the database responds again, false when it was found to be unreachable. */
export type ReachabilityListener = (isReachable: boolean) => void;

const probeTimeoutMs = 1_000;
const probeBackoff = { minMs: 100, maxMs: 1_000 };

/**
 * Knows whether the database is reachable. One lost connection proves nothing (an operator may have ended it), so a
 * loss starts a probe over a fresh connection, and only the probe's failure counts. While the database is unreachable
 * the probe repeats, so that recovery is noticed within about a second without any traffic.
 */
export class Reachability {
  readonly #url: string;
  readonly #listeners = new Set<ReachabilityListener>();
  #isReachable = false;
  #isAway = false;
  #isProbing = false;
  #isClosed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  get isReachable(): boolean {
    return this.#isReachable;
  }

  /** Whether a probe has failed and no response has come since; unlike `!isReachable` it starts out false. */
  get isAway(): boolean {
    return this.#isAway;
  }

  subscribe(listener: ReachabilityListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Takes the outcome of an ordinary statement into account; cheap when nothing changed. */
  readonly note = (contact: "answered" | "lost"): void => {
    if (contact === "answered") {
      if (!this.#isReachable || this.#isAway) {
        this.#change(true);
      }
    } else if (!this.#isProbing && !this.#isClosed) {
      this.#isProbing = true;
      this.#scheduleProbe(0);
    }
  };

  /** Asks the database once, over a separate connection. Never throws. */
  async ping(timeoutMs: number = probeTimeoutMs): Promise<boolean> {
    const answered = await ask(this.#url, timeoutMs);
    this.note(answered ? "answered" : "lost");
    return answered;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#listeners.clear();
  }

  #scheduleProbe(failures: number): void {
    const delayMs = failures === 0 ? 0 : backoffMs(probeBackoff, failures);
    this.#timer = setTimeout(() => void this.#probe(failures), delayMs);
    // A process that has nothing else to do may end even while the database is unreachable.
    this.#timer.unref();
  }

  async #probe(failures: number): Promise<void> {
    const answered = await ask(this.#url, probeTimeoutMs);
    if (this.#isClosed) {
      return;
    }
    this.#change(answered);
    if (answered) {
      this.#isProbing = false;
    } else {
      this.#scheduleProbe(failures + 1);
    }
  }

  #change(isReachable: boolean): void {
    this.#isAway = !isReachable;
    if (this.#isReachable === isReachable) {
      return;
    }
    this.#isReachable = isReachable;
    for (const listener of this.#listeners) {
      listener(isReachable);
    }
  }
}

/** Opens a connection, asks for one row and closes it again, all within `timeoutMs`. */
async function ask(url: string, timeoutMs: number): Promise<boolean> {
  const client = new SQL(url, { adapter: "postgres", max: 1, connection: { application_name: "sluice probe" } });
  const silence = Promise.withResolvers<false>();
  const timer = setTimeout(() => silence.resolve(false), timeoutMs);
  const answer = client`select 1`.then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([answer, silence.promise]);
  } finally {
    clearTimeout(timer);
    await client.close({ timeout: 0 });
  }
}
