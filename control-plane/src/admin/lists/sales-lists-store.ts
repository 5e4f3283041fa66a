import { planList } from "@sluice/contracts/admin-lists/billing";
import { codeBatchList } from "@sluice/contracts/codes";
import { couponList } from "@sluice/contracts/coupons";
import { invoiceList } from "@sluice/contracts/invoices";
import { referralList } from "@sluice/contracts/referrals";
import { renewalList } from "@sluice/contracts/renewals";
import { topUpList } from "@sluice/contracts/top-ups";
import { column, either, equals, isOneOf, listSource } from "../../platform/list-query/model.ts";

const planCode = column("text", "n.plan_code");
const batchState = `case when b.revoked_at is not null then 'revoked' when b.expires_at <= now() then 'expired' else 'usable' end`;

export const plans = listSource({
  contract: planList,
  from: `plan n left join (
    select plan_code, count(*) as subscribers from subscription where status = 'active' group by plan_code
  ) s on s.plan_code = n.plan_code`,
  columns: {
    plan_code: planCode,
    name: column("text", "n.name"),
    kind: column("text", "n.kind"),
    price_usd: column("numeric", "n.price_usd"),
    currency: column("text", "'USD'"),
    quota: column("bigint", "n.quota"),
    description: column("text", "n.description"),
    features: column("jsonb", "n.features"),
    texts: column("jsonb", "n.texts"),
    sort_order: column("integer", "n.sort_order"),
    status: column("text", "n.status"),
    version: column("integer", "n.version"),
    group_name: column("text", "n.group_name"),
    own_amount: column(
      "jsonb",
      `case when n.amount_min_usd is not null then jsonb_build_object('min_usd', n.amount_min_usd::text,
        'max_usd', n.amount_max_usd::text, 'step_usd', n.amount_step_usd::text) end`,
    ),
    renews: column("boolean", "n.renews"),
    subscribers: column("bigint", "coalesce(s.subscribers, 0)"),
    archived_at: column("timestamptz", "n.archived_at"),
    created_at: column("timestamptz", "n.created_at"),
    updated_at: column("timestamptz", "n.updated_at"),
  },
  filters: {
    plan_code: equals("text", "n.plan_code"),
    kind: isOneOf("n.kind"),
    status: isOneOf("n.status"),
    group_name: equals("text", "n.group_name"),
    is_archived: either("n.archived_at is not null", "n.archived_at is null"),
  },
  sorts: {
    sort_order: [column("integer", "n.sort_order"), planCode],
    price_usd: [column("numeric", "n.price_usd"), planCode],
    name: [column("text", "n.name"), planCode],
  },
  time: null,
});

const batchId = column("bigint", "b.id");
const batchCreated = column("timestamptz", "b.created_at");

/** Batches of redemption codes, without the codes. */
export const codeBatches = listSource({
  contract: codeBatchList,
  from: "code_batch b",
  columns: {
    batch_id: batchId,
    name: column("text", "b.name"),
    note: column("text", "b.note"),
    plan_code: column("text", "b.plan_code"),
    plan_kind: column("text", "b.plan_kind"),
    quota: column("bigint", "b.quota"),
    group_name: column("text", "b.group_name"),
    count: column("integer", "b.count"),
    is_once_per_user: column("boolean", "b.is_once_per_user"),
    expires_at: column("timestamptz", "b.expires_at"),
    revoked_at: column("timestamptz", "b.revoked_at"),
    created_by: column("text", "b.created_by"),
    created_at: batchCreated,
    state: column("text", batchState),
    redeemed: column("bigint", "(select count(*) from code_redemption r where r.batch_id = b.id)"),
  },
  filters: {
    batch_id: equals("bigint", "b.id"),
    state: isOneOf(batchState),
    plan_code: equals("text", "b.plan_code"),
    is_once_per_user: either("b.is_once_per_user", "not b.is_once_per_user"),
  },
  sorts: { created_at: [batchCreated, batchId] },
  time: { at: batchCreated },
});

const couponId = column("bigint", "c.id");
const couponCreated = column("timestamptz", "c.created_at");
const couponUses = column("integer", "c.uses");
const couponState = `case when c.revoked_at is not null then 'revoked' when c.expires_at <= now() then 'expired'
  when c.uses >= c.uses_max then 'used_up' when c.starts_at > now() then 'upcoming' else 'usable' end`;

