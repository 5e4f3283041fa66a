/**
 * Creates an admin: `bun run admin:create --username anna [--email anna@example.org] [--mobile +49...] [--super]`. The
 * password is read from the first line of stdin with `--password-stdin`, else it is generated. Prints the admin and the
 * generated password to stdout, the only place where it is ever shown. The act is recorded in the audit log.
 */
import { parseArgs } from "node:util";
import { createAdmin } from "../accounts/admins/command-admins.ts";
import { failCommand, WrongCommandError } from "../platform/command-failure.ts";
import { loadConfig } from "../platform/config.ts";
import { openDatabase } from "../platform/db-open.ts";

const passwordLengthMin = 8;
const passwordLengthMax = 256;

const options = {
  username: { type: "string" },
  email: { type: "string" },
  mobile: { type: "string" },
  super: { type: "boolean", default: false },
  "password-stdin": { type: "boolean", default: false },
} as const;

async function readPassword(): Promise<string> {
  const [line = ""] = (await Bun.stdin.text()).split(/\r?\n/);
  if (line.length < passwordLengthMin || line.length > passwordLengthMax) {
    throw new Error(`the password needs ${passwordLengthMin} to ${passwordLengthMax} characters`);
  }
  return line;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options, strict: true });
  const { username, email, mobile } = values;
  if (username === undefined || !/^[\w.-]{1,64}$/.test(username)) {
    throw new WrongCommandError(
      "--username is missing, or is not 1 to 64 letters, digits, dots, underscores and dashes",
    );
  }
  const given = values["password-stdin"] ? await readPassword() : null;
  const config = loadConfig();
  const db = openDatabase({ url: config.DATABASE_URL, poolMax: 2, applicationName: "sluice-admin" });
  try {
    const admin = { username, email: email ?? null, mobile: mobile ?? null, password: given, isSuper: values.super };
    const made = await db.withTransaction((tx) => createAdmin(tx, admin, "admin:create"));
    if (made === null) {
      throw new Error("the username, the e-mail address or the mobile number belongs to an admin already");
    }
    const shown = given === null ? `, password ${made.password}` : "";
    process.stdout.write(`${values.super ? "super-admin" : "admin"} ${username} was created${shown}\n`);
  } finally {
    await db.close(2_000);
  }
}

try {
  await main();
} catch (error) {
  failCommand("admin:create", error);
}
