import type { AgedSizes } from "./sizes.ts";
import { spread, upTo } from "./spread.ts";

/** What was sold beside single orders, each as a named statement: it refers to orders, users and organisations. */
export function salesSteps({ users, orders }: AgedSizes): readonly (readonly [string, string])[] {
  const organisations = Math.ceil(users / 10);
  const [coupons, batches] = [Math.ceil(orders / 100), Math.ceil(orders / 1_000)];
  return [
    [
      "coupons",
      `insert into coupon (code, kind, percent, is_first_purchase, plan_codes, uses_max, uses, expires_at, created_by, idempotency_key, created_at)
        select 'C' || i, 'percent', 10, false, '{}', 1000, i % 900, case when i % 2 = 0 then now() - interval '1 day' end, 'bench', 'c' || i,
          ${spread("i", coupons)} from ${upTo(coupons)}`,
    ],
    [
      "uses of coupons",
      `insert into coupon_use (coupon_id, order_id, user_id, state, is_first_purchase, price_usd, discount_usd, bonus_quota)
        select id % ${coupons} + 1, id, user_id, case status when 'settled' then 'consumed' else 'released' end, false, amount_usd + 1, 1, 0
        from sales_order where id % 5 = 0`,
    ],
    [
      "batches of codes",
      `insert into code_batch (name, plan_kind, quota, count, is_once_per_user, expires_at, created_by, created_at)
        select 'Batch ' || i, 'wallet_balance', 10, 1, false, case when i % 2 = 0 then now() - interval '1 day' end, 'bench',
          ${spread("i", batches)} from ${upTo(batches)}`,
    ],
    [
      "months",
      `insert into subscription (gateway_user_id, user_id, plan_code, status, period_start, period_end, quota_granted)
        select o.gateway_user_id, o.user_id, 'month-' || n, case when n = 1 and o.gateway_user_id % 10 = 0 then 'active' else 'expired' end,
          now(), now() + interval '1 month', 10
        from account_owner o, generate_series(1, 3) n`,
    ],
    [
      "renewals",
      `insert into renewal (renewal_no, user_id, organisation_id, plan_code, plan_name, price_usd, quota, account, status, kept_until, created_at)
        select 'P' || i, i % ${users} + 1, case when i % 5 = 0 then i % ${organisations} + 1 end, 'month-' || i % 3 + 1, 'Month', i % 50 + 1, 10,
          'default', case when i % 100 = 0 then 'past_due' when i % 3 = 0 then 'active' else 'ended' end, now(), ${spread("i", users)}
        from ${upTo(users)}`,
    ],
    [
      "automatic top-ups",
      `insert into auto_top_up (top_up_no, user_id, plan_code, plan_name, price_usd, threshold_quota, month_max_usd, account, status,
          gateway_method_id, created_at)
        select 'T' || i, i, 'credit', 'Credit', 10, 10, 100, 'default', case when i % 3 = 0 then 'on' else 'removed' end, 'pm_' || i,
          ${spread("i", users)}
        from ${upTo(users)}`,
    ],
    [
      "charges of top-ups",
      `insert into top_up_attempt (top_up_id, order_id, state, unclear_since, created_at)
        select t.id, o.id, case when t.id % 100 = 0 then 'open' else 'paid' end, case when t.id % 100 = 0 then now() end, o.created_at
        from auto_top_up t join sales_order o on o.user_id = t.user_id and o.id > ${users} and o.id <= ${users * 3}
        where t.id % 100 > 0 or o.id <= ${users * 2}`,
    ],
    [
      "referrals",
      `insert into referral (inviter_id, invited_id, state, order_id, refusal, decided_at, inviter_quota, invited_quota, wait_days, created_at)
        select i % ${organisations} + 1, i, case i % 3 when 0 then 'rewarded' when 1 then 'refused' else 'pending' end,
          case when i % 3 = 0 then i end, case when i % 3 = 1 then 'month' end, case when i % 3 < 2 then ${spread("i", users)} end,
          10, 10, 14, ${spread("i", users)}
        from ${upTo(users)} where i % ${organisations} + 1 <> i`,
    ],
    [
      "registrations",
      `insert into user_registration (user_id, network, device, address_key, decided_at, credit_quota, credit_refusal)
        select i, '192.0.' || i % 250, 'device ' || i, sha256(i::text::bytea), ${spread("i", users)}, case when i % 2 = 0 then 10 else 0 end,
          case when i % 2 = 1 then 'network' end
        from ${upTo(users)}`,
    ],
    [
      "invoices",
      `insert into invoice (number, prefix, year, sequence, kind, order_id, currency, net_usd, tax_usd, gross_usd, tax_rate, locale, facts, issued_at)
        select 'INV-' || id, 'INV', 2026, id, 'invoice', id, 'USD', amount_usd, 0, amount_usd, 0, 'en',
          '{"buyer": {"name": "Buyer", "country": "DE", "taxId": "", "email": "b@example.org"}, "original": null}', created_at
        from sales_order where status = 'settled'`,
    ],
    [
      "projects",
      `insert into organisation_project (organisation_id, name)
        select o.id, 'Project ' || n from organisation o, generate_series(1, 5) n`,
    ],
    [
      "events of gateways",
      `insert into gateway_event (gateway, account, event_id, kind, body_hash, result, order_no, received_at)
        select 'cardpay', 'default', 'evt_' || i, 'payment', sha256(i::text::bytea), case when i % 500 = 0 then 'review' else 'settled' end,
          'S' || i, ${spread("i", orders)} from ${upTo(orders)}`,
    ],
  ];
}
