import type { RequestId } from "@sluice/contracts/ids";
import type { Clock } from "../platform/clock.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { SealedColumn } from "../platform/crypto/sealed-column.ts";
import type { Database, Queryable } from "../platform/db.ts";
import type { KeptThread } from "../platform/kept-thread.ts";
import type { Log } from "../platform/log.ts";
import { toJsonList } from "../platform/spool/json-lists.ts";
import {
  type AccessFinding,
  findAccessHead,
  findBrokenAccesses,
  isAccess,
  type WrittenAccess,
} from "./access-store.ts";
import type { OpenedPayload, Payload, ReportedCall, SpooledTrace } from "./model.ts";
import { openStoredPayload } from "./open-stored-payload.ts";
import { dayKeyContext, PayloadKeys } from "./payload-keys.ts";
import { type PayloadLimits, type PayloadObserver, PayloadOutbox } from "./payload-outbox.ts";
import { type DayCount, listDayCounts } from "./retention-store.ts";
import { fromSpooledJson, traceText, writeTraceRow } from "./trace-row.ts";
import { writeTraces } from "./write-store.ts";

export type TraceServiceDeps = {
  readonly db: Database;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
  readonly log: Log;
  /** Appends a row to the spool, which commits it through `commitTraces`. */
  readonly append: (row: ReportedCall) => void;
  /** Seals payloads and writes them; its other end is a `PayloadIntake`. */
  readonly thread: Pick<KeptThread, "listen" | "post">;
  readonly limits: PayloadLimits;
  readonly observer: PayloadObserver;
};

/** How trace rows are converted to lines of the spool and back. */
export const traceRowCodec = { encode: traceText, writePlain: writeTraceRow, decode: fromSpooledJson };

/** What this feature encrypts under the master key. Payloads themselves are encrypted under the key of their day. */
export const traceSealedColumns: readonly SealedColumn[] = [
  {
    table: "payload_day_key",
    column: "wrapped",
    key: ["day", "key_id"],
    isSmall: true,
    contextOf: ([day, keyId]) => dayKeyContext(day ?? "", keyId ?? ""),
  },
];

/**
 * Writes spooled trace rows within the transaction that commits the usage of the same calls. Existing rows stay as they
 * are.
 * @throws an error with `isMissingPartition` when a day has no partition; create it (`trace_record`) and commit again
 */
export async function commitTraces(tx: Queryable, rows: readonly SpooledTrace[]): Promise<void> {
  await writeTraces(tx, toJsonList(rows.map(({ json }) => json)));
}

/** Payloads that can still be decrypted. */
export type DecryptableCount = {
  readonly decryptable: bigint;
  /** When they were last counted; null if they never were. */
  readonly countedAt: Date | null;
  readonly days: readonly Pick<DayCount, "day" | "payloads">[];
};

/**
 * How many payloads can be decrypted. A job has counted them, a minute ago at most, so reading the number costs next to
 * nothing.
 */
export async function countDecryptable(db: Queryable): Promise<DecryptableCount> {
  const counts = await listDayCounts(db);
  const moments = counts.map(({ countedAt }) => countedAt.getTime());
  return {
    decryptable: counts.reduce((sum, { payloads }) => sum + payloads, 0n),
    countedAt: moments.length === 0 ? null : new Date(Math.max(...moments)),
    days: counts.map(({ day, payloads }) => ({ day, payloads })),
  };
}

/** Whether the chain of accesses to payloads is intact, and where it ends. */
export type AccessCheck = {
  readonly findings: readonly AccessFinding[];
  /** The last link; null when someone removed it. */
  readonly head: WrittenAccess | null;
};

/**
 * Checks every link of the chain of accesses.
 * @param expected a link noted elsewhere, for example in the log: it must exist with this hash. This also detects a
 * chain that someone with all rights on the database cut short or recreated.
 */
export async function checkAccesses(db: Queryable, expected: WrittenAccess | null = null): Promise<AccessCheck> {
  const findings = await findBrokenAccesses(db);
  const isThere = expected === null || (await isAccess(db, expected));
  const missing = {
    finding: "the expected link differs or is missing",
    link_number: expected?.number ?? null,
  };
  return { findings: isThere ? findings : [...findings, missing], head: await findAccessHead(db) };
}

/** Records calls: the metadata of every call, and the bodies while there is room for them. */
export class TraceService {
  readonly #deps: TraceServiceDeps;
  readonly #keys: PayloadKeys;
  readonly #outbox: PayloadOutbox;

  constructor(deps: TraceServiceDeps) {
    this.#deps = deps;
    this.#keys = new PayloadKeys(deps);
    this.#outbox = new PayloadOutbox({ ...deps, findKey: (day) => this.#keys.find(day) });
  }

  /** Prepares the data keys of today and tomorrow. Does not fail when the database is unreachable, but keeps trying. */
  async start(): Promise<void> {
    await this.#keys.start();
  }

  /** Records the metadata of one call. The row is never dropped: it is spooled together with the call's usage. */
  record(reported: ReportedCall): void {
    this.#deps.append(reported);
  }

  /**
   * Queues the bodies of one call for storing, if there is room. They are copied. Never throws, never waits.
   */
  storePayload(payload: Payload): "stored" | "dropped" {
    return this.#outbox.offer(payload);
  }

  /** The payloads that wait to be written, for gauges. */
  load(): { readonly queuedBytes: number; readonly queuedCount: number } {
    return { queuedBytes: this.#outbox.queuedBytes, queuedCount: this.#outbox.queuedCount };
  }

  /**
   * The bodies of one call, or null when none were stored. Users wrote them, so callers that show them to a person must
   * record the access first.
   * @throws DayKeyDestroyedError after the retention; SealError when the row was altered or moved
   */
  async readPayload(day: string, requestId: RequestId): Promise<OpenedPayload | null> {
    return await openStoredPayload(this.#deps.db, this.#keys, day, requestId);
  }

  /** Accepts no more payloads and writes the waiting ones, for at most `timeoutMs`. */
  async close(timeoutMs: number): Promise<void> {
    await this.#outbox.close(timeoutMs);
    this.#keys.stop();
  }
}
