import { Database } from "bun:sqlite";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { GroupLog } from "@sluice/control-plane/platform/spool/group-log.ts";

/** How many rows wait in the slots of a data directory whose processes have ended, and how many were quarantined. */
export function readSpoolOf(dataDirectory: string): { waiting: number; aside: number } {
  const folder = join(dataDirectory, "spool");
  const contents = { waiting: 0, aside: 0 };
  for (const slot of readdirSync(folder)) {
    using database = new Database(join(folder, slot, "spool.db"));
    const committed = count(database, "select value as rows from meta where name = 'committed_id'");
    const log = new GroupLog(join(folder, slot), Number(committed));
    contents.waiting += log.totals.entries;
    log.close();
    contents.aside += count(database, "select count(*) as rows from quarantine");
  }
  return contents;
}

function count(database: Database, statement: string): number {
  using query = database.query<{ rows: number }, []>(statement);
  return query.get()?.rows ?? 0;
}