/** Coupons, with what they took off paid orders. */
export const coupons = listSource({
  contract: couponList,
  from: "coupon c",
  columns: {
    coupon_id: couponId,
    code: column("text", "c.code"),
    kind: column("text", "c.kind"),
    percent: column("numeric", "trim_scale(c.percent)"),
    amount_usd: column("numeric", "c.amount_usd"),
    note: column("text", "c.note"),
    starts_at: column("timestamptz", "c.starts_at"),
    expires_at: column("timestamptz", "c.expires_at"),
    uses_max: column("integer", "c.uses_max"),
    uses_per_user: column("integer", "c.uses_per_user"),
    is_first_purchase: column("boolean", "c.is_first_purchase"),
    plan_codes: column("jsonb", "to_jsonb(c.plan_codes)"),
    minimum_usd: column("numeric", "c.minimum_usd"),
    uses: couponUses,
    revoked_at: column("timestamptz", "c.revoked_at"),
    created_by: column("text", "c.created_by"),
    created_at: couponCreated,
    state: column("text", couponState),
    consumed: column("bigint", "(select count(*) from coupon_use u where u.coupon_id = c.id and u.state = 'consumed')"),
    discounts_usd: column(
      "numeric",
      "coalesce((select sum(u.discount_usd) from coupon_use u where u.coupon_id = c.id and u.state = 'consumed'), 0.00)",
    ),
  },
  filters: {
    coupon_id: equals("bigint", "c.id"),
    code: (text, bind) => `c.code = ${bind(text.toUpperCase(), "text")}`,
    kind: isOneOf("c.kind"),
    state: isOneOf(couponState),
    is_first_purchase: either("c.is_first_purchase", "not c.is_first_purchase"),
  },
  sorts: { created_at: [couponCreated, couponId], uses: [couponUses, couponId] },
  time: { at: couponCreated },
});

const topUpId = column("bigint", "t.id");
const topUpCreated = column("timestamptz", "t.created_at");

/** Automatic top-ups, with the charge that is open. */
export const topUps = listSource({
  contract: topUpList,
  from: `auto_top_up t join user_profile u on u.id = t.user_id left join organisation g on g.id = t.organisation_id
    left join top_up_attempt a on a.top_up_id = t.id and a.state = 'open' left join sales_order o on o.id = a.order_id`,
  columns: {
    top_up_no: column("text", "t.top_up_no"),
    user_id: column("bigint", "t.user_id"),
    email: column("text", "u.email"),
    organisation: column("text", "g.name"),
    plan_code: column("text", "t.plan_code"),
    price_usd: column("numeric", "t.price_usd"),
    threshold_quota: column("bigint", "t.threshold_quota"),
    month_max_usd: column("numeric", "t.month_max_usd"),
    status: column("text", "t.status"),
    stop_reason: column("text", "t.stop_reason"),
    failures: column("integer", "t.failures"),
    attempts: column("bigint", "(select count(*) from top_up_attempt b where b.top_up_id = t.id)"),
    open_order_no: column("text", "o.order_no"),
    unclear_since: column("timestamptz", "a.unclear_since"),
    created_at: topUpCreated,
  },
  filters: {
    top_up_no: equals("text", "t.top_up_no"),
    user_id: equals("bigint", "t.user_id"),
    status: isOneOf("t.status"),
  },
  sorts: { created_at: [topUpCreated, topUpId] },
  time: { at: topUpCreated },
});

const referralId = column("bigint", "r.id");
const referralCreated = column("timestamptz", "r.created_at");

/** Users who were invited by others, with what was given for that. */
export const referrals = listSource({
  contract: referralList,
  from: `referral r join user_profile i on i.id = r.inviter_id join user_profile n on n.id = r.invited_id
    left join sales_order o on o.id = r.order_id`,
  columns: {
    referral_id: referralId,
    inviter_id: column("bigint", "r.inviter_id"),
    inviter_email: column("text", "i.email"),
    invited_id: column("bigint", "r.invited_id"),
    invited_email: column("text", "n.email"),
    state: column("text", "r.state"),
    refusal: column("text", "r.refusal"),
    inviter_quota: column("bigint", "r.inviter_quota"),
    invited_quota: column("bigint", "r.invited_quota"),
    wait_days: column("integer", "r.wait_days"),
    order_no: column("text", "o.order_no"),
    created_at: referralCreated,
    decided_at: column("timestamptz", "r.decided_at"),
    taken_back_at: column("timestamptz", "r.taken_back_at"),
  },
  filters: {
    referral_id: equals("bigint", "r.id"),
    inviter_id: equals("bigint", "r.inviter_id"),
    invited_id: equals("bigint", "r.invited_id"),
    state: isOneOf("r.state"),
    order_no: equals("text", "o.order_no"),
  },
  sorts: { created_at: [referralCreated, referralId] },
  time: { at: referralCreated },
});

