import { z } from "zod";
import { ownAmount } from "../billing.ts";
import { archivedText, choiceOf, exactText, flagText, idText, listContract } from "../lists.ts";
import { noticeResults } from "../payments.ts";
import { planTexts } from "../plan-texts.ts";
import { strictObject } from "../strict-object.ts";
import { wireDecimal, wireInteger, wireMoment } from "../wire.ts";

export const orderStatuses = ["pending", "settled", "cancelled", "expired", "refunded", "review"] as const;
export const payChannels = ["none", "mock", "walletpay", "cardpay", "code"] as const;
export const paymentGateways = ["mock", "walletpay", "cardpay", "code"] as const;
export const refundStatuses = ["pending", "done", "failed"] as const;
export const planKinds = ["wallet_balance", "monthly"] as const;
export const planStatuses = ["active", "hidden"] as const;

export const orderList = listContract({
  name: "orders",
  rowId: "order_no",
  row: strictObject(() => ({
    order_no: z.string(),
    plan_code: z.string(),
    plan_name: z.string(),
    plan_kind: z.enum(planKinds),
    quota: wireInteger,
    amount_usd: wireDecimal,
    /** The coupon that it was placed with, and what that took off the price before tax. */
    coupon_code: z.string().nullable(),
    discount_usd: wireDecimal.nullable(),
    currency: z.string(),
    /** Null until someone claims an anonymous order. */
    user_id: wireInteger.nullable(),
    email: z.string().nullable(),
    /** The organisation whose account it is, if it is not a person's. */
    organisation_id: wireInteger.nullable(),
    organisation: z.string().nullable(),
    pay_channel: z.enum(payChannels),
    sender: z.string().nullable(),
    vendor: z.string().nullable(),
    status: z.enum(orderStatuses),
    is_paid_late: z.boolean(),
    is_mock: z.boolean(),
    /** The reason why the order needs a person's review. */
    review_reason: z.string().nullable(),
    gateway_reference: z.string().nullable(),
    transaction_id: z.string().nullable(),
    refunded_usd: wireDecimal,
    created_at: wireMoment,
    expires_at: wireMoment,
    /** When the payment was recorded, and when its quota was credited. */
    paid_at: wireMoment.nullable(),
    credited_at: wireMoment.nullable(),
    settled_at: wireMoment.nullable(),
  })),
  filters: {
    order_no: exactText(64),
    user_id: idText,
    organisation_id: idText,
    /** Selects orders whose email address, or whose user's, starts with this. */
    email: exactText(254),
    status: choiceOf(orderStatuses),
    pay_channel: choiceOf(payChannels),
    plan_code: exactText(64),
    coupon_code: exactText(32),
    /** Selects orders that need a person's review. */
    is_marked: flagText,
    is_paid_late: flagText,
    /** False selects orders that were paid and not credited. */
    is_credited: flagText,
  },
  sorts: ["created_at", "amount_usd"],
  defaultSort: "-created_at",
});

export const paymentList = listContract({
  name: "payments",
  rowId: "payment_id",
  row: strictObject(() => ({
    payment_id: wireInteger,
    order_no: z.string(),
    order_status: z.enum(orderStatuses),
    plan_code: z.string(),
    user_id: wireInteger.nullable(),
    email: z.string().nullable(),
    /** The organisation whose account it is, if it is not a person's. */
    organisation_id: wireInteger.nullable(),
    organisation: z.string().nullable(),
    gateway: z.enum(paymentGateways),
    account: z.string(),
    transaction_id: z.string(),
    amount_usd: wireDecimal,
    currency: z.string(),
    refunded_usd: wireDecimal,
    created_at: wireMoment,
  })),
  filters: {
    order_no: exactText(64),
    transaction_id: exactText(255),
    user_id: idText,
    organisation_id: idText,
    gateway: choiceOf(paymentGateways),
    account: exactText(64),
  },
  sorts: ["created_at", "amount_usd"],
  defaultSort: "-created_at",
});

export const refundList = listContract({
  name: "refunds",
  rowId: "refund_no",
  row: strictObject(() => ({
    refund_no: z.string(),
    order_no: z.string(),
    user_id: wireInteger.nullable(),
    email: z.string().nullable(),
    /** The organisation whose account it is, if it is not a person's. */
    organisation_id: wireInteger.nullable(),
    organisation: z.string().nullable(),
    gateway: z.string(),
    amount_usd: wireDecimal,
    quota: wireInteger,
    status: z.enum(refundStatuses),
    reason: z.string(),
    gateway_refund_id: z.string().nullable(),
    error: z.string().nullable(),
    created_at: wireMoment,
    updated_at: wireMoment,
  })),
  filters: {
    refund_no: exactText(64),
    order_no: exactText(64),
    user_id: idText,
    organisation_id: idText,
    status: choiceOf(refundStatuses),
  },
  sorts: ["created_at"],
  defaultSort: "-created_at",
});

