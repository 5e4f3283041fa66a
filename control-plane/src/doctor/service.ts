import { type Config, ConfigError, loadConfig, masterKeySource } from "../platform/config.ts";
import { loadMasterKey, type MasterKey } from "../platform/crypto/master-key.ts";
import { openDatabase } from "../platform/db-open.ts";
import { checkAddress } from "./check-address.ts";
import { checkChannels } from "./check-channels.ts";
import { checkDatabase } from "./check-database.ts";
import { checkHost } from "./check-host.ts";
import { checkRights } from "./check-rights.ts";
import { hasTables } from "./doctor-store.ts";
import { type Finding, fine, problem, reasonOf, warning } from "./model.ts";

const statementTimeoutMs = 10_000;

/**
 * Looks at everything that the service needs. Nothing is changed, and no model is called.
 * @param isOffline credentials are shown to no provider
 */
export async function examine({ isOffline }: { readonly isOffline: boolean }): Promise<readonly Finding[]> {
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
    // Without the tables, the first finding of the channels would be an error of the database.
    const isUsable = await hasTables(db);
    return [
      ...checkSettings(config),
      ...ofDatabase,
      ...(isUsable ? await checkRights(db, config.DATABASE_URL) : []),
      ...(await checkHost(config.DATA_DIR, config.RESERVE_FILE_BYTES)),
      ...(isUsable ? await checkChannels(db, masterKey, { config, isOffline }) : []),
      ...(await checkAddress(config.PUBLIC_BASE_URL ?? null)),
    ];
  } finally {
    await db.close(1_000);
  }
}

function checkSettings(config: Config): readonly Finding[] {
  const isProduction = config.NODE_ENV === "production";
  return [
    isProduction
      ? fine("settings", "They are valid, for production")
      : warning("settings", `They are valid, for ${config.NODE_ENV}.`, "Set NODE_ENV=production where customers call."),
    config.MAIL_ADAPTER === "log" && isProduction
      ? warning(
          "settings",
          "Mails are written to the log instead of being sent.",
          "Set MAIL_ADAPTER to smtp or http, and its address.",
        )
      : fine("settings", `Mails go out by ${config.MAIL_ADAPTER}`),
  ];
}
