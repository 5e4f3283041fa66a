import { customerAccess } from "./customer-access.ts";
import { type DeclaredAccess, operatorAccess } from "./operator-access.ts";

/** Who may call what, written down a second time: every change must be deliberate. */
export const accessOf: AccessTable = joined(customerAccess, operatorAccess);

type AccessTable = Readonly<Record<string, DeclaredAccess>>;

/** @throws Error for an endpoint in both tables */
function joined(customers: AccessTable, operators: AccessTable): AccessTable {
  const twice = Object.keys(customers).filter((path) => Object.hasOwn(operators, path));
  if (twice.length > 0) {
    throw new Error(`declared for customers and for operators: ${twice.join(", ")}`);
  }
  return { ...customers, ...operators };
}

/** Method and path of endpoints that external callers rely on. */
export const specifiedPaths: readonly (readonly [method: string, path: string])[] = [
  ["POST", "/backend/auth/register/"],
  ["GET", "/backend/auth/verify-email/"],
  ["GET", "/login/"],
  ["POST", "/login/"],
  ["GET", "/backend/billing/plans/"],
  ["POST", "/backend/billing/order/create/"],
  ["POST", "/backend/payment/mock-settle/"],
  ["POST", "/backend/payment/walletpay/create/"],
  ["POST", "/backend/payment/walletpay/ipn/"],
  ["POST", "/backend/payment/cardpay/create/"],
  ["POST", "/backend/payment/cardpay/webhook/"],
  ["POST", "/backend/payment/cardpay/account_a/webhook/"],
  ["POST", "/backend/payment/cardpay/account_b/webhook/"],
  ["POST", "/backend/admin/plan/save/"],
  ["POST", "/backend/admin/model/save/"],
  ["POST", "/backend/admin/user/save/"],
  ["POST", "/backend/admin/manual-adjust/"],
  ["POST", "/backend/admin/mail/template/save/"],
  ["POST", "/backend/admin/anthropic/model-map/save/"],
  ["POST", "/backend/admin/usage-settle/"],
  ["GET", "/backend/admin/dashboard/"],
  ["POST", "/backend/admin/exit-node/dns-check/"],
  ["POST", "/backend/admin/exit-node/health/"],
  ["POST", "/backend/admin/exit-node/save/"],
  ["POST", "/backend/admin/exit-node/account/save/"],
  ["POST", "/backend/admin/exit-node/route/save/"],
  ["POST", "/backend/analytics/landing/"],
  ["GET", "/backend/upstream/auth-profiles/list/"],
  ["POST", "/backend/upstream/auth-profiles/save/"],
  ["POST", "/backend/upstream/auth-profiles/refresh/"],
  ["POST", "/backend/admin/upstream/save/"],
];