export const noticeKinds = ["paid", "reversal", "renewal", "wrong_mode", "other"] as const;

export const gatewayEventList = listContract({
  name: "gateway-events",
  rowId: "gateway_event_id",
  row: strictObject(() => ({
    gateway_event_id: wireInteger,
    gateway: z.enum(["walletpay", "cardpay"]),
    account: z.string(),
    event_id: z.string(),
    /** The gateway's name for the kind of message. */
    kind: z.string(),
    /** The parsed meaning; null for messages from before it was stored. */
    meaning: z.enum(noticeKinds).nullable(),
    order_no: z.string().nullable(),
    order_status: z.enum(orderStatuses).nullable(),
    /** The order's reason for a review. */
    review_reason: z.string().nullable(),
    transaction_id: z.string().nullable(),
    amount_usd: wireDecimal.nullable(),
    currency: z.string().nullable(),
    result: z.enum(noticeResults),
    /** The error code of the last attempt. */
    last_error: z.string().nullable(),
    tries: z.int(),
    tried_at: wireMoment.nullable(),
    received_at: wireMoment,
    /** Whether processing the message again can change anything. */
    is_open: z.boolean(),
  })),
  filters: {
    order_no: exactText(64),
    event_id: exactText(255),
    transaction_id: exactText(255),
    gateway: choiceOf(["walletpay", "cardpay"]),
    result: choiceOf(noticeResults),
    is_open: flagText,
  },
  sorts: ["received_at"],
  defaultSort: "-received_at",
});

export const ledgerList = listContract({
  name: "ledger",
  rowId: "entry_id",
  row: strictObject(() => ({
    entry_id: wireInteger,
    posting_id: wireInteger,
    /** `user:<gateway user id>` or `house:<what>`. */
    account: z.string(),
    gateway_user_id: wireInteger.nullable(),
    user_id: wireInteger.nullable(),
    email: z.string().nullable(),
    /** The organisation whose account it is, if it is not a person's. */
    organisation_id: wireInteger.nullable(),
    organisation: z.string().nullable(),
    change_type: z.string(),
    reference: z.string(),
    note: z.string().nullable(),
    amount: wireInteger,
    balance_after: wireInteger,
    created_at: wireMoment,
  })),
  filters: {
    user_id: idText,
    gateway_user_id: idText,
    account: exactText(100),
    change_type: exactText(64),
    reference: exactText(255),
  },
  sorts: ["created_at"],
  defaultSort: "-created_at",
});

export const planList = listContract({
  name: "plans",
  rowId: "plan_code",
  row: strictObject(() => ({
    plan_code: z.string(),
    name: z.string(),
    kind: z.enum(planKinds),
    price_usd: wireDecimal,
    currency: z.literal("USD"),
    quota: wireInteger,
    description: z.string(),
    features: z.array(z.string()),
    texts: planTexts,
    sort_order: z.int(),
    status: z.enum(planStatuses),
    version: z.int(),
    group_name: z.string().nullable(),
    own_amount: ownAmount,
    renews: z.boolean(),
    /** The number of users with an active monthly plan. */
    subscribers: wireInteger,
    archived_at: wireMoment.nullable(),
    created_at: wireMoment,
    updated_at: wireMoment,
  })),
  filters: {
    plan_code: exactText(64),
    kind: choiceOf(planKinds),
    status: choiceOf(planStatuses),
    is_archived: archivedText,
    group_name: exactText(64),
  },
  sorts: ["sort_order", "price_usd", "name"],
  defaultSort: "sort_order",
  isTimed: false,
});

export const adjustmentList = listContract({
  name: "adjustments",
  rowId: "audit_id",
  row: strictObject(() => ({
    audit_id: wireInteger,
    at: wireMoment,
    admin: z.string(),
    gateway_user_id: wireInteger,
    user_id: wireInteger.nullable(),
    email: z.string().nullable(),
    /** The organisation whose account it is, if it is not a person's. */
    organisation_id: wireInteger.nullable(),
    organisation: z.string().nullable(),
    amount: wireInteger,
    remaining_before: wireInteger,
    remaining_after: wireInteger,
    reason: z.string().nullable(),
    /** The number of the ledger posting. */
    posting_id: wireInteger.nullable(),
    request_id: z.string().nullable(),
  })),
  filters: { user_id: idText, gateway_user_id: idText, admin: exactText(254) },
  sorts: ["at"],
  defaultSort: "-at",
});
