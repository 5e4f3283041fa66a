import {
  adjustmentList,
  gatewayEventList,
  ledgerList,
  orderList,
  paymentList,
  refundList,
} from "@sluice/contracts/admin-lists/billing";
import { type Bind, column, either, equals, isOneOf, listSource } from "../../platform/list-query/model.ts";

const orderCreated = column("timestamptz", "o.created_at");
const orderId = column("bigint", "o.id");
const email = column("text", "coalesce(u.email, o.email)");
const refunded = column(
  "numeric",
  "coalesce((select sum(r.amount_usd) from refund r where r.order_id = o.id and r.status <> 'failed'), 0.00)",
);

/**
 * Matches the email of the order's user, or the email of the order until someone claims it; the database keeps it up to
 * date.
 */
const hasEmail = (text: string, bind: Bind): string =>
  `o.owner_email like ${bind(`${text.toLowerCase().replace(/[\\%_]/g, "\\$&")}%`, "text")}`;

export const orders = listSource({
  contract: orderList,
  from: `sales_order o
    left join user_profile u on u.id = o.user_id
    left join organisation n on n.id = o.organisation_id
    left join payment y on y.order_id = o.id
    left join coupon_use s on s.order_id = o.id
    left join coupon c on c.id = s.coupon_id`,
  columns: {
    order_no: column("text", "o.order_no"),
    plan_code: column("text", "o.plan_code"),
    plan_name: column("text", "o.plan_name"),
    plan_kind: column("text", "o.plan_kind"),
    quota: column("bigint", "o.quota"),
    amount_usd: column("numeric", "o.amount_usd"),
    coupon_code: column("text", "c.code"),
    discount_usd: column("numeric", "s.discount_usd"),
    currency: column("text", "o.currency"),
    user_id: column("bigint", "o.user_id"),
    email,
    organisation_id: column("bigint", "n.id"),
    organisation: column("text", "n.name"),
    pay_channel: column("text", "o.pay_channel"),
    sender: column("text", "o.sender"),
    vendor: column("text", "o.vendor"),
    status: column("text", "o.status"),
    is_paid_late: column("boolean", "o.is_paid_late"),
    is_mock: column("boolean", "o.is_mock"),
    review_reason: column("text", "o.review_reason"),
    gateway_reference: column("text", "o.gateway_reference"),
    transaction_id: column("text", "y.transaction_id"),
    refunded_usd: refunded,
    created_at: orderCreated,
    expires_at: column("timestamptz", "o.expires_at"),
    paid_at: column("timestamptz", "y.created_at"),
    credited_at: column("timestamptz", "o.credited_at"),
    settled_at: column("timestamptz", "o.settled_at"),
  },
  filters: {
    order_no: equals("text", "o.order_no"),
    user_id: equals("bigint", "o.user_id"),
    organisation_id: equals("bigint", "o.organisation_id"),
    email: hasEmail,
    status: isOneOf("o.status"),
    pay_channel: isOneOf("o.pay_channel"),
    plan_code: equals("text", "o.plan_code"),
    coupon_code: equals("text", "c.code"),
    is_marked: either("o.review_reason is not null", "o.review_reason is null"),
    is_paid_late: either("o.is_paid_late", "not o.is_paid_late"),
    is_credited: either("o.credited_at is not null", "o.credited_at is null and o.settled_at is not null"),
  },
  sorts: { created_at: [orderCreated, orderId], amount_usd: [column("numeric", "o.amount_usd"), orderId] },
  time: { at: orderCreated },
});

const paymentCreated = column("timestamptz", "y.created_at");
const paymentId = column("bigint", "y.id");