const invoiceId = column("bigint", "i.id");
const issuedAt = column("timestamptz", "i.issued_at");
const invoicedUsd = column("numeric", "i.gross_usd");

/** Invoices and credit notes, with what they say about the buyer. */
export const invoices = listSource({
  contract: invoiceList,
  from: "invoice i join sales_order o on o.id = i.order_id",
  columns: {
    number: column("text", "i.number"),
    kind: column("text", "i.kind"),
    order_no: column("text", "o.order_no"),
    currency: column("text", "i.currency"),
    net_usd: column("numeric", "i.net_usd"),
    tax_usd: column("numeric", "i.tax_usd"),
    gross_usd: invoicedUsd,
    tax_rate: column("numeric", "trim_scale(i.tax_rate)"),
    issued_at: issuedAt,
    buyer_name: column("text", "i.facts->'buyer'->>'name'"),
    buyer_country: column("text", "i.facts->'buyer'->>'country'"),
    buyer_tax_id: column("text", "i.facts->'buyer'->>'taxId'"),
    buyer_email: column("text", "i.facts->'buyer'->>'email'"),
    original_number: column("text", "i.facts->'original'->>'number'"),
  },
  filters: {
    kind: isOneOf("i.kind"),
    number: equals("text", "i.number"),
    order_no: equals("text", "o.order_no"),
  },
  sorts: { issued_at: [issuedAt, invoiceId], gross_usd: [invoicedUsd, invoiceId] },
  time: { at: issuedAt },
});

const renewalId = column("bigint", "r.id");
const renewalCreated = column("timestamptz", "r.created_at");
const renewalPrice = column("numeric", "r.price_usd");

/** Subscriptions that the card gateway charges for every month. */
export const renewals = listSource({
  contract: renewalList,
  from: "renewal r join user_profile u on u.id = r.user_id left join organisation g on g.id = r.organisation_id",
  columns: {
    renewal_no: column("text", "r.renewal_no"),
    user_id: column("bigint", "r.user_id"),
    email: column("text", "u.email"),
    organisation: column("text", "g.name"),
    plan_code: column("text", "r.plan_code"),
    plan_name: column("text", "r.plan_name"),
    price_usd: renewalPrice,
    quota: column("bigint", "r.quota"),
    group_name: column("text", "r.group_name"),
    account: column("text", "r.account"),
    status: column("text", "r.status"),
    is_cancelled_at_end: column("boolean", "r.is_cancelled_at_end"),
    end_reason: column("text", "r.end_reason"),
    note: column("text", "r.note"),
    gateway_subscription_id: column("text", "r.gateway_subscription_id"),
    periods: column("bigint", "(select count(*) from renewal_period p where p.renewal_id = r.id)"),
    period_end: column("timestamptz", "r.period_end"),
    kept_until: column("timestamptz", "r.kept_until"),
    failed_at: column("timestamptz", "r.failed_at"),
    next_price_usd: column("numeric", "r.next_price_usd"),
    next_quota: column("bigint", "r.next_quota"),
    next_from: column("timestamptz", "r.next_from"),
    created_at: renewalCreated,
    updated_at: column("timestamptz", "r.updated_at"),
  },
  filters: {
    renewal_no: equals("text", "r.renewal_no"),
    user_id: equals("bigint", "r.user_id"),
    email: (value, bind) => `r.user_id = (select id from user_profile where email = ${bind(value, "text")})`,
    plan_code: equals("text", "r.plan_code"),
    status: isOneOf("r.status"),
    gateway_subscription_id: equals("text", "r.gateway_subscription_id"),
    is_cancelled_at_end: either("r.is_cancelled_at_end", "not r.is_cancelled_at_end"),
  },
  sorts: { created_at: [renewalCreated, renewalId], price_usd: [renewalPrice, renewalId] },
  time: { at: renewalCreated },
});
