import { afterAll, beforeAll, expect, test } from "bun:test";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { BillingScene, noticeOf } from "../support/payments/billing-scene.ts";
import { waitUntilSettleable } from "../support/usage/settlement-scene.ts";

let scene: BillingScene;
/** Owns everything and may do anything. */
let owner: Database;

beforeAll(async () => {
  scene = await BillingScene.create();
  owner = openDatabase({ url: scene.url, poolMax: 1, applicationName: "test" });
  const buyer = await scene.addBuyer();
  for (const planCode of ["credit", "credit", "monthly"]) {
    const order = await scene.placeFor(buyer, planCode);
    expect(await settlePaid(scene.deps, noticeOf(order))).toBe("settled");
  }
  await scene.use(buyer, 1_000n);
  await owner.sql`update usage_log set rate_multiplier = 2`;
  await owner.sql`update budget set reserved = 1000`;
  await owner.sql`update account_spend set spent = 2 * spent`;
  // A transaction of any test on the same server keeps rows that are younger from being settled.
  await waitUntilSettleable(owner);
  await owner.sql`select settle_usage(10)`;
  await owner.sql`select ensure_day_partitions('usage_settlement', (select min(day) from usage_settlement), 2)`;
  await scene.place();
  await owner.sql`select grant_quota(id, -7, 'refund', 'refund:R1') from budget`;
  await owner.sql`
    insert into refund (refund_no, order_id, amount_usd, quota, status, reason)
    select 'R1', min(id), 0.01, 7, 'pending', 'test' from sales_order`;
});

afterAll(async () => {
  await owner.close(500);
  await scene[Symbol.asyncDispose]();
});

class Undone extends Error {}

/** The invariants that a change breaks; the change is undone. */
async function brokenBy(change: string): Promise<string[]> {
  let broken: string[] = [];
  try {
    await owner.withTransaction(async (tx) => {
      // Superusers can disable the triggers that prevent this for everyone else.
      await tx.query("set local session_replication_role = replica", []);
      await tx.query(change, []);
      const rows = await tx.sql<{ invariant: string }>`select distinct invariant from check_money() order by 1`;
      broken = rows.map(({ invariant }) => invariant);
      throw new Undone();
    });
  } catch (error) {
    if (!(error instanceof Undone)) {
      throw error;
    }
  }
  return broken;
}

test("nothing is wrong unless someone tampers", async () => {
  expect(await scene.checkMoney()).toEqual([]);
});

const settledRow = "what is settled is a usage row, with its cost, its multiplier and its user";
const settledSum = "settled is base times multiplier, rounded up";
const delta = "each delta of a usage row is an entry of the ledger";
const unreached = "no unsettled row is out of the reach of the cursor";

/** Inserts each row of a table once more, with changes; `row` is the row. */
function copyOf(table: string, changes: string): string {
  const copy = `jsonb_populate_record(row, jsonb_build_object(${changes}))`;
  return `insert into ${table} overriding system value select (${copy}).* from ${table} row`;
}

/** A change after which no usage row is settled. */
const unsettled = (change: string) => `with gone as (delete from usage_settlement) ${change}`;
const quarantined = (rows: number) => `insert into usage_quarantine (replica_id, row_count) values ('r', ${rows})`;

const first = "(select min(id) from sales_order)";
const last = "(select max(id) from sales_order)";

