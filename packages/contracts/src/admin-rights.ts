/**
 * Which admins may do what: the one table of rights. Endpoints take their declaration from it, and pages what to offer.
 * Endpoints that only read are not listed and are open to every admin, unless listed here.
 */
export type AdminRight = {
  readonly access: "admin" | "super_admin";
  /** The login has to be younger than the setting `admin.fresh_login_minutes` says. */
  readonly freshLogin: boolean;
  /** Fields of the input that only a super-admin with a fresh login may send, where everybody else may send the others. */
  readonly guardedFields: readonly string[];
  /** Answered also for an admin who has to set up an authenticator first: it is on the way there. */
  readonly withoutSecondFactor: boolean;
};

const everyAdmin = { access: "admin", freshLogin: false, guardedFields: [], withoutSecondFactor: false } as const;
const superAdmin = { ...everyAdmin, access: "super_admin" } as const;
/** What sends prompts elsewhere, makes money, shows what is sealed, or gives rights. */
const freshSuperAdmin = { ...superAdmin, freshLogin: true } as const;
const ownLogin = { ...everyAdmin, withoutSecondFactor: true } as const;

export const adminRights = {
  // Where prompts go, and what is answered for which name. Switching off and on what a super-admin set up helps in an outage.
  "/backend/admin/channel/save/": freshSuperAdmin,
  "/backend/admin/channel/enable/": everyAdmin,
  "/backend/admin/channel/disable/": everyAdmin,
  "/backend/admin/channel/test/": everyAdmin,
  "/backend/admin/ability/save/": freshSuperAdmin,
  "/backend/admin/anthropic/model-map/save/": freshSuperAdmin,
  "/backend/admin/exit-node/save/": freshSuperAdmin,
  "/backend/admin/exit-node/account/save/": freshSuperAdmin,
  "/backend/admin/exit-node/route/save/": freshSuperAdmin,
  "/backend/admin/exit-node/dns-check/": everyAdmin,
  "/backend/admin/exit-node/health/": everyAdmin,
  "/backend/admin/exit-node/switch/": everyAdmin,
  "/backend/upstream/auth-profiles/save/": freshSuperAdmin,
  "/backend/admin/upstream/save/": freshSuperAdmin,
  "/backend/upstream/auth-profiles/refresh/": everyAdmin,

  // What calls cost. Amounts of the last three are limited: an admin moves a little a day, a super-admin the rest.
  "/backend/admin/model/save/": freshSuperAdmin,
  "/backend/admin/plan/save/": freshSuperAdmin,
  "/backend/admin/manual-adjust/": everyAdmin,
  "/backend/admin/refund/create/": everyAdmin,
  "/backend/admin/refund/close/": freshSuperAdmin,
  "/backend/admin/order/resolve/": everyAdmin,
  "/backend/admin/gateway-event/replay/": everyAdmin,
  "/backend/admin/usage-settle/": everyAdmin,
  "/backend/admin/channel-cost/save/": everyAdmin,

  // What a second super-admin agrees to.
  "/backend/admin/approval/list/": superAdmin,
  "/backend/admin/approval/detail/": superAdmin,
  "/backend/admin/approval/decide/": freshSuperAdmin,

  // Users, and what they are written.
  "/backend/admin/user/save/": { ...everyAdmin, guardedFields: ["rate_multiplier"] },
  "/backend/admin/user/sessions/revoke/": everyAdmin,
  "/backend/admin/user/resend-verification/": everyAdmin,
  "/backend/admin/mail/resend/": everyAdmin,
  "/backend/admin/mail/resend-failed/": everyAdmin,
  "/backend/admin/mail/template/save/": freshSuperAdmin,
  "/backend/admin/mail/template/preview/": everyAdmin,
  "/backend/admin/lead/save/": everyAdmin,

  // What is sealed, settings, and the rights themselves. Ending the sessions of somebody else has to be quick.
  "/backend/admin/trace/payload/": freshSuperAdmin,
  "/backend/admin/secret/list/": superAdmin,
  "/backend/admin/secret/save/": freshSuperAdmin,
  "/backend/admin/settings/save/": freshSuperAdmin,
  "/backend/admin/admin/list/": superAdmin,
  "/backend/admin/admin/create/": freshSuperAdmin,
  "/backend/admin/admin/save/": freshSuperAdmin,
  "/backend/admin/admin/password-link/": freshSuperAdmin,
  "/backend/admin/admin/sessions/revoke/": superAdmin,
  "/backend/admin/totp/remove/": freshSuperAdmin,

  // The own login, which asks for the password where it matters.
  "/backend/auth/admin/me/": ownLogin,
  "/backend/auth/admin/sessions/": ownLogin,
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
