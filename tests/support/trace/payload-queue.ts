import { randomBytes } from "node:crypto";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { SealingKey } from "@sluice/control-plane/platform/crypto/sealing-key.ts";
import type { PayloadSegment } from "@sluice/control-plane/trace/model.ts";
import { PayloadOutbox, type PayloadOutboxDeps } from "@sluice/control-plane/trace/payload-outbox.ts";
import { PayloadPair } from "./payload-pair.ts";
import { PayloadCounts, type StoredPayload, silentLog, storedPayloads } from "./trace-fixtures.ts";

export const day = "2026-11-21";
export const key = new SealingKey("0123abcd", randomBytes(32));
const queues: PayloadOutbox[] = [];

class Outage extends Error {}

/** A database that can be made unreachable, or made to refuse rows or to keep a statement hanging. */
class Table {
  readonly batches: (readonly StoredPayload[])[] = [];
  readonly attempts: number[] = [];
  readonly days: string[] = [];
  isAway = false;
  isRefused: (row: StoredPayload) => boolean = () => false;
  hold: Promise<void> = Promise.resolve();
  #failures = 0;
  #onFailure: () => void = () => undefined;

  get rows(): StoredPayload[] {
    return this.batches.flat();
  }

  readonly write = async (segment: PayloadSegment): Promise<void> => {
    const rows = storedPayloads(segment);
    this.attempts.push(rows.length);
    this.days.push(segment.day);
    await this.hold;
    if (this.isAway) {
      this.#failures += 1;
      this.#onFailure();
      throw new Outage();
    }
    if (rows.some(this.isRefused)) {
      throw new Error("refused");
    }
    this.batches.push(rows);
  };

  /** Resolves when so many statements have failed because the database was unreachable. */
  async untilFailed(count: number): Promise<void> {
    while (this.#failures < count) {
      await new Promise<void>((resolve) => {
        this.#onFailure = resolve;
      });
    }
  }
}

/** A queue whose segments a test receives. `closeQueues` must follow. */
export function newQueue(changes: Partial<PayloadOutboxDeps> = {}) {
  const counts = new PayloadCounts();
  const table = new Table();
  const isOutage = (error: unknown) => error instanceof Outage;
  const thread = PayloadPair.with({ write: table.write, isOutage, clock: systemClock, log: silentLog });
  const queue = new PayloadOutbox({
    thread,
    findKey: (asked) => (asked === day ? key : null),
    limits: { bodyBytesMax: 1_000_000, queueBytesMax: 64 * 1024 * 1024, queueCountMax: 100_000 },
    observer: counts,
    ...changes,
  });
  queues.push(queue);
  return { queue, table, counts, thread };
}

/** Closes the queues of a test. */
export async function closeQueues(): Promise<void> {
  await Promise.all(queues.splice(0).map((queue) => queue.close(0)));
}
