/**
 * Compares the sums that overviews and reports read with the usage log, day by day, and recomputes days that differ:
 * `bun run usage:rebuild`. With `--check` nothing is changed, with `--all` every day is recomputed. Exit code 0: all
 * days agree, or do now; 1: some differ (with `--check`), or the database could not be read. Pages see either the old
 * sums of a day or the new ones, never a mix; the service can keep running.
 */
import { parseArgs } from "node:util";
import { failCommand } from "../platform/command-failure.ts";
import { loadConfig } from "../platform/config.ts";
import { openDatabase } from "../platform/db-open.ts";
import { type DayReport, rebuildRollup } from "../usage/rollup/roll-up.ts";

const statementTimeoutMs = 600_000;
const faultsShown = 10;

function linesOf({ day, faults, sums }: DayReport): string[] {
  const verdict = faults.length === 0 ? "agrees with the log" : `${faults.length} sums differ`;
  const shown = faults
    .slice(0, faultsShown)
    .map((fault) => `    ${fault.slice} ${fault.starts_at.toISOString()}, ${fault.subject}: ${fault.detail}`);
  return [`${day}: ${verdict}${sums === null ? "" : `, recomputed (${sums} sums)`}`, ...shown];
}

const options = { check: { type: "boolean", default: false }, all: { type: "boolean", default: false } } as const;

async function main(): Promise<number> {
  const { values } = parseArgs({ options, strict: true });
  const config = loadConfig();
  const db = openDatabase({
    url: config.DATABASE_URL,
    poolMax: 2,
    applicationName: "sluice-usage-rebuild",
    statementTimeoutMs,
  });
  try {
    let different = 0;
    for await (const report of rebuildRollup(db, { isForced: values.all, isChecked: values.check })) {
      process.stdout.write(`${linesOf(report).join("\n")}\n`);
      different += report.faults.length > 0 ? 1 : 0;
    }
    return values.check && different > 0 ? 1 : 0;
  } finally {
    await db.close(2_000);
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  failCommand("usage:rebuild", error);
}
