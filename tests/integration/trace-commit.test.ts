import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import type { ApiKeyId, GatewayUserId, ReplicaId, UserId } from "@sluice/contracts/ids";
import { parseDecimal } from "@sluice/contracts/money";
import { type CallRows, type CallsSummary, callForms } from "@sluice/control-plane/compose/call-rows.ts";
import { commitCalls } from "@sluice/control-plane/compose/commit-work.ts";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { dayMs, systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { isMissingPartition } from "@sluice/control-plane/platform/db-errors.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { RowCollector } from "@sluice/control-plane/platform/spool/model.ts";
import type { SpooledTrace, TraceRow } from "@sluice/control-plane/trace/model.ts";
import { commitTraces, TraceService, traceRowCodec } from "@sluice/control-plane/trace/service.ts";
import { toSpooledTrace } from "@sluice/control-plane/trace/trace-row.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import fc from "fast-check";
import { createTestDatabase, type TestDatabase } from "../support/postgres/test-database.ts";
import { noThread } from "../support/trace/payload-pair.ts";
import { PayloadCounts, silentLog, traceRowOf } from "../support/trace/trace-fixtures.ts";
import { traceOfCall } from "../support/trace/trace-of-call.ts";
import { recordedRows, reportedCall } from "../support/usage/recorded-calls.ts";
import { createCustomer, usageRow } from "../support/usage/usage-rows.ts";

const today = utcDay(Date.now());
const spooled: SpooledTrace[] = [];

let server: TestDatabase;
let db: Database;
let trace: TraceService;

beforeAll(async () => {
  server = await createTestDatabase();
  db = openDatabase({ url: server.url, poolMax: 2, applicationName: "test" });
  await createMissingPartitions(db, "trace_record", [today]);
  await createMissingPartitions(db, "usage_log", [today, utcDay(Date.now() + dayMs)]);
  trace = new TraceService({
    db,
    masterKey: new MasterKey(randomBytes(32)),
    clock: systemClock,
    log: silentLog,
    thread: noThread,
    append: (reported) => spooled.push(toSpooledTrace(reported.toRow())),
    limits: { bodyBytesMax: 1_000, queueBytesMax: 1_000_000, queueCountMax: 10 },
    observer: new PayloadCounts(),
  });
});

afterAll(async () => {
  await trace.close(0);
  await db.close(1_000);
  await server.drop();
});

/** What goes into the spool for a row. */
function spool(row: TraceRow): SpooledTrace {
  trace.record(reportedCall(row));
  const [last] = spooled.splice(0);
  if (last === undefined) {
    throw new Error("the row did not reach the spool");
  }
  return last;
}

function commit(rows: readonly SpooledTrace[]): Promise<void> {
  return db.withTransaction((tx) => commitTraces(tx, rows));
}

async function stored(row: TraceRow): Promise<Record<string, unknown>[]> {
  return await db.sql`
    select user_id, gateway_user_id, api_key_id, method, path, model, status, error_code, http_status, is_stream,
      input_tokens, output_tokens, first_token_ms, duration_ms, client_ip, user_agent, payload, started_at
    from trace_record where day = ${row.day}::text::date and request_id = ${row.requestId}::text::uuid`;
}

describe("a committed trace", () => {
  test("contains everything known about each call", async () => {
    const full = traceRowOf({
      day: today,
      userId: 9_007_199_254_740_993n as UserId,
      status: "aborted",
      errorCode: "client_gone",
      isStream: true,
      inputTokens: 2n ** 62n,
      userAgent: `quoted "name" \\ back {a,b} 'x' 日本`,
    });
    const bare = traceRowOf({
      day: today,
      gatewayUserId: null as GatewayUserId | null,
      apiKeyId: null as ApiKeyId | null,
      model: null,
      inputTokens: null,
      outputTokens: null,
      firstTokenMs: null,
      status: "refused",
      httpStatus: 401,
      payload: "none",
    });
    await commit([spool(full), spool(bare)]);
    expect(await stored(full)).toEqual([
      {
        user_id: full.userId,
        gateway_user_id: 7n,
        api_key_id: 3n,
        method: "POST",
        path: "/v1/chat/completions",
        model: "gpt-4o-mini",
        status: "aborted",
        error_code: "client_gone",
        http_status: 200,
        is_stream: true,
        input_tokens: 2n ** 62n,
        output_tokens: 34n,
        first_token_ms: 56,
        duration_ms: 78,
        client_ip: "203.0.113.7",
        user_agent: full.userAgent,
        payload: "stored",
        started_at: new Date(full.startedAtMs),
      },
    ]);
    expect((await stored(bare))[0]).toMatchObject({
      gateway_user_id: null,
      model: null,
      first_token_ms: null,
      http_status: 401,
    });
  });

  test("has whole milliseconds and no control characters, whatever the user agent", async () => {
    const row = traceRowOf({ day: today, userAgent: "bad\u001b[31m\r\nagent\0", durationMs: 12.6, firstTokenMs: 3.2 });
    await commit([spool(row)]);
    expect((await stored(row))[0]).toMatchObject({
      user_agent: "bad\\u001b[31m\\u000d\\u000aagent\\u0000",
      duration_ms: 13,
      first_token_ms: 3,
    });
  });

  test("is there once, however often its batch is committed", async () => {
    const rows = Array.from({ length: 50 }, () => traceRowOf({ day: today }));
    const batch = rows.map(spool);
    await commit(batch);
    await commit([...batch, ...batch]);
    // One after the other, because a busy machine keeps the last of 300 waiting for a connection for too long.
    for (const row of rows) {
      expect(await stored(row)).toHaveLength(1);
    }
  });

  test("disappears with its transaction", async () => {
    const row = traceRowOf({ day: today });
    const batch = [spool(row)];
    const failing = db.withTransaction(async (tx) => {
      await commitTraces(tx, batch);
      throw new Error("the usage could not be written");
    });
    await expect(failing).rejects.toThrow("the usage could not be written");
    expect(await stored(row)).toEqual([]);
  });

  test("survives the spool of an earlier process", async () => {
    const row = traceRowOf({ day: today, userAgent: "replayed" });
    const line = traceRowCodec.encode(spool(row));
    await commit([traceRowCodec.decode(JSON.parse(line))]);
    expect((await stored(row))[0]).toMatchObject({ user_agent: "replayed" });
  });

  test("of a day without a partition is refused in a way that the committer understands", async () => {
    const row = traceRowOf({ day: utcDay(Date.now() - 20 * 86_400_000) });
    const error = await commit([spool(row)]).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(isMissingPartition(error)).toBe(true);
    await createMissingPartitions(db, "trace_record", [row.day]);
    await commit([spool(row)]);
    expect(await stored(row)).toHaveLength(1);
  });

  test("can be written whatever bytes the client sent", async () => {
    const anyText = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) });
    const rows = fc
      .sample(anyText, 300)
      .map((text) => traceRowOf({ day: today, userAgent: text, path: text, model: text }));
    await commit(rows.map(spool));
    // One after the other, because a busy machine keeps the last of 300 waiting for a connection for too long.
    for (const row of rows) {
      expect(await stored(row)).toHaveLength(1);
    }
  });

  test("an empty batch sends no query", async () => {
    const before = await db.sql`select count(*) as rows from trace_record`;
    const asked: string[] = [];
    const listening = <T extends object>(tx: T): T =>
      new Proxy(tx, {
        get: (of, name): unknown => {
          asked.push(String(name));
          return Reflect.get(of, name);
        },
      });
    await db.withTransaction((tx) => commitTraces(listening(tx), []));
    expect(asked).toEqual([]);
    await commit([]);
    expect([...(await db.sql`select count(*) as rows from trace_record`)]).toEqual([...before]);
  });
});

