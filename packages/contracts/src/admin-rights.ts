import type { LimitedRole } from "./admin-roles.ts";

/**
 * The only table of what each admin may do. Endpoints derive their declaration from it, and pages decide by it what to
 * offer. Endpoints that only read are open to admins and super-admins, unless listed here; which of them the limited
 * roles may call is in `admin-reads.ts`.
 */
export type AdminRight = {
  readonly access: "admin" | "super_admin";
  /** The login must be more recent than the setting `admin.fresh_login_minutes` allows. */
  readonly freshLogin: boolean;
  /** Input fields that only a super-admin with a fresh login may send, while all admins may send the others. */
  readonly guardedFields: readonly string[];
  /** Whether an admin who has yet to set up an authenticator may do this, because it is needed for that. */
  readonly withoutSecondFactor: boolean;
  /** The limited roles that may do this as well as admins; none by default. */
  readonly roles: readonly LimitedRole[];
  /** The only input fields that a limited role may send; absent for all. */
  readonly roleFields?: Partial<Readonly<Record<LimitedRole, readonly string[]>>>;
};

/** Admins and super-admins. */
const everyAdmin = {
  access: "admin",
  freshLogin: false,
  guardedFields: [],
  withoutSecondFactor: false,
  roles: [],
} as const;
const support = { ...everyAdmin, roles: ["support"] } as const;
const billing = { ...everyAdmin, roles: ["billing"] } as const;
const everyRole = ["read_only", "support", "billing"] as const;
const superAdmin = { ...everyAdmin, access: "super_admin" } as const;
/** Actions that redirect prompts, create money, reveal encrypted data, or grant rights. */
const freshSuperAdmin = { ...superAdmin, freshLogin: true } as const;
const ownLogin = { ...everyAdmin, withoutSecondFactor: true, roles: everyRole } as const;

