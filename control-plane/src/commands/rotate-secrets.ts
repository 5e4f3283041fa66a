/**
 * Re-encrypts everything under the old master key with the new one: `bun run secrets:rotate [--dry-run]`. The old key
 * is MASTER_KEY and the new one NEW_MASTER_KEY (each also as `_FILE`). Without a NEW_MASTER_KEY the environment is that
 * of replicas during a rotation: MASTER_KEY is the new key, MASTER_KEY_PREVIOUS the old. Progress goes to stderr, the
 * result to stdout. Exit code 0 means that nothing is left under the old key. It can be killed and run again at any
 * time, while the service runs. What it did is recorded in the audit log.
 */
import { parseArgs } from "node:util";
import { audit, byCommand } from "../admin/audit/service.ts";
import { sealedColumns } from "../admin/master-key/sealed-columns.ts";
import { countBySealingKey, type KeyExchange, nameOf, resealColumn } from "../db/reseal.ts";
import { failCommand } from "../platform/command-failure.ts";
import { type Config, loadConfig, masterKeySource } from "../platform/config.ts";
import { loadGivenKey, loadMasterKey } from "../platform/crypto/master-key.ts";
import type { SealedColumn } from "../platform/crypto/sealed-column.ts";
import type { Database, Transaction } from "../platform/db.ts";
import { openDatabase } from "../platform/db-open.ts";

const rowsOfStep = 100;
const patienceMs = 30_000;
const statementTimeoutMs = 60_000;
/** Values that replicas meanwhile encrypt under the old key are found by the next pass. */
const passesMax = 3;

type Counts = ReadonlyMap<SealedColumn, ReadonlyMap<string, number>>;

async function readKeys(config: Config): Promise<KeyExchange> {
  const given = { value: config.NEW_MASTER_KEY ?? null, file: config.NEW_MASTER_KEY_FILE ?? null };
  const to = await loadGivenKey("NEW_MASTER_KEY", given);
  const current = await loadMasterKey(masterKeySource(config));
  if (to === null) {
    if (current.previous === null) {
      throw new Error(
        "the new key is missing: set NEW_MASTER_KEY or NEW_MASTER_KEY_FILE, or the old key as MASTER_KEY_PREVIOUS",
      );
    }
    return { from: current.previous, to: current };
  }
  if (to.id === current.id) {
    throw new Error("NEW_MASTER_KEY is already the key in use");
  }
  return { from: current, to };
}

async function countAll(db: Database): Promise<Counts> {
  const counts = new Map<SealedColumn, ReadonlyMap<string, number>>();
  for (const column of sealedColumns) {
    counts.set(column, await countBySealingKey(db, column));
  }
  return counts;
}

function rowsUnder(counts: Counts, keyId: string): number {
  return [...counts.values()].reduce((sum, count) => sum + (count.get(keyId) ?? 0), 0);
}

/** The ids of keys that are not part of the rotation but under which something is still encrypted. */
function unknownKeys(counts: Counts, { from, to }: KeyExchange): string[] {
  const ids = new Set([...counts.values()].flatMap((count) => [...count.keys()]));
  return [...ids].filter((id) => id !== from.id && id !== to.id).sort();
}

function checkKeys(counts: Counts, exchange: KeyExchange): void {
  const { from, to } = exchange;
  const unknown = unknownKeys(counts, exchange);
  if (unknown.length > 0 && rowsUnder(counts, from.id) + rowsUnder(counts, to.id) === 0) {
    throw new Error(
      `the old key ${from.id} decrypts nothing here: everything is encrypted under ${unknown.join(", ")}`,
    );
  }
}

async function record(tx: Transaction, column: SealedColumn, change: KeyExchange & { rows: number }): Promise<void> {
  await audit(tx, byCommand("secrets:rotate"), "secrets.rotate", {
    subjectKind: "sealed_column",
    subjectId: nameOf(column),
    before: { key_id: change.from.id },
    after: { key_id: change.to.id, rows: change.rows },
  });
}

/** @returns by column, the rows that name the old key and can't be decrypted with it */
async function rotate(db: Database, exchange: KeyExchange, before: Counts): Promise<string[]> {
  const broken: string[] = [];
  for (const column of sealedColumns) {
    const total = before.get(column)?.get(exchange.from.id) ?? 0;
    const { brokenRows } = await resealColumn(db, column, exchange, {
      rowsMax: rowsOfStep,
      patienceMs,
      record: (tx, where, rows) => record(tx, where, { ...exchange, rows }),
      onProgress: (_, rowsDone) => say(`${nameOf(column)}: ${rowsDone} of ${Math.max(total, rowsDone)} rows`),
    });
    broken.push(...brokenRows.map((row) => `${nameOf(column)} of ${row}`));
  }
  return broken;
}

/** Returns, in sentences, what keeps the rotation from being complete. */
async function runPasses(db: Database, exchange: KeyExchange, before: Counts): Promise<string[]> {
  const { from } = exchange;
  let counts = before;
  let broken: string[] = [];
  for (let pass = 0; pass < passesMax && rowsUnder(counts, from.id) > broken.length; pass += 1) {
    broken = await rotate(db, exchange, counts);
    counts = await countAll(db);
  }
  const left = rowsUnder(counts, from.id) - broken.length;
  const unknown = unknownKeys(counts, exchange);
  return [
    ...broken.map((row) => `${row} names key ${from.id} but can't be decrypted with it; it was left unchanged`),
    ...(left > 0
      ? [`${left} rows are still under key ${from.id}: does a replica still encrypt with it, or lock them?`]
      : []),
    ...(unknown.length > 0 ? [`some rows are under keys that were not given: ${unknown.join(", ")}`] : []),
  ];
}

function say(line: string): void {
  process.stderr.write(`secrets:rotate: ${line}\n`);
}

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } }, strict: true });
  const config = loadConfig();
  const exchange = await readKeys(config);
  const { from, to } = exchange;
  const db = openDatabase({
    url: config.DATABASE_URL,
    poolMax: 2,
    applicationName: "sluice-rotate",
    statementTimeoutMs,
  });
  try {
    const counts = await countAll(db);
    checkKeys(counts, exchange);
    if (values["dry-run"]) {
      for (const [column, count] of counts) {
        const [old, fresh] = [count.get(from.id) ?? 0, count.get(to.id) ?? 0];
        process.stdout.write(`${nameOf(column)}: ${old} rows under key ${from.id}, ${fresh} under ${to.id}\n`);
      }
      return 0;
    }
    const problems = await runPasses(db, exchange, counts);
    for (const problem of problems) {
      say(problem);
    }
    if (problems.length === 0) {
      const fresh = rowsUnder(await countAll(db), to.id);
      process.stdout.write(`nothing is left under key ${from.id}; ${fresh} rows are under key ${to.id}\n`);
    }
    return problems.length === 0 ? 0 : 1;
  } finally {
    await db.close(2_000);
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  failCommand("secrets:rotate", error);
}
