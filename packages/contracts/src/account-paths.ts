/** The formats in which different clients read what an API key can spend. */
export type AccountShape =
  | "usage"
  | "credits"
  | "key"
  | "subscription"
  | "billing_usage"
  | "credit_grants"
  | "token_usage";

/** Where an API key alone asks for its usage and balance, by the addresses that common clients know. */
export const accountPaths = {
  "/v1/usage": "usage",
  "/v1/credits": "credits",
  "/api/v1/credits": "credits",
  "/v1/key": "key",
  "/v1/auth/key": "key",
  "/api/v1/key": "key",
  "/api/v1/auth/key": "key",
  "/v1/dashboard/billing/subscription": "subscription",
  "/dashboard/billing/subscription": "subscription",
  "/v1/dashboard/billing/usage": "billing_usage",
  "/dashboard/billing/usage": "billing_usage",
  "/v1/dashboard/billing/credit_grants": "credit_grants",
  "/dashboard/billing/credit_grants": "credit_grants",
  "/api/usage/token": "token_usage",
  "/api/usage/token/": "token_usage",
} as const satisfies Readonly<Record<string, AccountShape>>;

export type AccountPath = keyof typeof accountPaths;

/** How often an account may ask for these in a minute, on all replicas together. */
export const accountReadsPerMinute = 60;
/** The most days that `/v1/usage` sums at once. */
export const accountUsageDaysMax = 366;

export function isAccountPath(path: string): path is AccountPath {
  return Object.hasOwn(accountPaths, path);
}
