/**
 * `bun run restore --from FOLDER [--decrypt COMMAND]`: restores a backup to the configured database, which must be
 * empty, and then checks the money. Exit code 0 means that it is restored and every invariant holds.
 */
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { say } from "../start/progress.ts";
import { serviceRoot } from "../start/service-root.ts";
import { readSettings } from "../start/settings.ts";
import { StartError } from "../start/start-error.ts";
import { checkFiles } from "./archive-stream.ts";
import { restoreFiles } from "./cluster-files.ts";
import { restoreDump } from "./database-dump.ts";
import { type Manifest, readManifest } from "./manifest.ts";
import { type DatabasePlace, databasePlace, runWithDatabase } from "./service-database.ts";

async function restoreContents(manifest: Manifest, folder: string, decrypt: string | null): Promise<void> {
  const place: DatabasePlace = databasePlace();
  if (manifest.kind === "files") {
    if (place.url !== null) {
      throw new StartError("This is a backup of the embedded Postgres. Unset DATABASE_URL to restore it.");
    }
    await restoreFiles(place.home, folder, decrypt);
    return;
  }
  if (place.url === null) {
    throw new StartError("This is a dump. Set DATABASE_URL to an empty database to restore it.");
  }
  const url = place.ownerUrl ?? place.url;
  await runWithDatabase(async ({ store }) => {
    if ((await store.countTables()) > 0) {
      throw new StartError("The database at DATABASE_URL is not empty. Create a new one for the restore.");
    }
    await store.ensureAppRole();
  });
  await restoreDump(url, manifest.postgres, folder, decrypt);
}

async function checkMoney(url: string): Promise<number> {
  say("money", "checking every invariant; this reads all of the ledger");
  const child = Bun.spawn([process.execPath, ...readSettings(serviceRoot, process.env, []).programs.audit], {
    env: { ...process.env, DATABASE_URL: url },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return await child.exited;
}

async function restore(from: string, decrypt: string | null): Promise<number> {
  const folder = resolve(from);
  const manifest = await readManifest(folder);
  if (manifest.isEncrypted && decrypt === null) {
    throw new StartError("This backup is encrypted: --decrypt names the command that reads it.");
  }
  say("restore", `the backup of ${manifest.createdAt}`);
  await checkFiles(folder, manifest.files);
  say("restore", `the checksums of ${manifest.files.length} files match`);
  await restoreContents(manifest, folder, decrypt);
  return await runWithDatabase(async ({ url, ownerUrl, store }) => {
    const { usageRows, lastMigration } = await store.readFacts();
    say("restore", `${usageRows} calls restored, ${manifest.usageRows} or more were expected`);
    if (lastMigration !== manifest.lastMigration || BigInt(usageRows) < BigInt(manifest.usageRows)) {
      throw new StartError("The restored data differs from the backup.");
    }
    await store.forgetResponses();
    return await checkMoney(ownerUrl ?? url);
  });
}

const { values } = parseArgs({ options: { from: { type: "string" }, decrypt: { type: "string" } } });
try {
  if (values.from === undefined) {
    throw new StartError("--from names the folder of a backup.");
  }
  process.exitCode = await restore(values.from, values.decrypt ?? null);
} catch (error) {
  process.stderr.write(`restore: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
