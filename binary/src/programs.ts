import type { Option, Outline } from "@sluice/cli/command.ts";

type Options = Readonly<Record<string, Option>>;

/** A command that is a program of the checkout: it runs when it is imported, and reads `process.argv`. */
export type Program = Outline & {
  readonly isProgram: true;
  /** Without DATABASE_URL it runs on the embedded Postgres, if that is beside the file. */
  readonly needsDatabase: boolean;
  readonly load: () => Promise<unknown>;
};

const text = (about: string): Option => ({ type: "string", text: about });
const required = (about: string): Option => ({ type: "string", text: about, isRequired: true });
const flag = (about: string): Option => ({ type: "boolean", text: about });

function onDatabase(name: string, about: string, options: Options, load: Program["load"]): Program {
  return { isProgram: true, needsDatabase: true, name, text: about, options, load };
}

function alone(name: string, about: string, options: Options, load: Program["load"]): Program {
  return { isProgram: true, needsDatabase: false, name, text: about, options, load };
}

const serving: readonly Program[] = [
  alone("start", "Starts the service: migrates, then serves until SIGTERM.", {}, () => import("./start.ts")),
  onDatabase(
    "migrate",
    "Brings the database up to date.",
    {},
    () => import("@sluice/control-plane/commands/migrate.ts"),
  ),
  alone(
    "serve",
    "Runs one process of the service, without a supervisor, for systemd or a container.",
    {},
    () => import("@sluice/control-plane/main.ts"),
  ),
  alone(
    "probe",
    "Checks whether the service on this machine takes calls.",
    { live: flag("Only check that it is alive.") },
    () => import("@sluice/control-plane/commands/probe.ts"),
  ),
  onDatabase(
    "doctor",
    "Checks what the service needs, and says how to solve each problem.",
    {
      json: flag("Print JSON."),
      offline: flag("Send no credentials to providers."),
      quick: flag("Check only settings, database and host, as the start does."),
    },
    () => import("@sluice/control-plane/commands/doctor.ts"),
  ),
];

const people: readonly Program[] = [
  onDatabase(
    "admin create",
    "Creates an admin, and prints a password unless it reads one.",
    {
      username: required("1 to 64 letters, digits, dots, underscores and dashes."),
      email: text("An e-mail address to log in with."),
      mobile: text("A mobile number to log in with, such as +4915112345678."),
      super: flag("A super-admin, who may do everything."),
      "password-stdin": flag("Read the password from the first line of the standard input."),
    },
    () => import("@sluice/control-plane/commands/create-admin.ts"),
  ),
  onDatabase(
    "admin totp-remove",
    "Removes the authenticator of an admin who lost it, and ends the admin's sessions.",
    { username: required("Whose authenticator."), reason: required("For the audit log.") },
    () => import("@sluice/control-plane/commands/remove-totp.ts"),
  ),
];

const books: readonly Program[] = [
  onDatabase(
    "audit",
    "Checks the money of the whole database.",
    {},
    () => import("@sluice/control-plane/commands/audit-money.ts"),
  ),
  onDatabase(
    "usage rebuild",
    "Compares the sums of usage with the log, and recomputes days that differ.",
    { check: flag("Change nothing."), all: flag("Recompute every day.") },
    () => import("@sluice/control-plane/commands/rebuild-usage.ts"),
  ),
  onDatabase(
    "trace check",
    "Checks the chain of those who read payloads.",
    { expect: text("A link that was noted elsewhere and must still exist: its number, a colon, and its hash.") },
    () => import("@sluice/control-plane/commands/check-accesses.ts"),
  ),
];

const keeping: readonly Program[] = [
  alone(
    "backup",
    "Backs the database up while the service runs; your own Postgres with pg_dump.",
    {
      to: required("The folder of backups, which gets a new one in it."),
      encrypt: text("A command that encrypts from standard input to output, such as: age -r age1..."),
    },
    () => import("@sluice/deploy/backup/backup"),
  ),
  alone(
    "restore",
    "Restores a backup to an empty database, then checks the money.",
    {
      from: required("The folder of the backup."),
      decrypt: text("A command that decrypts from standard input to output."),
    },
    () => import("@sluice/deploy/backup/restore"),
  ),
  onDatabase(
    "secrets rotate",
    "Encrypts all secrets with NEW_MASTER_KEY or NEW_MASTER_KEY_FILE instead of the master key.",
    { "dry-run": flag("Only count what there is.") },
    () => import("@sluice/control-plane/commands/rotate-secrets.ts"),
  ),
  {
    ...onDatabase(
      "replicas",
      "Lists the replicas, or gives back what lost ones hold.",
      {
        reason: text("Why it is given back, for the audit log."),
        "silent-for": text("Choose all replicas that were silent for so many seconds."),
        yes: flag("Do it; without this option, only print what would be done."),
      },
      () => import("@sluice/control-plane/commands/replicas.ts"),
    ),
    words: ["[release <id>...]"],
  },
  {
    ...onDatabase(
      "import",
      "Moves customers, balances, keys, prices and channels from another gateway; without --apply it only reports.",
      {
        from: required("Its database, such as sqlite:/path/one-api.db; - reads the address from the standard input."),
        instance: text("The name of this source if there are several."),
        options: text("A file with its options, which are not in its database."),
        "salt-key-file": text("LiteLLM: the file with its salt key, or its master key if it has none."),
        config: text("LiteLLM: its config.yaml, whose models are added."),
        grant: text("LiteLLM: what each account without a budget gets, in USD."),
        "usage-rows": flag("one-api and new-api: move single calls, too."),
        apply: flag("Do it."),
        "cut-over": flag("The last run: from now on balances are here."),
        drained: flag("After it: move what calls that had begun there have cost since."),
        "verified-addresses": flag("Its e-mail addresses were verified."),
        "admin-balances": flag("Move the balances of its admins, too."),
      },
      () => import("@sluice/control-plane/commands/import.ts"),
    ),
    words: ["<program>"],
  },
  onDatabase(
    "export",
    "Writes accounts, keys by their SHA-256, balances and usage as lines of JSON, for another program.",
    { to: text("A file that does not exist yet; standard output without it.") },
    () => import("@sluice/control-plane/commands/export.ts"),
  ),
  alone("version", "Prints the version and the facts of the build.", {}, () => import("./version.ts")),
];

/** By the names that `bun run` takes in a checkout, in words: `admin create` for `admin:create`. */
export const programs: readonly Program[] = [...serving, ...people, ...books, ...keeping];
