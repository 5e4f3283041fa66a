import { z } from "zod";
import { planCode } from "./billing.ts";
import { choiceOf, exactText, flagText, idText, listContract } from "./lists.ts";
import { planNames } from "./plan-texts.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireDecimal, wireInteger, wireMoment } from "./wire.ts";

/** Plans that the card gateway charges for every month, until they are cancelled. */

/** `abandoned`: nobody paid on the gateway's page. `past_due`: the last charge failed. */
export const renewalStatuses = ["pending", "active", "past_due", "ended", "abandoned"] as const;
/**
 * `gateway`: ended there, without our asking. `unknown`: no longer known there. `second`: the account had the plan already.
 * `left`: the member of an organisation whose card it is no longer pays for it.
 */
export const renewalEnds = ["customer", "admin", "payment", "gateway", "unknown", "second", "left"] as const;

const renewalNo = z.string().regex(/^P[0-9A-Z]{26}$/, "not the number of a subscription");

export const startRenewalInput = strictObject(() => ({ plan_code: planCode }));
export const ownRenewalInput = strictObject(() => ({ renewal_no: renewalNo }));

export const renewalEntry = strictObject(() => ({
  renewal_no: z.string(),
  plan_code: z.string(),
  plan_name: z.string(),
  plan_names: planNames,
  price_usd: wireDecimal,
  quota: wireInteger,
  group: z.string().nullable(),
  status: z.enum(renewalStatuses),
  is_cancelled_at_end: z.boolean(),
  end_reason: z.enum(renewalEnds).nullable(),
  /** The end of the last month that was paid, when the next one is charged. */
  period_end: wireMoment.nullable(),
  /** Until when the plan is kept while a charge fails. */
  kept_until: wireMoment.nullable(),
  failed_at: wireMoment.nullable(),
  /** New terms of the plan, from the first month that begins at this time or later. */
  next: z.strictObject({ price_usd: wireDecimal, quota: wireInteger, from: wireMoment }).nullable(),
  created_at: wireMoment,
}));
export type RenewalEntry = Unsent<z.output<typeof renewalEntry>>;

export const renewalResponse = strictObject(() => ({ renewal: renewalEntry }));
export const renewalListResponse = strictObject(() => ({ renewals: z.array(renewalEntry) }));
/** The gateway's page where the customer continues. */
export const startedRenewal = renewalResponse.extend({ checkout_url: z.string() });
export const renewalPageResponse = strictObject(() => ({ url: z.string() }));

export const cancelRenewalInput = strictObject(() => ({ renewal_no: renewalNo, reason: reasonText(500) }));

export const renewalList = listContract({
  name: "renewals",
  rowId: "renewal_no",
  row: strictObject(() => ({
    renewal_no: z.string(),
    user_id: wireInteger,
    email: z.string(),
    organisation: z.string().nullable(),
    plan_code: z.string(),
    plan_name: z.string(),
    price_usd: wireDecimal,
    quota: wireInteger,
    group_name: z.string().nullable(),
    account: z.string(),
    status: z.enum(renewalStatuses),
    is_cancelled_at_end: z.boolean(),
    end_reason: z.enum(renewalEnds).nullable(),
    note: z.string().nullable(),
    gateway_subscription_id: z.string().nullable(),
    /** How many of its months were paid. */
    periods: wireInteger,
    period_end: wireMoment.nullable(),
    kept_until: wireMoment.nullable(),
    failed_at: wireMoment.nullable(),
    next_price_usd: wireDecimal.nullable(),
    next_quota: wireInteger.nullable(),
    next_from: wireMoment.nullable(),
    created_at: wireMoment,
    updated_at: wireMoment,
  })),
  filters: {
    renewal_no: exactText(64),
    user_id: idText,
    /** Selects subscriptions of the user with exactly this address. */
    email: exactText(254),
    plan_code: exactText(64),
    status: choiceOf(renewalStatuses),
    gateway_subscription_id: exactText(255),
    is_cancelled_at_end: flagText,
  },
  sorts: ["created_at", "price_usd"],
  defaultSort: "-created_at",
});