describe("a call that is one record", () => {
  test("has the same rows as one with two lines, and is charged once however often it is committed", async () => {
    const customer = await createCustomer(db, 1_000_000n);
    await db.sql`insert into replica (id) values ('records')`;
    const [attempt] = usageRow(customer).attempts as [UsageRow["attempts"][number]];
    const credential = { credentialId: "4", credential: 'the "first"', node: "fra-1", model: "gpt\\4" };
    const variants: Partial<UsageRow>[] = [
      {},
      { isStream: false, firstByteMs: null, keyBudgetId: null, providerCost: parseDecimal("0.000135") },
      {
        attempts: [{ ...attempt, ...credential, status: null, result: "timeout" }],
        outcome: "failed",
        httpStatus: 504,
      },
      { sharedBudgetIds: [customer.keyBudgetId], keyBudgetId: null, rateMultiplier: parseDecimal("1.5000") },
      { isImplausible: true, cacheBasisPoints: 1_000, errorCode: "upstream_error" },
    ];
    const startedAtMs = Date.parse(`${today}T01:02:03.456Z`);
    const order = (joined: typeof callForms.joined | undefined) => {
      const collector = new RowCollector<CallRows, CallsSummary>({ ...callForms, joined });
      for (const variant of variants) {
        const row = usageRow(customer, { startedAtMs, ...variant });
        for (const entry of recordedRows(row, traceOfCall(row, { userId: 9n as UserId }))) {
          collector.add(entry);
        }
      }
      const { text, summary } = collector;
      const usage = { sums: summary.charges.list, days: [today] };
      return {
        replicaId: "records" as ReplicaId,
        texts: [new Uint8Array(text)],
        usage,
        traceDays: [today],
        isNew: true,
      };
    };
    const [records, lines] = [order(callForms.joined), order(undefined)];
    expect([records, lines].map(({ texts }) => String(texts[0] && Buffer.from(texts[0])).split("\n").length)).toEqual([
      5, 10,
    ]);
    const written = async () =>
      await db.sql`
        select to_jsonb(u) - '{request_id,attempts,xid}'::text[] as usage, usage_attempts(u.attempts) as attempts,
          to_jsonb(t) - 'request_id' as trace
        from usage_log u join trace_record t using (day, request_id)
        where u.gateway_user_id = ${customer.gatewayUserId}::bigint order by request_id`;
    await commitCalls(db, records);
    const ofRecords = [...(await written())];
    expect(ofRecords).toHaveLength(variants.length);
    await commitCalls(db, lines);
    expect((await written()).slice(variants.length)).toEqual(ofRecords);
    const used = async () =>
      (await db.sql<{ used: bigint }>`select used from budget where id = ${customer.userBudgetId}::bigint`)[0]?.used;
    const usedOnce = await used();
    const both = { ...records, texts: [...records.texts, ...lines.texts] };
    await commitCalls(db, { ...both, isNew: false });
    await commitCalls(db, both);
    expect(await used()).toBe(usedOnce);
    expect([...(await db.sql`select * from check_money()`)]).toEqual([]);
  });
});
