import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { Queryable } from "@sluice/control-plane/platform/db.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import { readSettlementLag } from "@sluice/control-plane/usage/settlement/settlement-store.ts";
import { cpuMsOfTree } from "../bench/relay/process-cost.ts";
import { holdLock } from "../support/postgres/held-lock.ts";
import { SettlementScene, waitUntilSettleable } from "../support/usage/settlement-scene.ts";
import { failureOf } from "../support/values/failure-of.ts";

let scene: SettlementScene;
let call: UsageRow;

beforeEach(async () => {
  ({ scene, call } = await SettlementScene.createWithCall());
});

afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

const list = (db: Queryable, batch: number, shard = call.gatewayUserId & 15n) =>
  db.query(
    `insert into settled_calls (day, shard, minute, batch_id, calls)
     values ('${call.day}', ${shard}, '${call.requestId.slice(0, 8)}', ${batch}, array['${call.requestId}'::uuid])`,
    [],
  );

const settleAsRow = (db: Queryable) =>
  db.query(
    `insert into usage_settlement (day, request_id, batch_id, gateway_user_id, settled_quota)
     values ('${call.day}', '${call.requestId}', 999, ${call.gatewayUserId}, 10)`,
    [],
  );

const timesSettled = async () => {
  const [row] = await scene.owner.sql<{ times: number }>`
    select count(*)::int as times from settled_call where request_id = ${call.requestId}::uuid`;
  return row?.times;
};

/** Both statements, the second while the transaction of the first is open. */
async function atOnce(first: (db: Queryable) => Promise<unknown>, second: (db: Queryable) => Promise<unknown>) {
  await using held = await holdLock(scene.db, first);
  const outcome = failureOf(second(scene.db));
  await Promise.race([held.waitForWaiters(1), outcome]);
  await held.release();
  await outcome;
}

describe("the database settles a call once", () => {
  test("when a row is written while its list is not committed", async () => {
    await atOnce((db) => list(db, 901), settleAsRow);
    expect(await timesSettled()).toBe(1);
  });

  test("when a list is written while its row is not committed", async () => {
    await atOnce(settleAsRow, (db) => list(db, 901));
    expect(await timesSettled()).toBe(1);
  });

  test("when the second list comes from a transaction with an older snapshot", async () => {
    await failureOf(
      scene.db.withTransaction(async (tx) => {
        await tx.query("set transaction isolation level repeatable read", []);
        await tx.query("select 1 from settled_calls", []);
        await list(scene.owner, 901);
        await list(tx, 902);
      }),
    );
    expect(await timesSettled()).toBe(1);
  });
});

test.each(["array[]::uuid[]", "array[null]::uuid[]", "array['CALL', null]::uuid[]", "array[array['CALL']]::uuid[]"])(
  "a list %s is refused",
  async (calls) => {
    const { day, gatewayUserId, requestId } = call;
    const refused = scene.owner.query(
      `insert into settled_calls (day, shard, minute, batch_id, calls)
       values ('${day}', ${gatewayUserId & 15n}, '${requestId.slice(0, 8)}', 901, ${calls.replace("CALL", requestId)})`,
      [],
    );
    expect(String(await failureOf(refused))).toContain("are not different ones of");
  },
);

test.each([
  ["list", (db: Queryable) => list(db, 901)],
  ["row", settleAsRow],
])(
  "a %s of a shard without a checkpoint is refused, because nothing would be locked while it is written",
  async (_what, write) => {
    await scene.owner.sql`delete from settlement_checkpoint where source like 'usage_log:%'`;
    expect(String(await failureOf(write(scene.owner)))).toContain("one has no checkpoint");
    expect(await timesSettled()).toBe(0);
  },
);

test("the lag is measured soon while 30,000 settled calls of a minute are after the cursor", async () => {
  const columns = await scene.owner.sql<{ name: string }>`
    select attname::text as name from pg_attribute where attrelid = 'usage_log'::regclass and attnum > 0 and not attisdropped`;
  const names = columns.map(({ name }) => `"${name}"`).join();
  const values = columns
    .map(({ name }) =>
      name === "request_id"
        ? "('01a00000-' || lpad(to_hex(n / 100), 4, '0') || '-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid"
        : name === "xid"
          ? "pg_current_xact_id()"
          : `"${name}"`,
    )
    .join();
  await scene.owner.query(
    `insert into usage_log (${names}) select ${values} from usage_log, generate_series(1, 30000) n`,
    [],
  );
  await waitUntilSettleable(scene.db);
  await scene.settlement.run();
  await scene.owner.sql`update settlement_checkpoint set xid = '0' where source like 'usage_log:%'`;
  const tookMs = await scene.db.withTransaction(async (tx) => {
    const [backend] = await tx.sql<{ pid: number }>`select pg_backend_pid() as pid`;
    // It takes several ticks of the clock by which processor time is counted, so that no time would be that of no process.
    await tx.sql`select count(*) from generate_series(1, 2000000)`;
    const before = cpuMsOfTree(backend?.pid ?? 0);
    expect(before).toBeGreaterThan(0);
    expect((await readSettlementLag(tx)).seconds).toBe(0);
    return cpuMsOfTree(backend?.pid ?? 0) - before;
  });
  // Processor time, which others on the machine do not lengthen. Call by call it would take five seconds.
  expect(tookMs).toBeLessThan(2_000);
});
