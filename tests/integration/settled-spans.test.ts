import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import type { RequestId } from "@sluice/contracts/ids";
import { sqlStateOf } from "@sluice/control-plane/platform/db-errors.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import { settleNextRows } from "@sluice/control-plane/usage/settlement/settlement-store.ts";
import { SettlementScene, waitUntilSettleable } from "../support/usage/settlement-scene.ts";
import { failureOf } from "../support/values/failure-of.ts";

const uniqueViolation = "23505";

let scene: SettlementScene;
let call: UsageRow;

beforeEach(async () => {
  ({ scene, call } = await SettlementScene.createWithCall());
});

afterEach(async () => {
  await scene[Symbol.asyncDispose]();
});

type Changes = { readonly shard?: string; readonly calls?: string; readonly span?: string };

/** The values of a list with the call alone, unless changed. */
const listed = (batch: number, { shard = "", calls = "", span = "u.xid, u.xid" }: Changes = {}) =>
  `select u.day, ${shard === "" ? "u.gateway_user_id & 15" : shard}, left(u.request_id::text, 8), ${batch},
     array[${calls === "" ? "u.request_id" : calls}], ${span} from usage_log u where u.request_id = '${call.requestId}'`;

const write = (...lists: string[]) =>
  scene.owner.query(
    `insert into settled_calls (day, shard, minute, batch_id, calls, first_xid, last_xid) ${lists.join(" union all ")}`,
    [],
  );

const settleAsRow = (values: string) =>
  scene.owner.query(
    `insert into usage_settlement (day, request_id, batch_id, gateway_user_id, settled_quota)
     select ${values} from usage_log where request_id = '${call.requestId}'`,
    [],
  );

describe("the database refuses a list", () => {
  test.each([
    ["of another shard than that of its users", { shard: "(u.gateway_user_id + 1) & 15" }],
    [
      "with a call that is not in the log",
      { calls: "u.request_id, overlay(u.request_id::text placing 'ffffffff' from 29)::uuid" },
    ],
    ["that does not name the transaction of its call", { span: "'0', (u.xid::text::bigint - 1)::text::xid8" }],
    ["that names only later ones", { span: "(u.xid::text::bigint + 1)::text::xid8, '18446744073709551615'" }],
  ])("%s", async (_what, changes) => {
    expect(String(await failureOf(write(listed(901, changes))))).toContain("are not different ones of shard");
    await scene.run();
    expect(await scene.faults()).toEqual([]);
  });

  test("with a call of another list of the same statement", async () => {
    const all = listed(902, { span: "'0'::xid8, '18446744073709551615'::xid8" });
    expect(sqlStateOf(await failureOf(write(listed(901), all)))).toBe(uniqueViolation);
    expect(sqlStateOf(await failureOf(write(listed(901), listed(901, { span: "'0'::xid8, u.xid" }))))).toBe(
      uniqueViolation,
    );
  });

  test.each(["u.xid, u.xid", "'0', u.xid", "u.xid, '18446744073709551615'"])(
    "with a call that is settled, if it names the transactions %s",
    async (span) => {
      await scene.run();
      expect(sqlStateOf(await failureOf(write(listed(901, { span }))))).toBe(uniqueViolation);
      expect(await scene.faults()).toEqual([]);
    },
  );
});

test.each([
  ["of another user", "day, request_id, 901, gateway_user_id + 1, 10"],
  ["of a call that is not in the log", "day, gen_random_uuid(), 901, gateway_user_id, 10"],
])("the database refuses a row %s", async (_what, values) => {
  expect(String(await failureOf(settleAsRow(values)))).toContain("of no call of its user");
});

