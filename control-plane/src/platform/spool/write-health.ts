import type { SpoolWarning } from "./model.ts";
import type { ReserveFile } from "./reserve-file.ts";
import { isDiskFailure } from "./spool-store.ts";

export type WriteHealthDeps = {
  readonly reserve: ReserveFile;
  readonly onWarning: (warning: SpoolWarning) => void;
  /** Restarts the log file, which itself needs a little room. */
  readonly rewindLog: () => void;
  /** Returns the space that a past backlog occupies. */
  readonly shrink: () => void;
  /** Writes something small. */
  readonly probe: () => void;
};

const checkMs = 1_000;

/**
 * Whether rows can be written. After a failure it makes as much room as it can, and checks every second whether the
 * disk works again: the reserve has to fit, and a small write has to succeed.
 */
export class WriteHealth {
  readonly #deps: WriteHealthDeps;
  #isGood = true;
  #isClosed = false;
  #timer: Timer | null = null;
  #checking: Promise<void> | null = null;

  constructor(deps: WriteHealthDeps) {
    this.#deps = deps;
  }

  get isGood(): boolean {
    return this.#isGood;
  }

  /** Reserves the disk space. The spool is not healthy until that has succeeded. */
  async start(): Promise<void> {
    if (!(await this.#deps.reserve.occupy())) {
      this.#begin("spool.disk_full", null);
    }
  }

  /**
   * A write failed. On a full disk it releases the reserve; once the reserve is used up too, the log file is restarted.
   * The reserve comes first, because a restart may itself need room. The write may then be tried once more.
   */
  onFailure(error: unknown): void {
    const isFull = isDiskFailure(error);
    if (isFull && !this.#deps.reserve.release()) {
      this.#attempt(this.#deps.rewindLog);
    }
    this.#begin(isFull ? "spool.disk_full" : "spool.write_failed", error);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer ?? undefined);
    await this.#checking;
  }

  #begin(event: SpoolWarning["event"], error: unknown): void {
    if (this.#isGood) {
      this.#isGood = false;
      this.#deps.onWarning({ event, detail: { error } });
      this.#scheduleCheck();
    }
  }

  #scheduleCheck(): void {
    if (!this.#isClosed) {
      this.#timer = setTimeout(() => {
        this.#checking = this.#check();
      }, checkMs);
      this.#timer.unref();
    }
  }

  async #check(): Promise<void> {
    // The past backlog itself may fill the disk.
    this.#attempt(this.#deps.shrink);
    const hasRoom = await this.#deps.reserve.occupy().catch(() => false);
    if (hasRoom && !this.#isClosed && this.#attempt(this.#deps.probe)) {
      this.#isGood = true;
      this.#deps.onWarning({ event: "spool.recovered", detail: {} });
    } else {
      this.#scheduleCheck();
    }
  }

  /** Returns whether the work succeeded. A failure here is expected, and the work is tried again later. */
  #attempt(work: () => void): boolean {
    try {
      work();
      return true;
    } catch {
      return false;
    }
  }
}
