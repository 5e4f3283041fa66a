/**
 * `bun run cross-table`: has every client tried on a channel of every dialect, and prints what works with what. A square
 * without a result is a failure; one that stays empty says why.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CellResult, logVariable } from "../support/cross-table/cell-log.ts";
import { allClients } from "./all-clients.ts";
import { formatTable } from "./format-table.ts";

const root = join(import.meta.dir, "../..");

async function main(): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-cross-table-"));
  const file = join(folder, "cells.jsonl");
  try {
    const tests = Bun.spawn([process.execPath, "tests/run.ts", "conformance", "e2e", "cross-table"], {
      cwd: root,
      // The table also has the agents, which are left out of an ordinary run.
      env: { ...process.env, TEST_FULL: "1", [logVariable]: file },
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
    });
    const exitCode = await tests.exited;
    const lines = (
      await Bun.file(file)
        .text()
        .catch(() => "")
    )
      .split("\n")
      .filter((line) => line !== "");
    const { text, missing } = formatTable(
      allClients,
      lines.map((line) => JSON.parse(line) as CellResult),
    );
    process.stdout.write(`\n${text}\n`);
    return exitCode !== 0 || missing > 0 ? 1 : 0;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

process.exit(await main());
