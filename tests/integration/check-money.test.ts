import { afterAll, beforeAll, expect, test } from "bun:test";
import { auditMoney } from "@sluice/control-plane/ledger/service.ts";
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

const settledRow =
  "what is settled is a usage row of the span of its batch, with its cost, its multiplier and its user";
const settledSum = "settled is base times multiplier, rounded up";
const listedCall =
  "what is in a list of settled calls is a usage row of its shard, minute and span, with a multiplier of one";
const delta = "each delta of a usage row is an entry of the ledger";
const unreached = "no unsettled row is out of the reach of the cursor";

/** Inserts each row of a table once more, with changes; `row` is the row. */
function copyOf(table: string, changes: string): string {
  const copy = `jsonb_populate_record(row, jsonb_build_object(${changes}))`;
  return `insert into ${table} overriding system value select (${copy}).* from ${table} row`;
}

/** A change after which no usage row is settled. */
const unsettled = (change: string) => `with gone as (delete from usage_settlement) ${change}`;
const listOf = (values: string) => `insert into settled_calls select ${values} from usage_log`;
const thisServer = "(select system_identifier from pg_control_system())";
const quarantined = (rows: number) => `insert into usage_quarantine (replica_id, row_count) values ('r', ${rows})`;

const first = "(select min(id) from sales_order)";
const last = "(select max(id) from sales_order)";

const someone = "(select min(id) from user_profile)";

/** A coupon with this many uses and, if a state is given, a use of it for each of these orders. */
const couponOf = (uses: number, more = "") =>
  `with c as (insert into coupon (code, kind, percent, is_first_purchase, plan_codes, uses_max, uses_per_user, uses, created_by, idempotency_key)
     values ('C', 'percent', 10, false, '{}', 9, 1, ${uses}, 'test', 'c') returning id) ${more || "select 1 from c"}`;
const couponUse = (orders: string, { state = "consumed", isExtra = false, price = "o.amount_usd + 1" } = {}) =>
  couponOf(
    1,
    `insert into coupon_use (coupon_id, order_id, user_id, state, is_extra, is_first_purchase, price_usd, discount_usd, bonus_quota)
     select c.id, o.id, coalesce(o.user_id, ${someone}), '${state}', ${isExtra}, false, ${price}, 1, 0 from c, sales_order o where o.id in ${orders}`,
  );
const batch = (more: string) =>
  `with b as (insert into code_batch (name, plan_kind, quota, count, is_once_per_user, created_by)
     values ('Batch', 'wallet_balance', 1, 1, false, 'test') returning id) ${more}`;
const referralOf = (inviter: string, invited: string) =>
  `insert into referral (inviter_id, invited_id, state, order_id, decided_at, inviter_quota, invited_quota, wait_days)
   select ${inviter}, ${invited}, 'rewarded', o.id, now(), 10, 10, 14 from sales_order o where o.id = ${first}`;
const topUp = (order: string) =>
  `with t as (insert into auto_top_up (top_up_no, user_id, plan_code, plan_name, price_usd, threshold_quota, month_max_usd, account)
     select 'T1', user_id, plan_code, plan_name, 1, 1, 1, 'default' from sales_order where id = ${first} returning id)
   insert into top_up_attempt (top_up_id, order_id, state) select t.id, ${order}, 'paid' from t`;
const registered = (credit: number, accounts: number) =>
  `insert into user_registration (user_id, network, address_key, decided_at, credit_quota)
   select id - n + 1, 'n', '\\x00', now(), ${credit} from user_profile, generate_series(1, ${accounts}) n`;
const invoiceOf = (kind: "invoice" | "credit_note", gross: number, tax: number, number = 1) =>
  `select '${kind}' || ${number}, 'INV', 2026, ${number}, '${kind}', ${first}, ${kind === "invoice" ? "null::bigint" : "(select id from refund)"}, 'USD',
     ${gross} - ${tax}, ${tax}, ${gross}, 19, 'en', '{}'::jsonb, now()`;
