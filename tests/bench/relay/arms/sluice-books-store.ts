/** What Sluice recorded, read from its database: usage rows, trace records and payloads of one load. */

import { arrayLiteral } from "@sluice/control-plane/platform/db-array-literal.ts";
import { SQL } from "bun";
import type { BookEntry, Books, CallCounts } from "../arm.ts";
import { callDialects, chatCall, modelAt } from "../load/call.ts";

const DRAIN_MS_MAX = 120_000;
const POLL_MS = 250;
type RowCounts = BookEntry & { readonly completedRows: number; readonly saidStored: number };

/** More than any run spends, far from the end of a bigint. */
const GRANTED_QUOTA = 1_000_000_000_000_000n;

/**
 * Enables everything for the key: a limit of its own besides its user's quota, rate and concurrency limits, model and
 * address lists, traced payloads. All are generous: they are checked in every call and refuse none.
 */
export async function openKeyForBench(databaseUrl: string, apiKey: string): Promise<void> {
  const sql = new SQL({ url: databaseUrl, max: 1 });
  try {
    const keyHash = new Bun.CryptoHasher("sha256").update(apiKey).digest();
    const models = [chatCall.model, ...callDialects.map(modelAt)];
    const [key] = await sql`
      update api_key set requests_per_minute = 100000000, tokens_per_minute = 2000000000, concurrency_max = 100000,
        allowed_models = ${arrayLiteral(models)}::text[], allowed_ips = array['127.0.0.0/8'], is_payload_traced = true
      where key_hash = ${keyHash} returning id, gateway_user_id`;
    if (key === undefined) {
      throw new Error("the seeded key is not in the database");
    }
    await sql`insert into budget (api_key_id) values (${key.id}) on conflict do nothing`;
    await sql`
      select grant_quota(id, ${GRANTED_QUOTA}, 'manual_adjust', 'bench ' || id) from budget
      where api_key_id = ${key.id} or gateway_user_id = ${key.gateway_user_id}`;
  } finally {
    await sql.close();
  }
}

export class SluiceBooks implements Books {
  readonly #sql: SQL;
  readonly #placeBytes: number;
  /** Request ids are UUIDs of version 7: all of a load's ids are above the id of its beginning. */
  #floor = "";
  #floorMs = 0;
  #readerPid: number | null = null;

  /** @param placeBytes the size of the place of a payload in the version that is measured */
  constructor(databaseUrl: string, placeBytes: number) {
    this.#sql = new SQL({ url: databaseUrl, max: 1 });
    this.#placeBytes = placeBytes;
  }

  get readerPid(): number | null {
    return this.#readerPid;
  }

  async open(): Promise<void> {
    const [connection] = await this.#sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
    this.#readerPid = connection?.pid ?? null;
    this.#floorMs = Date.now();
    const time = this.#floorMs.toString(16).padStart(12, "0");
    this.#floor = `${time.slice(0, 8)}-${time.slice(8)}-7000-8000-000000000000`;
  }

  async drain(calls: CallCounts): Promise<void> {
    const deadline = Date.now() + DRAIN_MS_MAX;
    for (let rows = await this.#count(); !isComplete(rows, calls); rows = await this.#count()) {
      if (Date.now() > deadline) {
        throw new Error(`the books are not complete: ${JSON.stringify({ ...calls, ...rows })}`);
      }
      await Bun.sleep(POLL_MS);
    }
  }

  async close(calls: CallCounts): Promise<BookEntry> {
    const rows = await this.#count();
    if (!isComplete(rows, calls) || rows.usageRows > calls.provided + calls.cutMax) {
      throw new Error(`the books do not match the calls: ${JSON.stringify({ ...calls, ...rows })}`);
    }
    const { completedRows, saidStored, ...entry } = rows;
    return entry;
  }

  /** Closes the books of a run. @throws Error when a money invariant is violated */
  async audit(): Promise<void> {
    try {
      const violations = await this.#sql`select invariant, subject, detail from check_money()`;
      if (violations.length > 0) {
        throw new Error(`check_money() found ${JSON.stringify(violations)}`);
      }
    } finally {
      await this.#sql.close();
    }
  }

  async #count(): Promise<RowCounts> {
    const [rows] = await this.#sql`
      select
        (select count(*)::int from usage_log where request_id >= ${this.#floor}::uuid) as "usageRows",
        (select count(*)::int from usage_log where request_id >= ${this.#floor}::uuid and outcome = 'completed')
          as "completedRows",
        count(*)::int as "traceRecords",
        count(*) filter (where payload = 'stored')::int as "saidStored",
        count(*) filter (where payload = 'dropped')::int as "payloadsDropped",
        (select coalesce(sum(octet_length(places)), 0)::int / ${this.#placeBytes}::int from payload_segment
          where first_call_ms >= ${this.#floorMs}) as "payloadsStored"
      from trace_record where request_id >= ${this.#floor}::uuid`;
    return rows as RowCounts;
  }
}

/**
 * Every response has a completed row and every call a row, a trace record and a payload that is stored or reported as
 * dropped.
 */
function isComplete(rows: RowCounts, calls: CallCounts): boolean {
  return (
    rows.completedRows >= calls.answered &&
    rows.usageRows >= calls.provided &&
    rows.traceRecords >= rows.usageRows &&
    rows.payloadsStored === rows.saidStored &&
    rows.payloadsStored + rows.payloadsDropped >= calls.answered
  );
}