test.each([
  ["granted equals the sum of grants", "update budget set granted = granted + 1"],
  ["granted equals the sum of grants", "delete from quota_grant where amount > 0"],
  ["used equals the sum of usage rows", "update budget set used = used - 1"],
  ["used equals the sum of usage rows", "delete from usage_log"],
  ["reserved equals what unsettled rows owe above their base", "update budget set reserved = 1"],
  ["leased equals the sum of leases", "update budget set leased = 1"],
  ["what an account has spent in a day is the cost of its usage rows", "update account_spend set spent = spent - 1"],
  ["what an account has spent in a day is the cost of its usage rows", "delete from account_spend"],
  [
    "a balance is negative only by what was written off, or after a call that cost more than its bound",
    "with gone as (delete from quota_grant) update budget set granted = 0",
  ],
  ["a balance is the sum of its entries", "update ledger_account set balance = balance + 1 where gateway_user_id > 0"],
  ["a balance is the sum of its entries", "delete from ledger_entry where amount = 5000000"],
  ["a posting sums to zero", "update ledger_entry set amount = amount + 1 where amount = 5000000"],
  ["all accounts sum to zero", "update ledger_account set balance = balance + 1 where gateway_user_id > 0"],
  [
    "an account says what its user was granted and has settled",
    "update ledger_account set balance = balance + 1 where gateway_user_id > 0",
  ],
  ["an entry says the balance after it", "update ledger_entry set balance_after = balance_after + 1 where id = 1"],
  [
    "an entry says what the deltas before it add up to",
    "update ledger_entry set delta_amount = delta_amount + 1 where delta_amount is not null",
  ],
  [
    "each delta of a usage row is an entry of the ledger",
    "update ledger_entry set usage_request_id = gen_random_uuid() where usage_request_id is not null",
  ],
  ["each delta of a usage row is an entry of the ledger", "update usage_settlement set quota_delta = quota_delta + 1"],
  ["a batch says what its rows say", "update settlement_batch set deltas = 0"],
  ["a paid order has one payment, an unpaid one none", `update sales_order set status = 'settled' where id = ${last}`],
  ["a paid order has one payment, an unpaid one none", `delete from payment where order_id = ${first}`],
  [
    "a paid order has one payment, an unpaid one none",
    `insert into payment (order_id, gateway, account, transaction_id, amount_usd, currency)
     values (${last}, 'walletpay', 'main', 'of nobody', 10.00, 'USD')`,
  ],
  ["a payment is what its order asked for", `update payment set amount_usd = 0.01 where order_id = ${first}`],
  ["a payment is what its order asked for", `update payment set gateway = 'cardpay' where order_id = ${first}`],
  ["a paid order with an owner has one credit of its quota", `update sales_order set quota = 1 where id = ${first}`],
  ["no other order has a credit", `update sales_order set status = 'pending' where id = ${first}`],
  ["no other order has a credit", `update sales_order set user_id = null where id = ${first}`],
  ["no other order has a credit", `update sales_order set resolution = 'refund' where id = ${first}`],
  ["only a paid order can be paid late", `update sales_order set is_paid_late = true where id = ${last}`],
  ["refunds are never more than the payment", "update refund set amount_usd = 10.01"],
  ["refunds are never more than the payment", "update refund set quota = 5000001"],
  ["an order is refunded when all of its payment went back", "update refund set amount_usd = 10.00, status = 'done'"],
  ["what a refund took back is in the ledger", "update refund set quota = 8"],
  ["what a refund took back is in the ledger", "update refund set status = 'failed'"],
  ["a subscription that is over is not paid out twice", "update subscription set quota_granted = -1, quota_left = -2"],
  ["of a subscription is never more left than was granted", "update subscription set quota_left = quota_granted + 1"],
  [
    "what ends with the months of an account is at most what they granted",
    "select grant_quota(id, -12000001, 'subscription_expiry', 'x') from budget",
  ],
  [
    "an account has one running count of consumption",
    `insert into subscription (gateway_user_id, user_id, plan_code, period_start, period_end, quota_granted, counted_to)
     select gateway_user_id, user_id, 'other-month', period_start, period_end, 0, counted_to + 1 from subscription`,
  ],
  ["a month is of the account of its user, or of an organisation", "update subscription set user_id = null"],
  ["a subscription runs from its start for its months", "update subscription set months = months + 1"],
  [
    "a subscription runs from its start for its months",
    `update subscription set months = -1,
     period_end = (period_start at time zone 'UTC' - interval '1 month') at time zone 'UTC'`,
  ],
  [
    "a subscription runs from its start for its months",
    "update subscription set period_end = period_end + interval '1 second'",
  ],
  [
    "what the months of an account granted is what the paid orders for them credited",
    "update subscription set quota_granted = quota_granted + 1",
  ],
  ["what the months of an account granted is what the paid orders for them credited", "delete from subscription"],
  [
    "what the months of an account granted is what the paid orders for them credited",
    `update refund set quota = 8, order_id = (select id from sales_order where plan_kind = 'monthly')`,
  ],
  ["a balance is the sum of its entries", "delete from ledger_entry"],
  ["an account says what its user was granted and has settled", "delete from ledger_account"],
  [
    "an entry says what the deltas before it add up to",
    "update ledger_entry set delta_amount = null where delta_amount is not null",
  ],
  [
    "an entry says what the deltas before it add up to",
    "update ledger_entry set usage_request_id = null where usage_request_id is not null",
  ],
  ["a usage row is settled once", copyOf("usage_settlement", "'day', row.day + 1")],
  [settledRow, "delete from usage_log"],
  [settledRow, "update usage_log set quota = quota + 1"],
  [settledRow, "update usage_settlement set rate_multiplier = 3"],
  [settledRow, "update usage_settlement set gateway_user_id = gateway_user_id + 1"],
  [settledSum, "update usage_settlement set settled_quota = settled_quota - 1, quota_delta = quota_delta - 1"],
  [settledSum, "update usage_settlement set quota_delta = quota_delta + 1"],
  [settledSum, "update usage_settlement set rate_multiplier = 2.0001"],
  ["what a user settled is in the ledger", "delete from usage_settlement"],
  [
    "what a user settled is in the ledger",
    "delete from ledger_entry e using ledger_posting p where p.id = e.posting_id and p.change_type = 'usage_quota'",
  ],
  ["what a multiplier changed was granted or taken", "update usage_settlement set quota_delta = quota_delta + 1"],
  ["what a multiplier changed was granted or taken", "delete from usage_settlement"],
  ["what a multiplier changed was granted or taken", "delete from quota_grant where change_type = 'usage_quota'"],
  ["a batch says what its rows say", "update settlement_batch set rows = rows + 1"],
  ["a batch says what its rows say", "update settlement_batch set base_quota = base_quota + 1"],
  ["a batch says what its rows say", "update settlement_batch set settled_quota = settled_quota + 1"],
  ["a batch says what its rows say", "delete from settlement_batch"],
  ["a batch says what its rows say", "delete from usage_settlement"],
  [delta, "delete from ledger_entry where usage_request_id is not null"],
  [delta, "update ledger_entry set amount = amount + 1 where usage_request_id is not null"],
  [
    delta,
    `${copyOf("ledger_entry", "'amount', d.amount, 'id', -d.amount - 2")}
     cross join (values (1), (-1)) d (amount) where row.usage_request_id is not null`,
  ],
  [unreached, unsettled("update settlement_checkpoint set xid = '1' where source = 'usage_log'")],
  [unreached, unsettled("update usage_log set xid = '9223372036854775807'")],
  ["a usage row that was recorded is in the log", quarantined(1)],
])("notices: %s, after %s", async (invariant, change) => {
  expect(await brokenBy(change)).toContain(invariant);
});

test.each([
  [
    "settled by batches with one entry for each user",
    delta,
    `with old as (update settlement_batch set deltas = null)
     delete from ledger_entry where usage_request_id is not null`,
  ],
  [
    "put aside by the settlement",
    unreached,
    unsettled("insert into settlement_quarantine select day, request_id, 'test' from usage_log"),
  ],
  [
    "on the day that the settlement reads again",
    unreached,
    unsettled("update settlement_checkpoint set reconcile_day = current_date"),
  ],
  ["of another server", unreached, unsettled("update settlement_checkpoint set system_identifier = '1'")],
  ["of a spool that is empty again", "a usage row that was recorded is in the log", quarantined(0)],
])("finds no fault with rows %s: %s", async (_which, invariant, change) => {
  expect(await brokenBy(change)).not.toContain(invariant);
});
