import { sealedColumns } from "../admin/master-key/sealed-columns.ts";
import { ownSource } from "../db/migrate.ts";
import { readMigrations } from "../db/migration-files.ts";
import { checkDatabase as checkMasterKey } from "../db/start-checks.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import { createLog } from "../platform/log.ts";
import { countMigrations, readServerFacts } from "./doctor-store.ts";
import { type Finding, fine, problem, reasonOf, warning } from "./model.ts";

const area = "database";
const versionMin = 150_000;
const clockSecondsMax = 2;
const freeConnectionsMin = 20;
const transactionSecondsMax = 3_600;

/** The server of the database, its clock, its migrations, and whether the master key opens what is encrypted in it. */
export async function checkDatabase(db: Database, masterKey: MasterKey): Promise<readonly Finding[]> {
  const before = Date.now();
  let facts: Awaited<ReturnType<typeof readServerFacts>>;
  try {
    facts = await readServerFacts(db);
  } catch (error) {
    const cure = "Start the server, or correct DATABASE_URL.";
    return [problem(area, `The database can't be reached: ${reasonOf(error)}.`, cure)];
  }
  const clockSeconds = Math.abs((before + Date.now()) / 2 - facts.now.getTime()) / 1_000;
  return [
    facts.versionNumber < versionMin
      ? problem(area, `PostgreSQL ${facts.version} is too old.`, "Upgrade to PostgreSQL 15 or newer.")
      : fine(area, `PostgreSQL ${facts.version}`),
    await checkMigrations(db),
    facts.isDurable
      ? fine(area, "Confirmed writes survive a power cut")
      : problem(
          area,
          "fsync or full_page_writes is off: a power cut can lose calls that were charged.",
          "Switch both on.",
        ),
    clockSeconds > clockSecondsMax
      ? problem(
          area,
          `Its clock differs from ours by ${clockSeconds.toFixed(1)} s.`,
          "Run a time service, such as chrony, on both hosts.",
        )
      : fine(area, "Its clock agrees with ours"),
    facts.connectionsMax - facts.connectionsUsed < freeConnectionsMin
      ? warning(
          area,
          `${facts.connectionsUsed} of ${facts.connectionsMax} connections are in use.`,
          "Raise max_connections, or close connections that are not needed.",
        )
      : fine(area, `${facts.connectionsUsed} of ${facts.connectionsMax} connections are in use`),
    facts.oldestTransactionSeconds > transactionSecondsMax
      ? warning(
          area,
          "A transaction has been open for more than an hour, so nothing can be cleaned up.",
          "Find it in pg_stat_activity and end it.",
        )
      : fine(area, "No transaction is old"),
    await checkSealed(db, masterKey),
  ];
}

async function checkMigrations(db: Database): Promise<Finding> {
  const wanted = (await readMigrations(new URL("migrations/", ownSource.folder))).length;
  const applied = await countMigrations(db);
  if (applied === null) {
    return warning(area, "It is empty.", "The next start sets it up.");
  }
  return applied < wanted
    ? warning(area, `${wanted - applied} migrations are missing.`, "The next start applies them.")
    : applied > wanted
      ? problem(area, "It was used by a newer release.", "Start that release, or restore a backup of this one.")
      : fine(area, `All ${applied} migrations are applied`);
}

async function checkSealed(db: Database, masterKey: MasterKey): Promise<Finding> {
  if ((await countMigrations(db)) === null) {
    return fine(area, "Nothing is encrypted in it yet");
  }
  try {
    const log = createLog("error", () => undefined);
    await checkMasterKey({ db, masterKey, log, sealedColumns });
    return fine(area, "The master key decrypts what is encrypted in it");
  } catch (error) {
    return problem(
      area,
      reasonOf(error),
      "Start with the master key of this database; docs/operating/keys.md explains how.",
    );
  }
}