export const payments = listSource({
  contract: paymentList,
  from: `payment y
    left join sales_order o on o.id = y.order_id
    left join user_profile u on u.id = o.user_id
    left join organisation n on n.id = o.organisation_id`,
  columns: {
    payment_id: paymentId,
    order_no: column("text", "o.order_no"),
    order_status: column("text", "o.status"),
    plan_code: column("text", "o.plan_code"),
    user_id: column("bigint", "o.user_id"),
    email,
    organisation_id: column("bigint", "n.id"),
    organisation: column("text", "n.name"),
    gateway: column("text", "y.gateway"),
    account: column("text", "y.account"),
    transaction_id: column("text", "y.transaction_id"),
    amount_usd: column("numeric", "y.amount_usd"),
    currency: column("text", "y.currency"),
    refunded_usd: refunded,
    created_at: paymentCreated,
  },
  filters: {
    order_no: equals("text", "o.order_no"),
    transaction_id: equals("text", "y.transaction_id"),
    user_id: equals("bigint", "o.user_id"),
    organisation_id: equals("bigint", "o.organisation_id"),
    gateway: isOneOf("y.gateway"),
    account: equals("text", "y.account"),
  },
  sorts: { created_at: [paymentCreated, paymentId], amount_usd: [column("numeric", "y.amount_usd"), paymentId] },
  time: { at: paymentCreated },
});

const refundCreated = column("timestamptz", "r.created_at");

export const refunds = listSource({
  contract: refundList,
  from: `refund r
    left join sales_order o on o.id = r.order_id
    left join user_profile u on u.id = o.user_id
    left join organisation n on n.id = o.organisation_id`,
  columns: {
    refund_no: column("text", "r.refund_no"),
    order_no: column("text", "o.order_no"),
    user_id: column("bigint", "o.user_id"),
    email,
    organisation_id: column("bigint", "n.id"),
    organisation: column("text", "n.name"),
    gateway: column("text", "o.pay_channel"),
    amount_usd: column("numeric", "r.amount_usd"),
    quota: column("bigint", "r.quota"),
    status: column("text", "r.status"),
    reason: column("text", "r.reason"),
    gateway_refund_id: column("text", "r.gateway_refund_id"),
    error: column("text", "r.error"),
    created_at: refundCreated,
    updated_at: column("timestamptz", "r.updated_at"),
  },
  filters: {
    refund_no: equals("text", "r.refund_no"),
    order_no: equals("text", "o.order_no"),
    user_id: equals("bigint", "o.user_id"),
    organisation_id: equals("bigint", "o.organisation_id"),
    status: isOneOf("r.status"),
  },
  sorts: { created_at: [refundCreated, column("bigint", "r.id")] },
  time: { at: refundCreated },
});

const eventReceived = column("timestamptz", "e.received_at");
const isOpenEvent = "(e.result in ('received', 'unconfirmed', 'unknown_order') and e.facts is not null)";

export const gatewayEvents = listSource({
  contract: gatewayEventList,
  from: "gateway_event e left join sales_order o on o.order_no = e.order_no",
  columns: {
    gateway_event_id: column("bigint", "e.id"),
    gateway: column("text", "e.gateway"),
    account: column("text", "e.account"),
    event_id: column("text", "e.event_id"),
    kind: column("text", "e.kind"),
    meaning: column("text", "e.facts->>'kind'"),
    order_no: column("text", "e.order_no"),
    order_status: column("text", "o.status"),
    review_reason: column("text", "o.review_reason"),
    transaction_id: column("text", "e.facts->>'transaction_id'"),
    amount_usd: column("numeric", "(e.facts->>'amount_usd')::numeric"),
    currency: column("text", "e.facts->>'currency'"),
    result: column("text", "e.result"),
    last_error: column("text", "e.last_error"),
    tries: column("integer", "e.tries"),
    tried_at: column("timestamptz", "e.tried_at"),
    received_at: eventReceived,
    is_open: column("boolean", isOpenEvent),
  },
  filters: {
    order_no: equals("text", "e.order_no"),
    event_id: equals("text", "e.event_id"),
    transaction_id: equals("text", "e.facts->>'transaction_id'"),
    gateway: isOneOf("e.gateway"),
    result: isOneOf("e.result"),
    is_open: either(isOpenEvent, `not ${isOpenEvent}`),
  },
  sorts: { received_at: [eventReceived, column("bigint", "e.id")] },
  time: { at: eventReceived },
});

