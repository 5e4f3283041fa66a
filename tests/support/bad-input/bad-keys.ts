import type { BadInput, Oddity } from "./oddity.ts";

const unusedKey = `sk-${"A".repeat(48)}`;
const bearer = (credential: string): Oddity => ({ headers: { authorization: credential } });

/** Keys that are missing, wrong or not allowed. */
export const badKeys: readonly BadInput[] = [
  ["1 no key", { headers: { authorization: null } }, { code: "missing_api_key" }],
  ["1 an empty Authorization", bearer(""), { code: "missing_api_key" }],
  ["1 a Bearer of nothing", bearer("Bearer "), { code: "missing_api_key" }],
  ["1 an empty x-api-key", { headers: { authorization: null, "x-api-key": "" } }, { code: "missing_api_key" }],
  ["2 a key that nobody has", bearer(`Bearer ${unusedKey}`), { code: "invalid_api_key" }],
  ["2 a key that is none", bearer("Bearer key"), { code: "invalid_api_key" }],
  ["2 a truncated key", bearer(`Bearer ${unusedKey.slice(0, -1)}`), { code: "invalid_api_key" }],
  ["2 a key with more after it", bearer(`Bearer ${unusedKey}A`), { code: "invalid_api_key" }],
  ["2 two keys", bearer(`Bearer ${unusedKey} ${unusedKey}`), { code: "invalid_api_key" }],
  ["2 a key without its scheme", bearer(unusedKey), { code: "invalid_api_key" }],
  ["2 another scheme", bearer("Basic c2stOg=="), { code: "invalid_api_key" }],
  ["2 a wrong x-api-key", { headers: { authorization: null, "x-api-key": unusedKey } }, { code: "invalid_api_key" }],
  ["2 a revoked key", { user: "revoked" }, { code: "invalid_api_key" }],
  ["2 a key that is switched off", { user: "switched off" }, { code: "invalid_api_key" }],
  ["2 an expired key", { user: "expired" }, { code: "invalid_api_key" }],
  ["3 SQL for a key", bearer("Bearer ' OR '1'='1"), { code: "invalid_api_key" }],
  ["3 SQL without spaces for a key", bearer("Bearer '||pg_sleep(10)--"), { code: "invalid_api_key" }],
  ["4 two different keys", { headers: { "x-api-key": unusedKey } }, { code: "ambiguous_credentials" }],
  [
    "5 a key in the query",
    { path: "/v1/chat/completions?key={key}", headers: { authorization: null } },
    { code: "missing_api_key" },
  ],
  [
    "5 a key in the query of the models",
    { path: "/v1/models?api_key={key}", method: "GET", headers: { authorization: null } },
    { code: "missing_api_key" },
  ],
  ["6 a disabled user", { user: "disabled" }, { code: "account_disabled" }],
  ["6 a key that is bound to other addresses", { user: "elsewhere" }, { code: "ip_not_allowed" }],
  ["7 no quota", { user: "poor" }, { code: "insufficient_quota" }],
];
