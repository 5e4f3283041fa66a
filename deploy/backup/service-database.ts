import { existsSync } from "node:fs";
import { join } from "node:path";
import { findRunningPostgres, startEmbeddedPostgres } from "../start/embedded-postgres.ts";
import { readEnvFile, serviceRoot } from "../start/service-root.ts";
import { readSettings } from "../start/settings.ts";
import { StartError } from "../start/start-error.ts";
import { BackupStore } from "./backup-store.ts";

export type ServiceDatabase = {
  readonly url: string;
  /** The URL for the owner of the database, if that is another login. */
  readonly ownerUrl: string | null;
  /** The folder of the embedded Postgres; null for your own. */
  readonly home: string | null;
  readonly store: BackupStore;
};

export type DatabasePlace = { readonly url: string | null; readonly ownerUrl: string | null; readonly home: string };

/** The configured database, read from the settings like `bun start` does. */
export function databasePlace(): DatabasePlace {
  readEnvFile();
  const settings = readSettings(serviceRoot, process.env, []);
  const ownerUrl = process.env["MIGRATION_DATABASE_URL"] || null;
  return { url: settings.databaseUrl, ownerUrl, home: join(settings.dataDirectory, "postgres") };
}

/**
 * Runs work on the service's database, whether the service runs or not.
 * @throws StartError when there is none yet
 */
export async function runWithDatabase<T>(work: (database: ServiceDatabase) => Promise<T>): Promise<T> {
  const place = databasePlace();
  if (place.url !== null) {
    return await withConnection({ url: place.url, ownerUrl: place.ownerUrl, home: null }, work);
  }
  const running = await findRunningPostgres(place.home);
  if (running !== null) {
    return await withConnection({ url: running, ownerUrl: null, home: place.home }, work);
  }
  if (!existsSync(place.home)) {
    throw new StartError("There is no database yet. Start the service once, or set DATABASE_URL.");
  }
  const server = await startEmbeddedPostgres({ home: place.home });
  try {
    return await withConnection({ url: server.url, ownerUrl: null, home: place.home }, work);
  } finally {
    await server.stop();
  }
}

async function withConnection<T>(
  database: Omit<ServiceDatabase, "store">,
  work: (database: ServiceDatabase) => Promise<T>,
): Promise<T> {
  const store = new BackupStore(database.ownerUrl ?? database.url);
  try {
    await store.connect();
    return await work({ ...database, store });
  } finally {
    await store.close();
  }
}
