import { Database as Sqlite } from "bun:sqlite";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Finding, PeerData, Program, RatioProgram } from "@sluice/control-plane/moving/model.ts";
import { type CallsReport, moveCalls } from "@sluice/control-plane/moving/move-calls.ts";
import { readSource, withCalls } from "@sluice/control-plane/moving/read-source.ts";
import type { Counts, ImportOptions } from "@sluice/control-plane/moving/run.ts";
import { cutOver, type ImportReport, runImport, settleRest } from "@sluice/control-plane/moving/service.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { SQL } from "bun";
import { type HeldLock, holdLock } from "../postgres/held-lock.ts";
import { copyTestDatabase, createTestDatabase, type TestDatabase } from "../postgres/test-database.ts";
import { masterKeyBytes } from "../service/sluice.ts";

/** A database that the real program has written; `tests/fixtures/peers` says what is in it. */
export const peerFile = (program: RatioProgram): string => join(import.meta.dir, `../../fixtures/peers/${program}.db`);

type CopiedPeer = {
  readonly path: string;
  readonly change: (sql: string) => void;
  /** What is stored of a key. */
  readonly keyOf: (id: number) => string;
};

/** A copy that a test may change. */
export async function copyPeer(program: RatioProgram): Promise<AsyncDisposable & CopiedPeer> {
  const folder = await mkdtemp(join(tmpdir(), "sluice-peer-"));
  const path = join(folder, "peer.db");
  await copyFile(peerFile(program), path);
  return {
    path,
    change: (sql) => {
      const file = new Sqlite(path);
      file.run(sql);
      file.close();
    },
    keyOf: (id) => {
      const file = new Sqlite(path);
      const row = file.query<{ key: string }, [number]>("select key from tokens where id = ?").get(id);
      file.close();
      return row?.key ?? "";
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

/**
 * The programs that a test of what is alike for both goes through: the code that it tests is the same, but for the names of
 * columns and tables. With TEST_FULL=1 both; otherwise the one that has more of them. What differs is tested for each always.
 */
export const alikePrograms: readonly RatioProgram[] =
  process.env["TEST_FULL"] === "1" ? ["one-api", "new-api"] : ["new-api"];

export type MoveOptions = {
  readonly from?: string;
  readonly instance?: string;
  readonly isApplied?: boolean;
  readonly areAdminBalancesMoved?: boolean;
  /** Only what calls that ended after the cut-over have changed. */
  readonly isDrained?: boolean;
  readonly onStep?: (name: string) => void;
  readonly optionsFile?: string;
  readonly saltKeyFile?: string;
  readonly configFile?: string;
  readonly grantUsd?: string;
};

/** The salt key of the fixture. */
export const liteSaltKey = "sk-salt-of-the-fixture";

/** Stores the salt key as an editor does, with a line end; returns the path of the file. */
export async function storeLiteSaltKey(folder: string): Promise<string> {
  const path = join(folder, "salt-key");
  await writeFile(path, `${liteSaltKey}\n`);
  return path;
}

/** The keys of the fixture, as their holders have them. */
export const liteKeys = {
  alice: "sk-aAAAbbbbCCCCddddEEEE01",
  aliceBefore: "sk-oOLDAbbbbCCCCddddEEEE15",
  aliceLimited: "sk-bAAAbbbb_CCCCdd-EEEE02",
  blocked: "sk-dAAAbbbbCCCCddddEEEE04",
  expired: "sk-eAAAbbbbCCCCddddEEEE05",
  researchBob: "sk-fAAAbbbbCCCCddddEEEE06",
  researchService: "sk-gAAAbbbbCCCCddddEEEE07",
  servicesOnly: "sk-hAAAbbbbCCCCddddEEEE08",
  blockedTeam: "sk-iAAAbbbbCCCCddddEEEE09",
  orphan: "sk-jAAAbbbbCCCCddddEEEE10",
  noModels: "sk-kAAAbbbbCCCCddddEEEE11",
  deleted: "sk-pDELETEDbbbCCCCddddEE16",
  login: "sk-nUILOGINbbbbCCCCdddd14",
};

/** A server's database with the schema and rows of LiteLLM, and statements that change it. */
export async function createLiteLlm(): Promise<
  AsyncDisposable & { readonly url: string; readonly change: (sql: string) => Promise<void> }
> {
  const database = await createTestDatabase();
  const change = async (sql: string): Promise<void> => {
    const connection = new SQL(database.url, { max: 1 });
    try {
      await connection.unsafe(sql);
    } finally {
      await connection.close({ timeout: 1 });
    }
  };
  await change("drop schema public cascade; create schema public");
  await change(await Bun.file(join(import.meta.dir, "../../fixtures/peers/litellm.sql")).text());
  return { url: database.url, change, [Symbol.asyncDispose]: () => database.drop() };
}

/** Moves a database as the command does. */
export async function move(db: Database, program: Program, options: MoveOptions = {}): Promise<ImportReport> {
  const data = await readData(program, options);
  const deps = { db, masterKey: new MasterKey(masterKeyBytes), onStep: options.onStep ?? (() => undefined) };
  if (options.isDrained === true) {
    return await settleRest(deps, data, optionsOf(program, options));
  }
  return await runImport(deps, data, optionsOf(program, options));
}

const moved = new Map<RatioProgram, Promise<TestDatabase>>();

/**
 * A database to which everything of an unchanged peer has been moved once: a copy, because to move it takes a second of
 * processor time.
 */
export async function createMovedDatabase(program: RatioProgram): Promise<TestDatabase> {
  const original = moved.get(program) ?? moveOnce(program);
  moved.set(program, original);
  return await copyTestDatabase(await original);
}

async function moveOnce(program: RatioProgram): Promise<TestDatabase> {
  const database = await createTestDatabase();
  const db = openDatabase({ url: database.url, poolMax: 4, applicationName: "test" });
  await move(db, program);
  await db.close(500);
  return database;
}

/** Moves the codes of a database, after which nothing of it can be moved. */
export async function endMove(db: Database, program: Program, options: MoveOptions = {}): Promise<Counts> {
  return await cutOver(db, await readData(program, options), optionsOf(program, options));
}

/** Moves the single calls of a database, as the command does after all else. */
export async function moveSingleCalls(
  db: Database,
  program: RatioProgram,
  options: MoveOptions = {},
): Promise<CallsReport> {
  const data = await readData(program, options);
  const findings: Finding[] = [];
  const userIds = new Set(data.users.map(({ id }) => id));
  return await withCalls(options.from ?? `sqlite:${peerFile(program)}`, findings, (pages) =>
    moveCalls(db, { program, pages, userIds }, optionsOf(program, options), findings),
  );
}

/** Begins to close the account of a moved user, as the job does: nothing that would be erased may be written until it ends. */
export async function beginClosing(db: Database, sourceId: string): Promise<HeldLock> {
  const held = await holdLock(
    db,
    (tx) => tx.sql`
      select from user_profile p join import_item i using (gateway_user_id)
      where i.kind = 'user' and i.source_id = ${sourceId} for update of p`,
  );
  await held.run(async (tx) => {
    await tx.sql`delete from imported_usage u using import_item i
      where i.gateway_user_id = u.gateway_user_id and i.kind = 'user' and i.source_id = ${sourceId}`;
    await tx.sql`delete from imported_call c using import_item i
      where i.gateway_user_id = c.gateway_user_id and i.kind = 'user' and i.source_id = ${sourceId}`;
    await tx.sql`insert into account_closing (user_id, requested_by, agreed_quota, closes_at, done_at)
      select p.id, 'owner', 0, now(), now() from import_item i join user_profile p using (gateway_user_id)
      where i.kind = 'user' and i.source_id = ${sourceId}`;
  });
  return held;
}

async function readData(program: Program, options: MoveOptions): Promise<PeerData> {
  const from = options.from ?? (program === "litellm" ? null : `sqlite:${peerFile(program)}`);
  if (from === null) {
    throw new Error("a database of LiteLLM is at no fixed place");
  }
  const { optionsFile = null, saltKeyFile = null, configFile = null, grantUsd = null } = options;
  return await readSource(program, { from, optionsFile, saltKeyFile, configFile, grantUsd, isUsageRead: true });
}

function optionsOf(program: Program, options: MoveOptions): ImportOptions {
  return {
    instance: options.instance ?? program,
    isApplied: options.isApplied ?? true,
    areAddressesVerified: false,
    areAdminBalancesMoved: options.areAdminBalancesMoved ?? false,
  };
}
