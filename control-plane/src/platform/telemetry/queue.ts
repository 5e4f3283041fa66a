import type { Log } from "../log.ts";
import type { TelemetryReceiver, TelemetryRecord } from "./model.ts";

const recordsMax = 4_096;
const batchMax = 512;
const drainMs = 1_000;

export type TelemetryDeps<Entry> = {
  readonly receiver: TelemetryReceiver;
  /** Computes the exported data of an entry, off the hot path. */
  readonly toRecord: (entry: Entry) => TelemetryRecord;
  readonly onDropped: (count: number, reason: "queue_full" | "not_taken") => void;
  readonly log: Log;
};

/**
 * The entries that wait to be exported. Adding an entry costs one push. When the receiver is unreachable or slow,
 * entries that do not fit are dropped and counted, and nobody waits.
 */
export class TelemetryQueue<Entry> {
  readonly #deps: TelemetryDeps<Entry>;
  readonly #timer: Timer;
  #waiting: Entry[] = [];
  #sending: Promise<void> | null = null;

  constructor(deps: TelemetryDeps<Entry>) {
    this.#deps = deps;
    this.#timer = setInterval(() => void this.#drain(), drainMs);
    this.#timer.unref();
  }

  take(entry: Entry): void {
    if (this.#waiting.length >= recordsMax) {
      this.#deps.onDropped(1, "queue_full");
      return;
    }
    this.#waiting.push(entry);
  }

  /** Sends the waiting entries, one batch after the other. */
  async #drain(): Promise<void> {
    this.#sending ??= this.#send();
    await this.#sending;
    this.#sending = null;
  }

  async #send(): Promise<void> {
    const { receiver, toRecord, onDropped, log } = this.#deps;
    while (this.#waiting.length > 0) {
      const entries = this.#waiting.splice(0, batchMax);
      try {
        const batch = entries.map(toRecord);
        receiver.measure(batch.flatMap(({ measurements }) => measurements));
        await receiver.sendTraces(batch.map(({ trace }) => trace));
      } catch (error) {
        onDropped(entries.length, "not_taken");
        log.warn("telemetry.export_failed", { error, spans: entries.length });
        return;
      }
    }
  }

  /** Tries once more to send the waiting entries, for at most this long. */
  async close(timeoutMs: number): Promise<void> {
    clearInterval(this.#timer);
    const last = this.#drain().then(() => this.#deps.receiver.close());
    await Promise.race([last, Bun.sleep(timeoutMs)]);
  }
}
