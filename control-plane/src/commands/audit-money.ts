/**
 * Checks the money of the whole database: `bun run audit`. Prints each invariant of `check_money()` with the number of
 * rows of the table it looks at, and either "holds" or the violations. Exit code 0: all hold; 1: some are violated, or
 * the database could not be checked. Read-only; the service may be running.
 */
import { auditMoney } from "../ledger/service.ts";
import { failCommand } from "../platform/command-failure.ts";
import { loadConfig } from "../platform/config.ts";
import { openDatabase } from "../platform/db-open.ts";

const statementTimeoutMs = 3_600_000;

type CheckedInvariant = Awaited<ReturnType<typeof auditMoney>>[number]["invariants"][number];

function linesOf({ invariant, rows, violations }: CheckedInvariant): string[] {
  const looked = rows === null ? "" : ` (${rows.isExact ? "" : "about "}${rows.count} rows of ${rows.table})`;
  const verdict = violations.length === 0 ? "holds" : `VIOLATED ${violations.length} times`;
  return [`${invariant}${looked}: ${verdict}`, ...violations.map(({ subject, detail }) => `    ${subject}: ${detail}`)];
}

async function main(): Promise<number> {
  const config = loadConfig();
  const db = openDatabase({
    url: config.DATABASE_URL,
    poolMax: 2,
    applicationName: "sluice-audit",
    statementTimeoutMs,
  });
  try {
    const parts = await auditMoney(db);
    for (const { name, invariants } of parts) {
      process.stdout.write(`${name}\n`);
      for (const line of invariants.flatMap(linesOf)) {
        process.stdout.write(`  ${line}\n`);
      }
    }
    const checked = parts.flatMap(({ invariants }) => invariants);
    const violated = checked.filter(({ violations }) => violations.length > 0).length;
    process.stdout.write(`${checked.length} invariants, ${violated} violated\n`);
    return violated === 0 ? 0 : 1;
  } finally {
    await db.close(2_000);
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  failCommand("audit", error);
}
