import type { AdminOperation } from "./admin-rights.ts";

export type BulkAction = {
  /** The list whose rows are chosen. */
  readonly list: string;
  /** The operation that is carried out for each row; who may do that may do it for many. */
  readonly operation: AdminOperation;
  /** Whether the group is asked for into which accounts are put. */
  readonly takesGroup: boolean;
};

const of = <List extends string>(list: List, operation: AdminOperation, takesGroup = false) => ({
  list,
  operation,
  takesGroup,
});

/** What admins can do with many rows of a list at once. */
export const bulkActions = {
  "users.suspend": of("users", "/backend/admin/user/save/"),
  "users.activate": of("users", "/backend/admin/user/save/"),
  "users.group": of("users", "/backend/admin/group/assign/", true),
  "users.end_sessions": of("users", "/backend/admin/user/sessions/revoke/"),
  "organisations.suspend": of("organisations", "/backend/admin/organisation/save/"),
  "organisations.reopen": of("organisations", "/backend/admin/organisation/save/"),
  "organisations.group": of("organisations", "/backend/admin/group/assign/", true),
  "keys.lock": of("keys", "/backend/admin/key/lock/"),
  "keys.unlock": of("keys", "/backend/admin/key/unlock/"),
  "keys.revoke": of("keys", "/backend/admin/key/revoke/"),
  "channels.enable": of("channels", "/backend/admin/channel/enable/"),
  "channels.disable": of("channels", "/backend/admin/channel/disable/"),
  "channels.archive": of("channels", "/backend/admin/archive/add/"),
  "models.archive": of("models", "/backend/admin/archive/add/"),
  "plans.archive": of("plans", "/backend/admin/archive/add/"),
  "code-batches.revoke": of("code-batches", "/backend/admin/code-batch/revoke/"),
  "coupons.revoke": of("coupons", "/backend/admin/coupon/revoke/"),
  "leads.contacted": of("leads", "/backend/admin/lead/save/"),
  "leads.spam": of("leads", "/backend/admin/lead/save/"),
  "exit-nodes.enable": of("exit-nodes", "/backend/admin/exit-node/save/"),
  "exit-nodes.disable": of("exit-nodes", "/backend/admin/exit-node/save/"),
  "gateway-events.replay": of("gateway-events", "/backend/admin/gateway-event/replay/"),
  "mails.resend": of("mails", "/backend/admin/mail/resend/"),
  "orders.cancel": of("orders", "/backend/admin/order/resolve/"),
  "orders.dismiss": of("orders", "/backend/admin/order/resolve/"),
  "renewals.cancel": of("renewals", "/backend/admin/renewal/cancel/"),
} as const satisfies Readonly<Record<string, BulkAction>>;
export type BulkActionName = keyof typeof bulkActions;
export const bulkActionNames = Object.keys(bulkActions) as [BulkActionName, ...BulkActionName[]];
