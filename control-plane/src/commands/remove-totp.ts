/**
 * Removes the authenticator of an admin who has lost both it and the recovery codes, when no other super-admin can
 * help: `bun run admin:totp-remove --username anna --reason "phone was stolen"`. All sessions of the admin end; the
 * next login requires the password alone. The act is recorded in the audit log.
 */
import { parseArgs } from "node:util";
import { removeAdminTotp } from "../accounts/admins/command-admins.ts";
import { failCommand, WrongCommandError } from "../platform/command-failure.ts";
import { loadConfig } from "../platform/config.ts";
import { openDatabase } from "../platform/db-open.ts";

const reasonLengthMin = 3;
const reasonLengthMax = 500;

const options = { username: { type: "string" }, reason: { type: "string" } } as const;

async function main(): Promise<void> {
  const { values } = parseArgs({ options, strict: true });
  const { username, reason = "" } = values;
  if (username === undefined || reason.trim().length < reasonLengthMin || reason.length > reasonLengthMax) {
    throw new WrongCommandError("give --username, and --reason with 3 to 500 characters for the audit log");
  }
  const config = loadConfig();
  const db = openDatabase({ url: config.DATABASE_URL, poolMax: 2, applicationName: "sluice-admin" });
  try {
    const why = { command: "admin:totp-remove", reason: reason.trim() };
    if (!(await db.withTransaction((tx) => removeAdminTotp(tx, username, why)))) {
      throw new Error("no admin with this name has an authenticator");
    }
    process.stdout.write(`${username} no longer has an authenticator, and all sessions have ended\n`);
  } finally {
    await db.close(2_000);
  }
}

try {
  await main();
} catch (error) {
  failCommand("admin:totp-remove", error);
}
