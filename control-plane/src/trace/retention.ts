import { audit, bySystem } from "../admin/audit/service.ts";
import type { Database } from "../platform/db.ts";
import { DatabaseTimeoutError } from "../platform/db-errors.ts";
import type { Log } from "../platform/log.ts";
import type { TraceRules } from "./model.ts";
import { countPayloads, type DroppedLog, dayBefore, destroyKeys, dropDay, listDaysOf } from "./retention-store.ts";

export type TraceRetentionDeps = {
  readonly db: Database;
  readonly log: Log;
  readonly rules: () => TraceRules;
};

/** The work of one run, as `table day`. */
export type RetentionRun = {
  readonly destroyedDays: readonly string[];
  readonly dropped: readonly string[];
  /** Partitions that were in use; the next run tries again. */
  readonly left: readonly string[];
};

/** A count reads the row of each segment, and a day has many. */
const countMsMax = 120_000;

/**
 * The end of the retention. A run first destroys the key of an expired day, which makes its payloads unreadable
 * whatever happens next, and then drops its partitions. Only the database's calendar decides, so a run makes up for
 * whatever earlier runs have missed, even after weeks, and two simultaneous runs destroy a day once.
 */
export class TraceRetention {
  readonly #deps: TraceRetentionDeps;

  constructor(deps: TraceRetentionDeps) {
    this.#deps = deps;
  }

  /** Destroys and drops expired days. @throws a database error; the days before it stay destroyed */
  async run(): Promise<RetentionRun> {
    const { db, log, rules } = this.#deps;
    const { payloadRetentionDays, metadataRetentionDays } = rules();
    const payloadsBefore = await dayBefore(db, Math.min(payloadRetentionDays, metadataRetentionDays));
    const tracesBefore = await dayBefore(db, metadataRetentionDays);
    const destroyedDays = await this.#destroyKeys(payloadsBefore);
    const done = { dropped: [] as string[], left: [] as string[] };
    await this.#drop("payload_segment", payloadsBefore, done);
    await this.#drop("payload_record", payloadsBefore, done);
    await this.#drop("trace_record", tracesBefore, done);
    if (destroyedDays.length + done.dropped.length > 0) {
      log.info("trace.retention", { destroyedDays, dropped: done.dropped });
    }
    if (done.left.length > 0) {
      log.warn("trace.retention_waits", { left: done.left });
    }
    return { destroyedDays, ...done };
  }

  /** Counts the payloads that can be decrypted, for displays of their number. */
  async count(): Promise<void> {
    await this.#deps.db.withTransaction((tx) => countPayloads(tx), { statementTimeoutMs: countMsMax });
  }

  async #destroyKeys(before: string): Promise<string[]> {
    return await this.#deps.db.withTransaction(async (tx) => {
      const days = await destroyKeys(tx, before);
      if (days.length > 0) {
        await audit(tx, bySystem("trace retention"), "trace.payloads_destroyed", {
          subjectKind: "payload_day_key",
          subjectId: days.at(-1) ?? "",
          after: { days },
        });
      }
      return days;
    });
  }

  async #drop(table: DroppedLog, before: string, done: { dropped: string[]; left: string[] }): Promise<void> {
    const { db } = this.#deps;
    for (const day of await listDaysOf(db, table, before)) {
      try {
        if (await dropDay(db, table, day)) {
          done.dropped.push(`${table} ${day}`);
        }
      } catch (error) {
        if (!(error instanceof DatabaseTimeoutError)) {
          throw error;
        }
        done.left.push(`${table} ${day}`);
      }
    }
  }
}
