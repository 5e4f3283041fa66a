import { parseSource } from "./source.ts";
import { isSqlStatement, maySpeakSql } from "./sql-check.ts";
import type { SourceFile } from "./tree.ts";

/** How many statements a file may hold as text. */
type TextCounts = Readonly<Record<string, number>>;

/**
 * Plain reads and writes use the query builder: a renamed column is then a compile error. What stays SQL text is here, by
 * reason and file; `docs/decisions.md` explains the reasons. The counts may only fall, unless a reason holds for a new
 * statement.
 */
export const sqlTexts: Readonly<Record<string, TextCounts>> = {
  "asks the server of the database about itself": {
    "control-plane/src/doctor/doctor-store.ts": 7,
  },
  "reads the database of another program": {
    "control-plane/src/moving/source/server-store.ts": 4,
    "control-plane/src/moving/source/sqlite-store.ts": 5,
  },
  "reads page by page with a cursor": {
    "control-plane/src/moving/export/export-store.ts": 12,
  },
  "calls functions of the database": {
    "control-plane/src/admin/lists/sort-users-store.ts": 1,
    "control-plane/src/gateway/account-limits/store.ts": 4,
    "control-plane/src/gateway/groups/store.ts": 1,
    "control-plane/src/gateway/quota/grant-store.ts": 2,
    "control-plane/src/gateway/quota/replica-store.ts": 5,
    "control-plane/src/gateway/quota/lease-store.ts": 4,
    "control-plane/src/ledger/money-check-store.ts": 5,
    "control-plane/src/trace/access-store.ts": 2,
    "control-plane/src/trace/retention-store.ts": 6,
    "control-plane/src/trace/store.ts": 1,
    "control-plane/src/usage/rollup/rollup-store.ts": 7,
    "control-plane/src/usage/settlement/settlement-store.ts": 2,
  },
  "adds up, ranks or compares rows of several tables": {
    "control-plane/src/admin/change-preview/consequences-store.ts": 1,
    "control-plane/src/admin/change-preview/price-effect-store.ts": 5,
    "control-plane/src/admin/campaigns/store.ts": 1,
    "control-plane/src/admin/lists/accounts-lists-store.ts": 1,
    "control-plane/src/admin/setup/store.ts": 1,
    "control-plane/src/admin/user-detail/user-detail-store.ts": 2,
    "control-plane/src/exit-nodes/traffic-store.ts": 3,
    "control-plane/src/gateway/account-figures/store.ts": 6,
    "control-plane/src/gateway/channels/exit-channel-store.ts": 4,
    "control-plane/src/ledger/store.ts": 1,
    "control-plane/src/mail/quota-low/quota-low-store.ts": 1,
    "control-plane/src/models/model-store.ts": 4,
    "control-plane/src/usage/reports/active-users-store.ts": 6,
    "control-plane/src/usage/reports/campaign-store.ts": 2,
    "control-plane/src/usage/reports/channel-health-store.ts": 1,
    "control-plane/src/usage/reports/cost-store.ts": 5,
    "control-plane/src/usage/reports/counts-store.ts": 4,
    "control-plane/src/usage/reports/error-rate-store.ts": 1,
    "control-plane/src/usage/reports/money-sums-store.ts": 5,
    "control-plane/src/usage/reports/reconciliation-store.ts": 2,
    "control-plane/src/usage/reports/usage-sums-store.ts": 8,
    "control-plane/src/usage/reports/tag-sums-store.ts": 5,
    "control-plane/src/usage/reports/call-histogram-store.ts": 3,
  },
  "works on the path of every call": {
    "control-plane/src/gateway/keys/store.ts": 3,
    "control-plane/src/trace/write-store.ts": 3,
    "control-plane/src/usage/log/usage-store.ts": 2,
  },
  "has columns or conditions from a table of the program": {
    "control-plane/src/gateway/keys/settings-store.ts": 6,
    "control-plane/src/organisations/store.ts": 2,
    "control-plane/src/payments/plans/plan-names-store.ts": 2,
    "control-plane/src/payments/referrals/referral-store.ts": 2,
    "control-plane/src/payments/top-ups/top-up-store.ts": 2,
    "control-plane/src/trace/search-store.ts": 3,
    "control-plane/src/usage/views/views-store.ts": 4,
    "control-plane/src/usage/views/key-days-store.ts": 1,
    "control-plane/src/usage/views/performance-store.ts": 2,
    "control-plane/src/usage/views/labels-store.ts": 2,
    "control-plane/src/usage/log/labels-store.ts": 2,
  },
  "decides and writes in one statement, or locks more than rows": {
    "control-plane/src/gateway/keys/limit-budget-store.ts": 1,
    "control-plane/src/accounts/attempts/attempt-store.ts": 2,
    "control-plane/src/admin/upstream-auth/store.ts": 1,
    "control-plane/src/event-targets/delivery/delivery-store.ts": 1,
    "control-plane/src/events/store.ts": 1,
    "control-plane/src/mail/delivery/delivery-store.ts": 1,
    "control-plane/src/payments/orders/order-store.ts": 2,
    "control-plane/src/payments/settle/reversal-store.ts": 2,
  },
};

const isStore = (path: string): boolean =>
  path.startsWith("control-plane/src/") && !/\/src\/(db|platform)\//.test(path) && maySpeakSql(path);

/** The lines of a file on which a statement is written as text. */
function textLines(file: SourceFile): number[] {
  const { pieces, methodCalls } = parseSource(file);
  const texts = pieces.filter(({ tag, text }) => isSqlStatement(tag, text));
  const queries = methodCalls.filter(({ receiver, name }) => name === "query" && /^(db|tx)$/.test(receiver ?? ""));
  return [...new Set([...texts, ...queries].map(({ line }) => line))].sort((a, b) => a - b);
}

/** Statements as text that no reason allows, and files on the list that hold none any more. */
export function findSqlTexts(
  files: readonly SourceFile[],
  allowed: TextCounts = Object.assign({}, ...Object.values(sqlTexts)),
): string[] {
  const found = new Map(files.filter(({ path }) => isStore(path)).map((file) => [file.path, textLines(file)]));
  const beyond = [...found].filter(([path, lines]) => lines.length > (allowed[path] ?? 0));
  const needless = Object.keys(allowed).filter((path) => !found.get(path)?.length);
  return [
    ...beyond.map(([path, lines]) => `${path}:${lines.join(",")}: holds SQL text; use the query builder`),
    ...needless.map((path) => `${path}: holds no SQL text; take it off the list in tests/tidy/sql-texts.ts`),
  ];
}