export const adminRights = {
  // Operations on where prompts go, and on which model serves which name. Switching a super-admin's setup off and on
  // helps in an outage.
  "/backend/admin/channel/save/": freshSuperAdmin,
  "/backend/admin/channel/credential/save/": freshSuperAdmin,
  "/backend/admin/channel/credential/remove/": freshSuperAdmin,
  "/backend/admin/channel/enable/": everyAdmin,
  "/backend/admin/channel/disable/": everyAdmin,
  // Calls to addresses that nobody has saved are for those who may save them.
  "/backend/admin/channel/test/": { ...everyAdmin, guardedFields: ["upstream", "credential"] },
  "/backend/admin/channel/models/": { ...everyAdmin, guardedFields: ["upstream", "credential"] },
  "/backend/admin/channel/adopt/": freshSuperAdmin,
  "/backend/admin/archive/add/": freshSuperAdmin,
  "/backend/admin/archive/restore/": freshSuperAdmin,
  "/backend/admin/ability/save/": freshSuperAdmin,
  "/backend/admin/model/fallbacks/save/": freshSuperAdmin,
  "/backend/admin/anthropic/model-map/save/": freshSuperAdmin,
  "/backend/admin/response-cache/clear/": everyAdmin,
  "/backend/admin/exit-node/save/": freshSuperAdmin,
  "/backend/admin/exit-node/account/save/": freshSuperAdmin,
  "/backend/admin/exit-node/route/save/": freshSuperAdmin,
  "/backend/admin/exit-node/dns-check/": everyAdmin,
  "/backend/admin/exit-node/health/": everyAdmin,
  "/backend/admin/exit-node/switch/": everyAdmin,
  "/backend/upstream/auth-profiles/save/": freshSuperAdmin,
  "/backend/admin/upstream/save/": freshSuperAdmin,
  "/backend/upstream/auth-profiles/refresh/": everyAdmin,

  // Operations on prices and quota. The last three have amount limits: an admin may move a little per day, a
  // super-admin the rest.
  "/backend/admin/model/save/": freshSuperAdmin,
  "/backend/admin/group/save/": freshSuperAdmin,
  "/backend/admin/group/assign/": freshSuperAdmin,
  "/backend/admin/group/remove/": freshSuperAdmin,
  // What providers charge: proposals are made of it, and none of it changes a price.
  "/backend/admin/price-data/upload/": freshSuperAdmin,
  "/backend/admin/price-data/source/save/": freshSuperAdmin,
  "/backend/admin/price-data/remove/": freshSuperAdmin,
  "/backend/admin/price-data/fetch/": everyAdmin,
  "/backend/admin/plan/save/": freshSuperAdmin,
  "/backend/admin/code-batch/create/": freshSuperAdmin,
  "/backend/admin/code-batch/codes/": freshSuperAdmin,
  // It ends sales that someone relies on, and can't be undone.
  "/backend/admin/code-batch/revoke/": { ...billing, freshLogin: true },
  "/backend/admin/coupon/create/": freshSuperAdmin,
  "/backend/admin/coupon/revoke/": { ...billing, freshLogin: true },
  "/backend/admin/invoice/terms/save/": freshSuperAdmin,
  // It ends what a customer relies on, and can't be undone.
  "/backend/admin/renewal/cancel/": { ...billing, freshLogin: true },
  "/backend/admin/manual-adjust/": everyAdmin,
  "/backend/admin/refund/create/": billing,
  "/backend/admin/refund/close/": freshSuperAdmin,
  "/backend/admin/order/resolve/": billing,
  "/backend/admin/top-up/close/": billing,
  "/backend/admin/gateway-event/replay/": billing,
  "/backend/admin/usage-settle/": everyAdmin,
  "/backend/admin/channel-cost/save/": everyAdmin,

  // Operations on acts that a second super-admin approves.
  "/backend/admin/approval/list/": superAdmin,
  "/backend/admin/approval/detail/": superAdmin,
  "/backend/admin/approval/decide/": freshSuperAdmin,

  // Operations on users, and on the emails they get.
  "/backend/admin/user/save/": {
    ...support,
    guardedFields: ["rate_multiplier"],
    roleFields: { support: ["user_id", "status", "updated_at", "reason"] },
  },
  "/backend/admin/user/sessions/revoke/": support,
  // A customer loses the account for good. To keep it has to be quick.
  "/backend/admin/user/closing/begin/": freshSuperAdmin,
  "/backend/admin/user/closing/undo/": superAdmin,
  "/backend/admin/organisation/create/": everyAdmin,
  "/backend/admin/organisation/save/": everyAdmin,
  "/backend/admin/limit/save/": everyAdmin,
  // A lock has to be quick and can be undone. Another group is another price.
  "/backend/admin/key/lock/": support,
  "/backend/admin/key/unlock/": support,
  "/backend/admin/key/save/": { ...everyAdmin, guardedFields: ["group"] },
  "/backend/admin/key/revoke/": { ...everyAdmin, freshLogin: true },
  "/backend/admin/user/resend-verification/": support,
  "/backend/admin/mail/resend/": support,
  "/backend/admin/mail/resend-failed/": support,
  "/backend/admin/mail/template/save/": freshSuperAdmin,
  "/backend/admin/mail/template/preview/": everyAdmin,
  "/backend/admin/lead/save/": everyAdmin,

  // Operations on secrets, settings, and the rights themselves. Ending another admin's sessions has to be quick.
  "/backend/admin/trace/payload/": freshSuperAdmin,
  "/backend/admin/secret/list/": superAdmin,
  "/backend/admin/secret/uses/": superAdmin,
  "/backend/admin/secret/save/": freshSuperAdmin,
  "/backend/admin/secret/remove/": freshSuperAdmin,
  "/backend/admin/settings/save/": freshSuperAdmin,
  // An admin who notices a fault can tell customers immediately.
  "/backend/admin/incident/create/": support,
  "/backend/admin/incident/update/": support,
  // What everyone is shown, and what customers agree to.
  "/backend/admin/branding/image/save/": freshSuperAdmin,
  "/backend/admin/branding/text/save/": freshSuperAdmin,
  "/backend/admin/branding/legal/save/": freshSuperAdmin,
  "/backend/admin/branding/legal/preview/": everyAdmin,
  // Who configures a provider decides who may log in as whom.
  "/backend/admin/sign-in-provider/list/": superAdmin,
  "/backend/admin/sign-in-provider/save/": freshSuperAdmin,
  "/backend/admin/sign-in-provider/remove/": freshSuperAdmin,
  "/backend/admin/sign-in-provider/test/": freshSuperAdmin,
  // Who may come in, with codes that let people in, and credit that nobody paid for. To end an invitation has to be quick.
  "/backend/admin/registration/": superAdmin,
  "/backend/admin/registration/save/": freshSuperAdmin,
  "/backend/admin/registration/invitation/create/": freshSuperAdmin,
  "/backend/admin/registration/invitation/revoke/": superAdmin,
  "/backend/admin/admin/list/": superAdmin,
  "/backend/admin/admin/create/": freshSuperAdmin,
  "/backend/admin/admin/save/": freshSuperAdmin,
  "/backend/admin/admin/password-link/": freshSuperAdmin,
  "/backend/admin/admin/sessions/revoke/": superAdmin,
  "/backend/admin/totp/remove/": freshSuperAdmin,
  // A token outlives the login that creates it, and never does more than its owner may.
  "/backend/admin/token/create/": { ...everyAdmin, freshLogin: true, roles: everyRole },
  "/backend/admin/token/revoke/": { ...everyAdmin, roles: everyRole },

  // Anyone who names a place for events reads there what happens.
  "/backend/admin/event-target/create/": freshSuperAdmin,
  "/backend/admin/event-target/save/": freshSuperAdmin,
  "/backend/admin/event-target/remove/": freshSuperAdmin,
  "/backend/admin/event-target/rotate/": freshSuperAdmin,
  "/backend/admin/event-target/test/": everyAdmin,
  "/backend/admin/event-target/replay/": everyAdmin,

  // A preview shows no more than who may carry the operation out sees anyway.
  "/backend/admin/change/preview/": { ...everyAdmin, roles: ["support", "billing"] },
  // A bulk action requires what its operation requires, for each row. Views are the admin's own.
  "/backend/admin/bulk/preview/": { ...everyAdmin, roles: ["support", "billing"] },
  "/backend/admin/bulk/run/": { ...everyAdmin, roles: ["support", "billing"] },
  "/backend/admin/view/save/": { ...everyAdmin, roles: everyRole },
  "/backend/admin/view/remove/": { ...everyAdmin, roles: everyRole },

  // Operations on one's own login, which ask for the password where it matters.
  "/backend/auth/admin/me/": ownLogin,
  "/backend/auth/admin/sessions/": ownLogin,
  "/backend/auth/admin/locale/save/": ownLogin,
  "/backend/auth/admin/password/change/": ownLogin,
  "/backend/auth/admin/sessions/revoke/": ownLogin,
  "/backend/auth/admin/totp/begin/": ownLogin,
  "/backend/auth/admin/totp/enable/": ownLogin,
  "/backend/auth/admin/totp/recovery-codes/": ownLogin,
  "/backend/auth/admin/totp/disable/": ownLogin,
} as const satisfies Readonly<Record<string, AdminRight>>;

export type AdminOperation = keyof typeof adminRights;

/** Path and rights of an operation, for its declaration. */
export function adminOperation<Path extends AdminOperation>(
  path: Path,
): { readonly path: Path } & (typeof adminRights)[Path] {
  return { path, ...adminRights[path] };
}
