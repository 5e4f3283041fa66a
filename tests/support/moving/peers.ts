import { Database as Sqlite } from "bun:sqlite";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PeerData, Program } from "@sluice/control-plane/moving/model.ts";
import type { Counts, ImportOptions } from "@sluice/control-plane/moving/run.ts";
import { cutOver, type ImportReport, runImport } from "@sluice/control-plane/moving/service.ts";
import { openSource } from "@sluice/control-plane/moving/source/open-source.ts";
import { readPeer } from "@sluice/control-plane/moving/source/read-peer.ts";
import { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { masterKeyBytes } from "../service/sluice.ts";

/** A database that the real program has written; `tests/fixtures/peers` says what is in it. */
export const peerFile = (program: Program): string => join(import.meta.dir, `../../fixtures/peers/${program}.db`);

/** A copy that a test may change. */
export async function copyPeer(
  program: Program,
): Promise<AsyncDisposable & { readonly path: string; readonly change: (sql: string) => void }> {
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
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

export type MoveOptions = {
  readonly from?: string;
  readonly instance?: string;
  readonly isApplied?: boolean;
  readonly areAdminBalancesMoved?: boolean;
  readonly onStep?: (name: string) => void;
};

/** Moves a database as the command does. */
export async function move(db: Database, program: Program, options: MoveOptions = {}): Promise<ImportReport> {
  const data = await readData(program, options);
  const deps = { db, masterKey: new MasterKey(masterKeyBytes), onStep: options.onStep ?? (() => undefined) };
  return await runImport(deps, data, optionsOf(program, options));
}

/** Moves the codes of a database, after which nothing of it can be moved. */
export async function endMove(db: Database, program: Program, options: MoveOptions = {}): Promise<Counts> {
  return await cutOver(db, await readData(program, options), optionsOf(program, options));
}

async function readData(program: Program, { from }: MoveOptions): Promise<PeerData> {
  const source = await openSource(from ?? `sqlite:${peerFile(program)}`);
  try {
    return await readPeer(source, program);
  } finally {
    await source.close();
  }
}

function optionsOf(program: Program, options: MoveOptions): ImportOptions {
  return {
    instance: options.instance ?? program,
    isApplied: options.isApplied ?? true,
    areAddressesVerified: false,
    areAdminBalancesMoved: options.areAdminBalancesMoved ?? false,
  };
}
