/**
 * Checks the chain of accesses to payloads: `bun run trace:check [--expect <number>:<hash>]`. Prints what was altered
 * or removed, and the last link. With `--expect`, a link that was noted elsewhere must still exist: each access is a
 * line `trace.payload_read` of the log, with `link` and `hash`. Exit code 0: the chain is intact; 1: it is not, or it
 * could not be checked. Read-only.
 */
import { parseArgs } from "node:util";
import { failCommand, WrongCommandError } from "../platform/command-failure.ts";
import { loadConfig } from "../platform/config.ts";
import { openDatabase } from "../platform/db-open.ts";
import { checkAccesses } from "../trace/service.ts";

const statementTimeoutMs = 600_000;

function readLink(text: string): { readonly number: bigint; readonly hash: string } {
  const [, number, hash] = /^([1-9]\d{0,17}):([0-9a-f]{64})$/.exec(text) ?? [];
  if (number === undefined || hash === undefined) {
    throw new WrongCommandError("--expect has to be the number of a link, a colon, and its hash of 64 hex digits");
  }
  return { number: BigInt(number), hash };
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { expect: { type: "string" } }, strict: true });
  const expected = values.expect === undefined ? null : readLink(values.expect);
  const { DATABASE_URL: url } = loadConfig();
  const db = openDatabase({ url, poolMax: 2, applicationName: "sluice-trace-check", statementTimeoutMs });
  try {
    const { findings, head } = await checkAccesses(db, expected);
    for (const { finding, link_number: number } of findings) {
      process.stdout.write(`link ${number ?? "unknown"}: ${finding}\n`);
    }
    const end = head === null ? "has no head" : `ends with link ${head.number}, ${head.hash}`;
    process.stdout.write(`${findings.length === 0 ? "the chain is intact" : "THE CHAIN IS BROKEN"} and ${end}\n`);
    return findings.length === 0 ? 0 : 1;
  } finally {
    await db.close(2_000);
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  failCommand("trace:check", error);
}
