import type { BudgetId, GatewayUserId, UserId } from "@sluice/contracts/ids";
import type { Decimal } from "@sluice/contracts/money";
import { createOrder } from "@sluice/control-plane/payments/orders/place-order.ts";
import { settlePaid } from "@sluice/control-plane/payments/settle/settle-paid.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { billingDeps, noticeOf } from "../support/payments/billing-scene.ts";
import { issueInvoices } from "../support/payments/invoice-terms.ts";

const dayMs = 86_400_000;

/** The paid order whose panel is photographed. */
export const shownOrderNo = "S00000000000000000000PAID01";

/** Whose account is full. */
export type Owner = { readonly userId: UserId; readonly gatewayUserId: GatewayUserId; readonly budgetId: BudgetId };

/** What the user has bought and agreed to, and what the operator sells with. */
export async function fillSales(db: Database, owner: Owner): Promise<void> {
  await fillOrders(db, owner);
  await fillCodes(db);
  await fillCoupons(db);
  await fillRenewals(db, owner);
  await fillTopUp(db, owner);
  await fillReferrals(db, owner);
}

/** Rewards for inviting others are on, and the user has made a link. */
async function fillReferrals(db: Database, { userId }: Owner): Promise<void> {
  await db.sql`
    insert into setting (name, value, updated_by_name) values ('referrals.is_on', 'true'::jsonb, 'photographs')`;
  await db.sql`insert into referral_code (user_id, code) values (${userId}::bigint, 'k7m2x9q4')`;
}

async function fillOrders(db: Database, { userId }: Owner): Promise<void> {
  await issueInvoices(db, {
    taxRules: [{ country: "FR", has_tax_id: true, rate: "0" as Decimal, note: "Reverse charge." }],
  });
  for (const [index, planCode] of ["credit-50", "monthly-20", "credit-10", "credit-50"].entries()) {
    const at = new Date(Date.now() - (35 - index * 10) * dayMs);
    const request = { planCode, userId, email: null, payChannel: "cardpay", sender: "default", at } as const;
    const { order } = await db.withTransaction((tx) =>
      createOrder(tx, { ...request, vendor: "cardpay_card", idempotencyKey: null }),
    );
    const orderNo = index === 0 ? shownOrderNo : order.orderNo;
    await db.sql`update sales_order set order_no = ${orderNo} where order_no = ${order.orderNo}`;
    // The last one waits for its payment.
    if (index < 3) {
      const transactionId = `pi_3QxLr0000000000${index}AbCdEfGhIj`;
      await settlePaid(billingDeps(db), { ...noticeOf({ ...order, orderNo }), transactionId }, { at });
    }
  }
}

async function fillCodes(db: Database): Promise<void> {
  await db.sql`
    insert into code_batch (name, note, plan_code, plan_kind, quota, count, is_once_per_user, expires_at, revoked_at, created_by)
    values ('Gift card 10', 'Sold by the shop at the station', null, 'wallet_balance', 5000000, 1000, false, null, null, 'somebody'),
      ('One month free', 'Fair in May', 'monthly-20', 'monthly', 12000000, 200, true, now() - interval '1 day', null, 'somebody'),
      ('Gift card 50', 'Stolen', null, 'wallet_balance', 25000000, 50, false, null, now() - interval '3 days', 'somebody')`;
}

async function fillCoupons(db: Database): Promise<void> {
  await db.sql`
    insert into coupon (code, kind, percent, amount_usd, note, is_first_purchase, plan_codes, uses_max, uses_per_user, minimum_usd, expires_at,
      revoked_at, created_by, idempotency_key)
    values ('SPRING26', 'percent', 20, null, 'Newsletter of March', false, '{}', 500, 1, null, now() + interval '30 days', null, 'somebody', 'shot coupon 1'),
      ('WELCOME-5', 'amount', null, 5, '', true, '{}', null, 1, 20, null, null, 'somebody', 'shot coupon 2'),
      ('FAIR-BONUS', 'bonus', 25, null, 'Fair in May', false, '{monthly-20}', 100, 1, null, null, now() - interval '2 days', 'somebody', 'shot coupon 3')`;
}

/** Plans that renew: one continues on new terms, one fails, one has ended. */
async function fillRenewals(db: Database, { userId }: Owner): Promise<void> {
  await db.sql`update plan set renews = true where plan_code = 'monthly-20'`;
  await db.sql`
    insert into renewal (renewal_no, user_id, plan_code, plan_name, price_usd, quota, account, status, end_reason, note,
      gateway_subscription_id, gateway_customer_id, period_end, kept_until, failed_at, next_plan_name, next_price_usd,
      next_quota, next_from, noticed_at)
    select 'P' || lpad(n::text, 26, '0'), ${userId}::bigint, 'monthly-20', 'Monthly 20', 20.00, 12000000, 'default', s.status, s.end_reason,
      s.note, 'sub_1RLxLr' || n, 'cus_1', now() + interval '12 days' * s.sign, now() + interval '15 days' * s.sign,
      s.failed_at, s.next_name, s.next_price, s.next_quota, s.next_at, s.next_at - interval '30 days'
    from (values
      (1, 'ended', 'admin', 'Asked by phone', -1, null::timestamptz, null, null::numeric, null::bigint, null::timestamptz),
      (2, 'past_due', null, null, 1, now(), null, null, null, null),
      (3, 'active', null, null, 1, null, 'Monthly 20', 25.00, 14000000, now() + interval '12 days')
    ) s (n, status, end_reason, note, sign, failed_at, next_name, next_price, next_quota, next_at)`;
}

/** An automatic top-up, whose last charge the gateway has not answered. */
async function fillTopUp(db: Database, { userId }: Owner): Promise<void> {
  await db.sql`
    with agreed as (
      insert into auto_top_up (top_up_no, user_id, plan_code, plan_name, price_usd, threshold_quota, month_max_usd, account, status,
        gateway_customer_id, gateway_method_id)
      values ('T00000000000000000000000001', ${userId}::bigint, 'credit-20', 'Credit 20', 20.00, 2500000, 100, 'default', 'on', 'cus_1RLxLr', 'pm_1')
      returning id
    ), placed as (
      insert into sales_order (order_no, plan_code, plan_name, plan_kind, quota, amount_usd, user_id, pay_channel, sender, vendor, expires_at)
      values ('S0000000000000000000TOPUP1', 'credit-20', 'Credit 20', 'wallet_balance', 10000000, 20.00, ${userId}::bigint, 'cardpay',
        'default', 'cardpay_card', now() + interval '3 hours')
      returning id
    )
    insert into top_up_attempt (top_up_id, order_id, created_at, unclear_since)
    select agreed.id, placed.id, now() - interval '21 hours', now() - interval '1 hour' from agreed, placed`;
}
