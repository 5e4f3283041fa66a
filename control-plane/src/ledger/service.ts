import type { GatewayUserId } from "@sluice/contracts/ids";
import type { Database, Queryable } from "../platform/db.ts";
import { type KeysetPage, readKeysetPage } from "../platform/keyset-page.ts";
import { type CheckedInvariant, type CheckedPart, type LedgerEntry, readInvariants, type Statement } from "./model.ts";
import { countRows, selectCheckFunctions, selectViolationsOf } from "./money-check-store.ts";
import { selectBalance, selectEntries, selectPosted, selectStatementLines, selectSumBefore } from "./store.ts";

const statementLinesMax = 20_000;

/** A page of a user's account, newest first. */
export async function listEntries(
  db: Queryable,
  gatewayUserId: GatewayUserId,
  page: { readonly cursor: bigint | null; readonly limit: number },
): Promise<KeysetPage<LedgerEntry, bigint>> {
  const select = (limit: number) => selectEntries(db, gatewayUserId, { below: page.cursor, limit });
  return await readKeysetPage(page.limit, select, (entry) => entry.id);
}

/** The sum of everything that was given, taken and settled. */
export async function readBalance(db: Queryable, gatewayUserId: GatewayUserId): Promise<bigint> {
  return await selectBalance(db, gatewayUserId);
}

/** The posting under a reference, or null. Callers use it to recognise a repeated request. */
export async function findPosted(
  db: Queryable,
  changeType: string,
  reference: string,
): Promise<{ readonly gatewayUserId: GatewayUserId; readonly amount: bigint; readonly balanceAfter: bigint } | null> {
  return await selectPosted(db, changeType, reference);
}

/**
 * A month (`2026-11`, UTC) of a user's account.
 * @throws Error when it has more lines than a statement can hold
 */
export async function readStatement(db: Database, gatewayUserId: GatewayUserId, month: string): Promise<Statement> {
  const from = new Date(`${month}-01T00:00:00Z`);
  const to = new Date(from);
  to.setUTCMonth(to.getUTCMonth() + 1);
  // One snapshot covers the sum and the lines, so that they agree even if something is posted meanwhile.
  return await db.withTransaction(
    async (tx) => {
      const openingBalance = await selectSumBefore(tx, gatewayUserId, from);
      const lines = await selectStatementLines(tx, gatewayUserId, { from, to, linesMax: statementLinesMax + 1 });
      if (lines.length > statementLinesMax) {
        throw new Error(`the statement of ${month} has more than ${statementLinesMax} lines`);
      }
      const closingBalance = lines.reduce((sum, { amount }) => sum + amount, openingBalance);
      return { month, openingBalance, lines, closingBalance };
    },
    { isolation: "repeatable read" },
  );
}

/** The sum of each kind of change of a statement, the largest addition first. */
export function sumsOfStatement({ lines }: Statement): [changeType: string, amount: bigint][] {
  const sums = new Map<string, bigint>();
  for (const { changeType, amount } of lines) {
    sums.set(changeType, (sums.get(changeType) ?? 0n) + amount);
  }
  return [...sums].sort(([, a], [, b]) => (a < b ? 1 : a > b ? -1 : 0));
}

/**
 * Checks every invariant of the money. Each part sees its own snapshot.
 * @throws DatabaseUnavailableError, DatabaseTimeoutError, SQL.PostgresError
 */
export async function auditMoney(db: Queryable): Promise<CheckedPart[]> {
  const parts: CheckedPart[] = [];
  for (const { name, source } of await selectCheckFunctions(db)) {
    const violations = await selectViolationsOf(db, name);
    const known = readInvariants(source);
    const invariants: CheckedInvariant[] = [];
    for (const { invariant, table } of known) {
      const rows = table === null ? null : await countRows(db, table);
      invariants.push({ invariant, rows, violations: violations.filter((found) => found.invariant === invariant) });
    }
    // A violation is never lost, even if its sentence could not be parsed from the function.
    const names = new Set(known.map(({ invariant }) => invariant));
    const others = Map.groupBy(violations, ({ invariant }) => invariant);
    for (const [invariant, those] of others) {
      if (!names.has(invariant)) {
        invariants.push({ invariant, rows: null, violations: those });
      }
    }
    parts.push({ name, invariants });
  }
  return parts;
}
