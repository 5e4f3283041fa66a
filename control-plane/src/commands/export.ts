/**
 * Exports accounts, keys by their SHA-256, balances and usage by day as lines of JSON, for another program:
 * `bun run export --to FILE`, or without `--to` to stdout. It holds no secrets; `docs/moving.md` explains the fields.
 * Read-only, as of one moment, while the service runs. Exit code 0: the export is whole; 1: it is not.
 */
import { type FileHandle, open, rm } from "node:fs/promises";
import { parseArgs } from "node:util";
import { type WriteLines, writeExport } from "../moving/export/write-export.ts";
import { failCommand } from "../platform/command-failure.ts";
import { loadConfig } from "../platform/config.ts";
import { openDatabase } from "../platform/db-open.ts";

const statementTimeoutMs = 600_000;

function toStdout(): WriteLines {
  // Bun.write would begin at the start of a file each time that standard output is redirected to one.
  return (lines) =>
    new Promise((resolve, reject) => {
      process.stdout.write(lines, (error) => (error ? reject(error) : resolve()));
    });
}

function toFile(file: FileHandle): WriteLines {
  return async (lines) => {
    // Unlike write(), it writes all or fails: a disk that fills up takes a part first.
    await file.appendFile(lines);
  };
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { to: { type: "string" } }, strict: true });
  const config = loadConfig();
  const db = openDatabase({
    url: config.DATABASE_URL,
    poolMax: 1,
    applicationName: "sluice-export",
    statementTimeoutMs,
  });
  try {
    // Addresses of customers are in it, and an older export is not overwritten.
    const file = values.to === undefined ? null : await open(values.to, "wx", 0o600);
    try {
      const counts = await writeExport(db, file === null ? toStdout() : toFile(file));
      await file?.sync();
      const sums = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
      process.stderr.write(`export: ${sums.join(", ")}\n`);
    } catch (error) {
      await (values.to === undefined ? undefined : rm(values.to));
      throw error;
    } finally {
      await file?.close();
    }
  } finally {
    await db.close(2_000);
  }
}

try {
  await main();
} catch (error) {
  failCommand("export", error);
}
