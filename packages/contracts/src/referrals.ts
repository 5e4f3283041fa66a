import { z } from "zod";
import { pageInput } from "./billing.ts";
import { choiceOf, exactText, idText, listContract } from "./lists.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireCursor, wireInteger, wireMoment } from "./wire.ts";

/** Users who invite others, and what they get for it. */

/**
 * `pending` until the invited person has paid and the time for refunds is over. `taken_back` after the payment went back.
 */
export const referralStates = ["pending", "rewarded", "refused", "taken_back"] as const;
export type ReferralState = (typeof referralStates)[number];

/**
 * Why nobody was rewarded: both are one person, as far as is known, the inviter was rewarded often enough, or the invited person has
 * closed the account.
 */
export const referralRefusals = ["address", "device", "network", "month", "closed"] as const;
export type ReferralRefusal = (typeof referralRefusals)[number];

/** The shape of the codes in links. */
export const referralCodeShape = /^[0-9A-HJKMNP-TV-Z]{10}$/;

export const referralEntry = strictObject(() => ({
  /** The address of the invited person, with most of it hidden. */
  who: z.string(),
  state: z.enum(referralStates),
  /** What the user gets, or got. */
  reward_quota: wireInteger,
  registered_at: wireMoment,
  decided_at: wireMoment.nullable(),
}));
export type ReferralEntry = Unsent<z.output<typeof referralEntry>>;

export { pageInput as referralPageInput };
export const referralPageResponse = strictObject(() => ({
  /** Whether invitations are rewarded now. */
  is_on: z.boolean(),
  /** Null until the user has made it. */
  link: z.string().nullable(),
  inviter_quota: wireInteger,
  invited_quota: wireInteger,
  wait_days: z.int(),
  month_max: z.int(),
  referrals: z.array(referralEntry),
  next_cursor: wireCursor,
}));
export const referralLinkResponse = strictObject(() => ({ link: z.string() }));

export const referralList = listContract({
  name: "referrals",
  rowId: "referral_id",
  row: strictObject(() => ({
    referral_id: wireInteger,
    inviter_id: wireInteger,
    inviter_email: z.string(),
    invited_id: wireInteger,
    invited_email: z.string(),
    state: z.enum(referralStates),
    refusal: z.enum(referralRefusals).nullable(),
    inviter_quota: wireInteger,
    invited_quota: wireInteger,
    wait_days: z.int(),
    order_no: z.string().nullable(),
    created_at: wireMoment,
    decided_at: wireMoment.nullable(),
    taken_back_at: wireMoment.nullable(),
  })),
  filters: {
    referral_id: idText,
    inviter_id: idText,
    invited_id: idText,
    state: choiceOf(referralStates),
    order_no: exactText(64),
  },
  sorts: ["created_at"],
  defaultSort: "-created_at",
});
