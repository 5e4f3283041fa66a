import { z } from "zod";
import { auditList, keyList, mailList, userList } from "./admin-lists/accounts.ts";
import { ledgerList, orderList, paymentList, refundList } from "./admin-lists/billing.ts";
import { usageList } from "./admin-lists/gateway.ts";
import { groupOfUser } from "./groups.ts";
import { recordId } from "./keys.ts";
import { loginMethods } from "./login-methods.ts";
import { reasonText } from "./readable-text.ts";
import { strictObject } from "./strict-object.ts";
import { earlierUsage } from "./usage.ts";
import { wireInteger, wireMoment } from "./wire.ts";

const reason = reasonText(500).optional();

export const revokeUserSessionsInput = strictObject(() => ({ user_id: recordId, reason }));
export const resendVerificationInput = strictObject(() => ({ user_id: recordId, reason }));

export const userDetailInput = strictObject(() => ({ user_id: recordId }));

const spent = strictObject(() => ({ calls: wireInteger, completed: wireInteger, settled_quota: wireInteger }));

/** The wallet of an account. */
export const balanceView = strictObject(() => ({
  granted: wireInteger,
  used: wireInteger,
  reserved: wireInteger,
  /** Quota lent to running replicas; the balance includes it. */
  leased: wireInteger,
  remaining: wireInteger,
  /** The balance according to the ledger's entries. */
  ledger: wireInteger,
}));

/** The settled calls of the last days that have already been summed. */
export const spentView = strictObject(() => ({ last_day: spent, last_7_days: spent, last_30_days: spent }));

/**
 * Everything about a user. It includes the first page of each list with the filter `user_id` (for the audit log
 * `about_user_id`), whose cursor continues in that list.
 */
export const userDetail = strictObject(() => ({
  user: userList.row.extend({
    locale: z.string(),
    verification_email_sent_at: wireMoment.nullable(),
    gateway_status: z.enum(["enabled", "disabled"]),
  }),
  balance: balanceView,
  spent: spentView,
  /** What the user used in the gateway that the account was moved from; null if it was not moved. */
  earlier_usage: earlierUsage.nullable(),
  subscriptions: z.array(
    z.strictObject({
      plan_code: z.string(),
      plan_name: z.string(),
      status: z.enum(["active", "cancelled", "expired"]),
      period_start: wireMoment,
      period_end: wireMoment,
      quota_granted: wireInteger,
      quota_left: wireInteger,
      is_cancelled_at_end: z.boolean(),
    }),
  ),
  /** The groups that the user may use; of several sources of one group each is there. */
  groups: z.array(groupOfUser),
  /** The accounts at other services with which the user logs in. */
  sign_ins: z.array(
    z.strictObject({
      sign_in_id: wireInteger,
      issuer: z.string(),
      /** The address of the account at the service, when it was last used. */
      email: z.string().nullable(),
      created_at: wireMoment,
      last_used_at: wireMoment.nullable(),
    }),
  ),
  passkeys: z.array(
    z.strictObject({
      passkey_id: wireInteger,
      /** What its owner calls it. */
      name: z.string(),
      is_synced: z.boolean(),
      created_at: wireMoment,
      last_used_at: wireMoment.nullable(),
    }),
  ),
  sessions: z.array(
    z.strictObject({
      session_id: wireInteger,
      ip: z.string(),
      user_agent: z.string(),
      /** How the user logged in; null for logins of earlier releases. */
      method: z.enum(loginMethods).nullable(),
      created_at: wireMoment,
      seen_at: wireMoment,
      expires_at: wireMoment,
    }),
  ),
  keys: keyList.output,
  orders: orderList.output,
  payments: paymentList.output,
  refunds: refundList.output,
  usage: usageList.output,
  ledger: ledgerList.output,
  mails: mailList.output,
  audit: auditList.output,
}));
