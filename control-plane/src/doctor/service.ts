import { type Config, ConfigError, loadConfig, masterKeySource } from "../platform/config.ts";
import { loadMasterKey, type MasterKey } from "../platform/crypto/master-key.ts";
import { openDatabase } from "../platform/db-open.ts";
import { checkAddress } from "./check-address.ts";
import { checkDatabase } from "./check-database.ts";
import { checkHost } from "./check-host.ts";
import { checkCreation, checkRights } from "./check-rights.ts";
import { readState } from "./doctor-store.ts";
import { type Finding, fine, problem, reasonOf, warning } from "./model.ts";

const statementTimeoutMs = 10_000;

/** How much is looked at. */
export type Extent = {
  /** Credentials are shown to no provider. */
  readonly isOffline: boolean;
  /** Only settings, database and host, as the start does: no other server is asked. */
  readonly isQuick: boolean;
};

/** Looks at what the service needs. Nothing is changed, and no model is called. */
export async function examine(extent: Extent): Promise<readonly Finding[]> {
  let config: Config;
  let masterKey: MasterKey;
  try {
    config = loadConfig();
    masterKey = await loadMasterKey(masterKeySource(config));
  } catch (error) {
    const cure =
      error instanceof ConfigError
        ? "deploy/env.example explains every variable."
        : "docs/operating/keys.md explains the master key.";
    return [problem("settings", reasonOf(error), cure)];
  }
  const db = openDatabase({
    url: config.DATABASE_URL,
    poolMax: 2,
    applicationName: "sluice-doctor",
    statementTimeoutMs,
  });
  try {
    const ofDatabase = await checkDatabase(db, masterKey);
    const state = await readState(db);
    const { DATABASE_URL: url, MIGRATION_DATABASE_URL: ownerUrl = url } = config;
    const own = [
      ...checkSettings(config, extent),
      ...ofDatabase,
      ...(state === "migrated" ? await checkRights(db, url) : []),
      ...(state === "empty" ? await checkCreation(ownerUrl) : []),
      ...(await checkHost(config.DATA_DIR, config.RESERVE_FILE_BYTES)),
    ];
    if (extent.isQuick) {
      return own;
    }
    // The start, which asks no servers, does without what calls them.
    const { checkChannels } = await import("./check-channels.ts");
    return [
      ...own,
      // Without the tables, the first finding of the channels would be an error of the database.
      ...(state === "migrated" ? await checkChannels(db, masterKey, { config, isOffline: extent.isOffline }) : []),
      ...(await checkAddress(config.PUBLIC_BASE_URL ?? null)),
    ];
  } finally {
    await db.close(1_000);
  }
}

function checkSettings(config: Config, { isQuick }: Extent): readonly Finding[] {
  const isProduction = config.NODE_ENV === "production";
  return [
    // Who starts it in development knows.
    isProduction || isQuick
      ? fine("settings", `They are valid, for ${config.NODE_ENV}`)
      : warning("settings", `They are valid, for ${config.NODE_ENV}.`, "Set NODE_ENV=production where customers call."),
    config.MAIL_ADAPTER === "log" && isProduction
      ? warning(
          "settings",
          "E-mails are written to the log instead of being sent.",
          "Set MAIL_ADAPTER to smtp or http, and its address.",
        )
      : fine("settings", `E-mails are sent by ${config.MAIL_ADAPTER}`),
  ];
}
