import type { actorKinds, keyStates, mailList, userList } from "@sluice/contracts/admin-lists/accounts";
import type { orderList, paymentList, planList, refundList } from "@sluice/contracts/admin-lists/billing";
import type { groupList, modelList, usageList } from "@sluice/contracts/admin-lists/gateway";
import type { codeBatchList } from "@sluice/contracts/codes";
import type { couponList } from "@sluice/contracts/coupons";
import type { exitAccountEntry, exitNodeEntry } from "@sluice/contracts/exit-nodes";
import type { invoiceList } from "@sluice/contracts/invoices";
import type { leadList } from "@sluice/contracts/leads";
import type { RowOf } from "@sluice/contracts/lists";
import type { organisationAdminList } from "@sluice/contracts/organisation-admin";
import type { noticeResults as contractNoticeResults } from "@sluice/contracts/payments";
import type { referralList } from "@sluice/contracts/referrals";
import type { renewalList } from "@sluice/contracts/renewals";
import type { topUpList } from "@sluice/contracts/top-ups";
import type { saveProfileInput } from "@sluice/contracts/upstream-auth";
import type { ResponseOf } from "@sluice/contracts/wire";

// Repeats the enumeration values of packages/contracts, since the schemas themselves would bring zod into the browser.
// A record must name every one of them, so that none is missing or extra.

function valuesOf<Value extends string>(values: Readonly<Record<Value, true>>): readonly Value[] {
  return Object.keys(values) as Value[];
}

type UserRow = RowOf<typeof userList>;
type OrderRow = RowOf<typeof orderList>;

export const keyStatuses = valuesOf<(typeof keyStates)[number]>({
  active: true,
  disabled: true,
  expired: true,
  revoked: true,
});

export const userStatuses = valuesOf<UserRow["status"]>({
  email_pending: true,
  active: true,
  suspended: true,
  closed: true,
});
export const organisationStatuses = valuesOf<RowOf<typeof organisationAdminList>["status"]>({
  active: true,
  suspended: true,
});
export const userTypes = valuesOf<UserRow["user_type"]>({ personal: true, business: true, internal: true });
export const orderStatuses = valuesOf<OrderRow["status"]>({
  pending: true,
  settled: true,
  cancelled: true,
  expired: true,
  refunded: true,
  review: true,
});
export const payChannels = valuesOf<OrderRow["pay_channel"]>({
  none: true,
  mock: true,
  walletpay: true,
  cardpay: true,
  code: true,
});
export const paymentGateways = valuesOf<RowOf<typeof paymentList>["gateway"]>({
  mock: true,
  walletpay: true,
  cardpay: true,
  code: true,
});
export const refundStatuses = valuesOf<RowOf<typeof refundList>["status"]>({ pending: true, done: true, failed: true });
export const noticeResults = valuesOf<(typeof contractNoticeResults)[number]>({
  received: true,
  unconfirmed: true,
  unknown_order: true,
  settled: true,
  duplicate: true,
  review: true,
  ignored: true,
  flagged: true,
  wrong_mode: true,
  applied: true,
});
export const planKinds = valuesOf<RowOf<typeof planList>["kind"]>({ wallet_balance: true, monthly: true });
export const batchStates = valuesOf<RowOf<typeof codeBatchList>["state"]>({
  usable: true,
  expired: true,
  revoked: true,
});
export const couponKinds = valuesOf<RowOf<typeof couponList>["kind"]>({ percent: true, amount: true, bonus: true });
export const couponStates = valuesOf<RowOf<typeof couponList>["state"]>({
  usable: true,
  upcoming: true,
  used_up: true,
  expired: true,
  revoked: true,
});
export const invoiceKinds = valuesOf<RowOf<typeof invoiceList>["kind"]>({ invoice: true, credit_note: true });
export const referralStates = valuesOf<RowOf<typeof referralList>["state"]>({
  pending: true,
  rewarded: true,
  refused: true,
  taken_back: true,
});
export const topUpStatuses = valuesOf<RowOf<typeof topUpList>["status"]>({
  pending: true,
  on: true,
  stopped: true,
  removed: true,
  abandoned: true,
});
export const renewalStatuses = valuesOf<RowOf<typeof renewalList>["status"]>({
  pending: true,
  active: true,
  past_due: true,
  ended: true,
  abandoned: true,
});
export const planStatuses = valuesOf<RowOf<typeof planList>["status"]>({ active: true, hidden: true });
export const switchStatuses = valuesOf<RowOf<typeof modelList>["status"]>({ enabled: true, disabled: true });
export const groupVisibilities = valuesOf<RowOf<typeof groupList>["visibility"]>({
  public: true,
  assigned: true,
  plan: true,
});
export const outcomes = valuesOf<RowOf<typeof usageList>["outcome"]>({
  completed: true,
  aborted: true,
  failed: true,
  refused: true,
});
export const mailStatuses = valuesOf<RowOf<typeof mailList>["status"]>({
  queued: true,
  sending: true,
  sent: true,
  dead: true,
  dropped: true,
});
export const leadStatuses = valuesOf<RowOf<typeof leadList>["status"]>({
  pending: true,
  contacted: true,
  won: true,
  lost: true,
  spam: true,
});
export const actorKindValues = valuesOf<(typeof actorKinds)[number]>({
  admin: true,
  user: true,
  command: true,
  system: true,
});
export const nodeStatuses = valuesOf<ResponseOf<typeof exitNodeEntry>["status"]>({
  testing: true,
  active: true,
  disabled: true,
});
export const exitAccountStatuses = valuesOf<ResponseOf<typeof exitAccountEntry>["status"]>({
  testing: true,
  active: true,
  standby: true,
  disabled: true,
});
export const exitAuthTypes = valuesOf<ResponseOf<typeof exitAccountEntry>["auth_type"]>({
  api_key: true,
  oauth_refresh_token: true,
});
type Profile = ResponseOf<typeof saveProfileInput>;
export const authTypes = valuesOf<Profile["auth_type"]>({
  api_key: true,
  service_account: true,
  oauth_refresh_token: true,
  custom_header: true,
});
export const profileStatuses = valuesOf<Profile["status"]>({ standby: true, disabled: true });
