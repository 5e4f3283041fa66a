import { z } from "zod";
import { demands, waitingResponse } from "./approvals.ts";
import { orderNo, planCode, usd } from "./billing.ts";
import { choiceOf, exactText, idText, listContract } from "./lists.ts";
import { planNames } from "./plan-texts.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireDecimal, wireInteger, wireMoment } from "./wire.ts";

/** Automatic top-ups: the card gateway charges a saved payment method when the balance falls below a threshold. */

/**
 * `pending` until the customer has saved a method on the gateway's page. `stopped` after failures, or when what was
 * agreed to is no longer offered, or after money of a charge went back. `removed` by the customer, or as the one who saved
 * the method no longer pays for the wallet; `abandoned` without a method.
 */
export const topUpStatuses = ["pending", "on", "stopped", "removed", "abandoned"] as const;
export type TopUpStatus = (typeof topUpStatuses)[number];

/** `returned`: money of a charge went back or is disputed, or the charge waits for a decision. */
export const topUpStops = ["declined", "terms", "returned"] as const;

export const topUpAttemptStates = ["open", "paid", "failed"] as const;

export const startTopUpInput = strictObject(() => ({
  plan_code: planCode,
  /** For a plan whose buyers choose the amount, and only for one. */
  amount_usd: usd.optional(),
  /** A charge follows once less than this is left. */
  threshold_usd: usd,
  /** The most that is charged in a month of UTC. */
  month_max_usd: usd,
}));

export const topUpEntry = strictObject(() => ({
  top_up_no: z.string(),
  plan_name: z.string(),
  plan_names: planNames,
  /** What each charge costs, with tax. */
  price_usd: wireDecimal,
  threshold_usd: wireDecimal,
  month_max_usd: wireDecimal,
  charged_usd: wireDecimal,
  status: z.enum(topUpStatuses),
  stop_reason: z.enum(topUpStops).nullable(),
}));
export type TopUpEntry = Unsent<z.output<typeof topUpEntry>>;
/** Null without one. */
export const topUpResponse = strictObject(() => ({ top_up: topUpEntry.nullable() }));
export const startedTopUpResponse = strictObject(() => ({ top_up: topUpEntry, checkout_url: z.string() }));

/** A charge that the gateway has not answered, for the person who looks there. */
export const chargeInput = strictObject(() => ({ order_no: orderNo }));
export const chargeResponse = strictObject(() => ({
  charge: z.strictObject({
    order_no: z.string(),
    top_up_no: z.string(),
    state: z.enum(topUpAttemptStates),
    amount_usd: wireDecimal,
    quota: wireInteger,
    /** Our account at the gateway, and the customer there. */
    account: z.string(),
    gateway_customer_id: z.string().nullable(),
    created_at: wireMoment,
    /** Null while the gateway is still asked. */
    unclear_since: wireMoment.nullable(),
    balance_before_quota: wireInteger,
    /** If it was charged. */
    balance_after_quota: wireInteger,
    demand: z.enum(demands),
  }),
}));

export const closeChargeInput = strictObject(() => ({
  order_no: orderNo,
  outcome: z.enum(["charged", "not_charged"]),
  /** The payment at the gateway, if it has charged. */
  transaction_id: z
    .string()
    .regex(/^[A-Za-z0-9_]{1,255}$/, "the id of a payment at the gateway, like pi_3Abc")
    .optional(),
  reason: reasonText(500),
}));
const closedCharge = strictObject(() => ({
  is_new: z.boolean(),
  order_no: z.string(),
  status: z.string(),
}));
export const closeChargeOutput = z.union([closedCharge, waitingResponse]);

export const topUpList = listContract({
  name: "top-ups",
  rowId: "top_up_no",
  row: strictObject(() => ({
    top_up_no: z.string(),
    user_id: wireInteger,
    email: z.string(),
    organisation: z.string().nullable(),
    plan_code: z.string(),
    price_usd: wireDecimal,
    threshold_quota: wireInteger,
    month_max_usd: wireDecimal,
    status: z.enum(topUpStatuses),
    stop_reason: z.enum(topUpStops).nullable(),
    failures: z.int(),
    attempts: wireInteger,
    open_order_no: z.string().nullable(),
    /** Since when nobody knows what became of the open charge. */
    unclear_since: wireMoment.nullable(),
    created_at: wireMoment,
  })),
  filters: { top_up_no: exactText(64), user_id: idText, status: choiceOf(topUpStatuses) },
  sorts: ["created_at"],
  defaultSort: "-created_at",
});