test("a list, and a row, is compared only with lists that share a transaction with it, however many its minute has", async () => {
  const ofMinute = (multiplier: string) => {
    const requestId = `${call.requestId.slice(0, 9)}${crypto.randomUUID().slice(9)}` as RequestId;
    return scene.row(0, 1n, multiplier, { startedAtMs: call.startedAtMs, requestId });
  };
  for (let list = 0; list < 30; list += 1) {
    await scene.commit(ofMinute("1.0000"), ofMinute("1.0000"));
    await scene.run();
  }
  await scene.commit(ofMinute("1.0000"), ofMinute("1.5000"));
  await waitUntilSettleable(scene.db);
  const shard = Number(call.gatewayUserId & 15n);
  const read = await scene.db.withTransaction(async (tx) => {
    // The statistics have earlier transactions of this connection, too.
    const countRead = async () => {
      const [table] = await tx.sql<{ lists: number }>`
        select idx_tup_fetch::int as lists from pg_stat_xact_user_tables where relname = 'settled_calls'`;
      return table?.lists ?? 0;
    };
    const before = await countRead();
    // Of a few lists, a plan for any number of calls reads all; of many it does not.
    await tx.sql`set local plan_cache_mode = force_custom_plan`;
    await settleNextRows(tx, { rowsMax: 100, isReconciled: false, shard });
    return (await countRead()) - before;
  });
  // Its own is read by each trigger.
  expect(read).toBeLessThan(5);
  expect(await scene.faults()).toEqual([]);
});

describe("the check of money notices", () => {
  const overlap = "the spans of whole batches do not overlap";
  const inList =
    "what is in a list of settled calls is a usage row of its shard, minute and span, with a multiplier of one";
  const row = "what is settled is a usage row of the span of its batch, with its cost, its multiplier and its user";
  const cursor = "the cursor is not before the end of a whole batch";
  const last = "id = (select max(id) from settlement_batch)";
  const first = "id = (select min(id) from settlement_batch)";
  const lower = (column: string) => `${column} = (${column}::text::bigint - 1)::text::xid8`;
  const zero = "'00000000-0000-0000-0000-000000000000'";
  test.each([
    [
      "a span that begins before the one before it ends",
      overlap,
      `update settlement_batch set first_xid = '3' where ${last}`,
    ],
    [
      "a span that ends after the next begins",
      overlap,
      `update settlement_batch set last_request_id = 'ffffffff-ffff-ffff-ffff-ffffffffffff', last_xid = '999999999' where ${first}`,
    ],
    [
      "a span that begins after calls of its batch",
      inList,
      `update settlement_batch set first_request_id = last_request_id where ${last}`,
    ],
    [
      "a span that ends before calls of its batch",
      inList,
      `update settlement_batch set last_request_id = first_request_id where ${last}`,
    ],
    [
      "a span that ends before a row of its batch",
      row,
      `update settlement_batch set ${lower("last_xid")} where ${last}`,
    ],
    [
      "a gap that a call is in",
      "no unsettled row is out of the reach of the cursor",
      "delete from settled_calls where batch_id = (select max(id) from settlement_batch)",
    ],
    ["a cursor that was set back", cursor, "update settlement_checkpoint set xid = '3'"],
    [
      "a cursor that was set back within a transaction",
      cursor,
      `update settlement_checkpoint set request_id = ${zero}`,
    ],
  ])("%s", async (_what, invariant, change) => {
    const rows = () => ["1.0000", "1.0000", "1.5000", "1.0000"].map((multiplier) => scene.row(0, 10n, multiplier));
    await scene.run();
    await scene.commit(...rows());
    await scene.run();
    await scene.commit(...rows());
    await scene.run();
    expect(await scene.checkMoney()).toEqual([]);
    await scene.withoutTriggers(change);
    expect((await scene.checkMoney()).map((each) => (each as { invariant: string }).invariant)).toContain(invariant);
  });

  test("but nothing in spans of another server, or from before the database came back", async () => {
    await scene.run();
    const change = `update settlement_batch set first_xid = '3', last_xid = '999999999'`;
    await scene.withoutTriggers(change);
    expect(await scene.checkMoney()).not.toEqual([]);
    for (const stay of ["whole_after = 1000000", "whole_after = 0, system_identifier = '1'"]) {
      await scene.withoutTriggers(`update settlement_checkpoint set ${stay}`);
      const found = (await scene.checkMoney()).map((each) => (each as { invariant: string }).invariant);
      expect(found.filter((each) => [overlap, inList, row, cursor].includes(each))).toEqual([]);
    }
  });
});