const invoices = (...rows: string[]) =>
  `insert into invoice (number, prefix, year, sequence, kind, order_id, refund_id, currency, net_usd, tax_usd, gross_usd, tax_rate, locale, facts, issued_at)
   ${rows.join(" union all ")}`;
const renewalOf = (orders: string) =>
  `with r as (insert into renewal (renewal_no, user_id, plan_code, plan_name, price_usd, quota, account)
     select 'P1', user_id, plan_code, plan_name, 1, 1, 'default' from sales_order where id = ${first} returning id)
   insert into renewal_period (renewal_id, account, invoice_id, order_id, period_start, period_end)
   select r.id, 'default', 'in_' || o.id, o.id, '2026-01-01', '2026-02-01' from r, sales_order o where ${orders}`;

const changesOfSales: readonly (readonly [string, string])[] = [
  [
    "a used code settled one order on the terms of its batch",
    batch(`, c as (insert into redemption_code (batch_id, digest) select id, '\\x00' from b returning id, batch_id)
      insert into code_redemption (code_id, batch_id, user_id, order_id, is_once_per_user)
      select c.id, c.batch_id, o.user_id, o.id, false from c, sales_order o where o.id = ${first}`),
  ],
  ["an order without a price was granted by a code", `update sales_order set pay_channel = 'code' where id = ${first}`],
  ["a batch has the codes that it was made with", batch("select 1 from b")],
  ["a coupon counts its uses", couponOf(1)],
  [
    "a user has as many uses of a coupon as it allows",
    couponUse("(select id from sales_order where user_id is not null)"),
  ],
  ["a use beyond the limits of its coupon was decided by a person", couponUse(`(${first})`, { isExtra: true })],
  ["the use of a coupon has the state of its order", couponUse(`(${first})`, { state: "released" })],
  ["the use of a coupon has the state of its order", couponUse(`(${last})`)],
  ["an order costs its price less its discount", couponUse(`(${first})`, { price: "o.amount_usd + 2" })],
  ["a reward for inviting is one posting to its user", referralOf("0", "o.user_id")],
  [
    "a reward for inviting is one posting to its user",
    "select grant_quota(id, 10, 'referral_reward', 'referral:1:inviter') from budget",
  ],
  ["a reward for inviting is for a payment of the invited person", referralOf("o.user_id", "0")],
  ["a charge of a saved method is an order of its wallet", topUp(first)],
  ["a paid charge has settled its order", topUp(last)],
  ["a month of top-ups costs at most what was allowed", topUp(first)],
  ["credit of a registration is one posting of its amount to its user", registered(10, 1)],
  [
    "credit of a registration is one posting of its amount to its user",
    "select grant_quota(id, 10, 'registration_credit', 'registration:0') from budget",
  ],
  [
    "an address is paid credit of a registration once",
    `do $do$ begin drop index user_registration_paid_address; ${registered(10, 2)}; end $do$`,
  ],
  [
    "an invitation was used as often as accounts came by it",
    `insert into registration_invitation (name, digest, uses, uses_max, created_by) values ('i', '\\x00', 1, 2, 'test')`,
  ],
  ["no number of a range is missing", "insert into invoice_range (prefix, year, last) values ('INV', 2026, 1)"],
  ["an invoice is for the payment of its order", invoices(invoiceOf("invoice", 1, 0.16))],
  ["a paid order with a tax rate has an invoice", `update sales_order set tax_rate = 19 where id = ${first}`],
  [
    "a refund of an invoiced order has one credit note of its amount",
    `with i as (${invoices(invoiceOf("invoice", 10, 1.6))} returning id) update refund set status = 'done' from i`,
  ],
  ["a credit note is for an invoice and a refund of its order", invoices(invoiceOf("credit_note", 0.01, 0))],
  ["the tax of an invoice is its rate of the amount, rounded once", invoices(invoiceOf("invoice", 10, 1.9))],
  [
    "credit notes take back the tax of what they credit",
    invoices(invoiceOf("invoice", 10, 1.6), invoiceOf("credit_note", 1, 0, 2)),
  ],
  ["an invoice of a renewal settles an order of its user and plan", renewalOf(`o.id = ${first}`)],
  ["a month of a renewal is credited once", renewalOf("o.credited_at is not null")],
  ["a month of a plan is kept only for a renewal", "update subscription set kept_until = now()"],
  [
    "what was taken with a closing is taken once, from a closed account",
    "select grant_quota(id, -1, 'account_closed', 'account_closed:' || gateway_user_id) from budget",
  ],
  [
    "what was taken with a closing is taken once, from a closed account",
    `with closed as (update user_profile set status = 'closed')
     select grant_quota(id, -1, 'account_closed', 'again') from budget`,
  ],
  [
    "an account was given the balances that were moved to it",
    "select grant_quota(id, 5, 'import_opening', 'x') from budget",
  ],
  [
    "an account was given the balances that were moved to it",
    `insert into import_item (instance, kind, source_id, digest, target, gateway_user_id, moved_quota, written_at)
     select 'old', 'user', '1', '\\x00', '1', gateway_user_id, 5, now() from budget`,
  ],
];