const entryCreated = column("timestamptz", "e.created_at");
const entryId = column("bigint", "e.id");

export const ledgerEntries = listSource({
  contract: ledgerList,
  // A user's calls in a settlement batch are one row, which includes what the user's multiplier changed.
  from: `(select * from ledger_entry where usage_request_id is null) e
    left join ledger_posting l on l.id = e.posting_id
    left join ledger_account a on a.id = e.account_id
    left join user_profile u on u.gateway_user_id = a.gateway_user_id
    left join organisation n on n.gateway_user_id = a.gateway_user_id`,
  columns: {
    entry_id: entryId,
    posting_id: column("bigint", "e.posting_id"),
    account: column("text", "a.code"),
    gateway_user_id: column("bigint", "a.gateway_user_id"),
    user_id: column("bigint", "u.id"),
    email: column("text", "u.email"),
    organisation_id: column("bigint", "n.id"),
    organisation: column("text", "n.name"),
    change_type: column("text", "l.change_type"),
    reference: column("text", "l.reference"),
    note: column("text", "l.note"),
    amount: column("bigint", "e.amount + coalesce(e.delta_amount, 0)"),
    balance_after: column("bigint", "e.balance_after"),
    created_at: entryCreated,
  },
  filters: {
    user_id: (value, bind) =>
      `e.account_id = (select w.id from ledger_account w join user_profile v on v.gateway_user_id = w.gateway_user_id
        where v.id = ${bind(value, "bigint")})`,
    gateway_user_id: (value, bind) =>
      `e.account_id = (select w.id from ledger_account w where w.gateway_user_id = ${bind(value, "bigint")})`,
    account: (value, bind) =>
      `e.account_id = (select w.id from ledger_account w where w.code = ${bind(value, "text")})`,
    change_type: equals("text", "l.change_type"),
    reference: equals("text", "l.reference"),
  },
  sorts: { created_at: [entryCreated, entryId] },
  time: { at: entryCreated },
});

const adjustedAt = column("timestamptz", "a.at");

/** What admins credited and debited by hand, as recorded at the time. */
export const adjustments = listSource({
  contract: adjustmentList,
  from: `audit_log a
    left join user_profile u on u.gateway_user_id = a.subject_id::bigint
    left join organisation n on n.gateway_user_id = a.subject_id::bigint
    left join ledger_posting l on l.change_type = 'manual_adjust' and l.reference = a.after->>'reference'`,
  where: "a.action = 'quota.adjust' and a.subject_kind = 'gateway_user'",
  columns: {
    audit_id: column("bigint", "a.id"),
    at: adjustedAt,
    admin: column("text", "a.actor_name"),
    gateway_user_id: column("bigint", "a.subject_id::bigint"),
    user_id: column("bigint", "u.id"),
    email: column("text", "u.email"),
    organisation_id: column("bigint", "n.id"),
    organisation: column("text", "n.name"),
    amount: column("bigint", "(a.after->>'amount')::bigint"),
    remaining_before: column("bigint", "(a.before->>'remaining')::bigint"),
    remaining_after: column("bigint", "(a.after->>'remaining')::bigint"),
    reason: column("text", "a.reason"),
    posting_id: column("bigint", "l.id"),
    request_id: column("text", "a.request_id"),
  },
  filters: {
    user_id: (value, bind) =>
      `a.subject_id = (select gateway_user_id::text from user_profile where id = ${bind(value, "bigint")})`,
    gateway_user_id: (value, bind) => `a.subject_id = ${bind(String(value), "text")}`,
    admin: equals("text", "a.actor_name"),
  },
  sorts: { at: [adjustedAt, column("bigint", "a.id")] },
  time: { at: adjustedAt },
});
