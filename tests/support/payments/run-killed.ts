import { join } from "node:path";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { type LossOf, startPostgresProxy } from "../postgres/postgres-proxy.ts";
import { patienceMs } from "../values/patience.ts";
import type { LocalCardGateway } from "./card-gateway.ts";
import { killedName } from "./killed-process.ts";
import type { KilledWork } from "./killed-work.ts";

const program = join(import.meta.dir, "killed-process.ts");

/** Where a process dies: before the database sees a statement, or after that has answered it, counted from 1; or never. */
export type Death = { readonly statement: number; readonly loses: LossOf } | null;

export type KilledScene = { readonly db: Database; readonly url: string; readonly card: LocalCardGateway };

/** Starts the work in a process of its own, and kills it there. Returns how many statements it has sent. */
export async function runKilled({ db, url, card }: KilledScene, work: KilledWork, death: Death): Promise<number> {
  await using proxy = await startPostgresProxy(url);
  let statements = 0;
  const args = JSON.stringify({ databaseUrl: proxy.url, cardUrl: card.url, work });
  const child = Bun.spawn([process.execPath, program, args], { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  proxy.watchStatements(
    () => {
      statements += 1;
      return statements === death?.statement ? death.loses : null;
    },
    () => child.kill("SIGKILL"),
  );
  const errors = await new Response(child.stderr).text();
  const code = await child.exited;
  if (death === null ? code !== 0 : child.signalCode !== "SIGKILL") {
    throw new Error(`the process ended with ${code}, ${child.signalCode}: ${errors}`);
  }
  await waitForRollback(db);
  return statements;
}

/** The server notices that its client is gone, and rolls back what was not committed. */
async function waitForRollback(db: Database): Promise<void> {
  for (const deadline = performance.now() + patienceMs; performance.now() < deadline; ) {
    const rows = await db.sql`select 1 from pg_stat_activity where application_name = ${killedName}`;
    if (rows.length === 0) {
      return;
    }
  }
  throw new Error("the server still works for a process that was killed");
}