const allChanges: readonly (readonly [string, string])[] = [
  ...changesOfSales,
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
  [settledSum, "update usage_settlement set quota_delta = null"],
  [settledRow, "update usage_settlement set base_quota = null, rate_multiplier = null, quota_delta = null"],
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
  [listedCall, listOf("day, gateway_user_id & 15, left(request_id::text, 8), 1, array[request_id]")],
  ["a usage row is settled once", listOf("day, gateway_user_id & 15, left(request_id::text, 8), 1, array[request_id]")],
  [
    "the spans of whole batches do not overlap",
    `${copyOf("settlement_batch", `'id', row.id + n, 'whole_on', ${thisServer}`)} cross join generate_series(1000, 1001) n`,
  ],
  [
    "the cursor is not before the end of a whole batch",
    `with whole as (update settlement_batch set whole_on = ${thisServer}) update settlement_checkpoint set xid = '1'`,
  ],
  [unreached, unsettled("update settlement_checkpoint set xid = '1' where source = 'usage_log'")],
  [unreached, unsettled("update usage_log set xid = '9223372036854775807'")],
  ["a usage row that was recorded is in the log", quarantined(1)],
];

test.each([...allChanges])("notices: %s, after %s", async (invariant, change) => {
  expect(await brokenBy(change)).toContain(invariant);
});

test("every invariant is seen to be broken here by a change", async () => {
  const parts = await auditMoney(owner);
  const invariants = parts.flatMap((part) => part.invariants.map(({ invariant }) => invariant));
  const tested = new Set(allChanges.map(([invariant]) => invariant));
  expect(invariants.filter((invariant) => !tested.has(invariant))).toEqual([]);
});

test.each([
  [
    "settled by batches with one entry for each user",
    delta,
    `with old as (update settlement_batch set deltas = null)
     delete from ledger_entry where usage_request_id is not null`,
  ],
  [
    "quarantined by the settlement",
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

test("a connection plans each check once, however often it checks the money", async () => {
  expect(await owner.sql`select * from check_money()`).toBeEmpty();
  // A kept plan is named by the beginning of its text.
  const unkept = await owner.sql<{ name: string }>`
    select p.proname as name from pg_proc p join pg_language l on l.oid = p.prolang
    where p.proname like 'check\\_money\\_%' and l.lanname = 'sql' and not exists (
      select 1 from pg_backend_memory_contexts c
      where c.name = 'CachedPlan' and starts_with(c.ident, left(p.prosrc, 100))
    )`;
  expect(unkept).toBeEmpty();
});
