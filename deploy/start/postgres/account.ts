import { readFile, stat } from "node:fs/promises";
import { StartError } from "../start-error.ts";

/** The operating-system user that Postgres runs as. Root is impossible, because Postgres refuses to run as root. */
export type Account = {
  readonly uid: number;
  readonly gid: number;
};

export type CommandResult = {
  readonly exitCode: number;
  readonly output: string;
};

const createdUserName = "sluice-postgres";

/**
 * Chooses who runs Postgres: null is the current user, and only root has to choose another. Existing files decide
 * first, because only their owner can use them; then the user that a distribution creates for Postgres, then `nobody`,
 * and on a machine with neither a new system user.
 * @throws StartError when root has no user to step down to
 */
export async function chooseAccount(clusterDirectory: string): Promise<Account | null> {
  if (process.getuid?.() !== 0) {
    return null;
  }
  const owner = await stat(clusterDirectory).catch(() => null);
  if (owner && owner.uid !== 0) {
    return { uid: owner.uid, gid: owner.gid };
  }
  const existing = (await findUser("postgres")) ?? (await findUser("nobody")) ?? (await findUser(createdUserName));
  if (existing) {
    return existing;
  }
  const added = await runAs(null, [
    "useradd",
    "--system",
    "--no-create-home",
    "--shell",
    "/bin/false",
    createdUserName,
  ]);
  const created = await findUser(createdUserName);
  if (!created) {
    throw new StartError(
      `Postgres can't run as root, and no other user could be created for it (${added.output.trim()}). ` +
        "Start as an ordinary user, or set DATABASE_URL to a Postgres of version 15 or later.",
    );
  }
  return created;
}

const notStarted = 127;

/** A machine with little more than a C library may lack `id`; its users are then in one file. */
async function findUser(name: string): Promise<Account | null> {
  const [uid, gid] = await Promise.all([runAs(null, ["id", "-u", name]), runAs(null, ["id", "-g", name])]);
  if (uid.exitCode === notStarted) {
    return await findListedUser(name);
  }
  const account = { uid: Number(uid.output.trim() || Number.NaN), gid: Number(gid.output.trim() || Number.NaN) };
  return uid.exitCode === 0 && gid.exitCode === 0 && account.uid > 0 && account.gid >= 0 ? account : null;
}

async function findListedUser(name: string): Promise<Account | null> {
  const lines = (await readFile("/etc/passwd", "utf8").catch(() => "")).split("\n");
  const [, , uid, gid] = lines.map((line) => line.split(":")).find(([user]) => user === name) ?? [];
  const account = { uid: Number(uid || Number.NaN), gid: Number(gid || Number.NaN) };
  return account.uid > 0 && account.gid >= 0 ? account : null;
}

/** Runs a short command to its end as the given account; a command that can't be started counts as exit code 127. */
export async function runAs(account: Account | null, command: string[]): Promise<CommandResult> {
  try {
    const child = Bun.spawn(command, {
      ...spawnIdentity(account),
      // The command gets a separate session, so that Ctrl-C does not reach it: an interrupted check would look like a
      // failed one.
      detached: true,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    return { exitCode, output: stdout + stderr };
  } catch (error) {
    return { exitCode: notStarted, output: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * The spawn options shared by all Postgres programs. The root folder is the one working directory that every account
 * can enter; locale and time zone are fixed, so that a cluster behaves the same on every machine.
 */
export function spawnIdentity(account: Account | null): SpawnIdentity {
  const { PATH = "/usr/bin:/bin" } = process.env;
  const env = { PATH, LC_ALL: "C", TZ: "UTC" };
  return account === null ? { cwd: "/", env } : { cwd: "/", env, uid: account.uid, gid: account.gid };
}

type SpawnIdentity = {
  readonly cwd: string;
  readonly env: Record<string, string>;
  readonly uid?: number;
  readonly gid?: number;
};

/**
 * Whether the account may pass through every folder on the way to this one. This is tried and not computed, because
 * ACLs count too.
 */
export async function canEnter(account: Account | null, directory: string): Promise<boolean> {
  const { exitCode } = await runAs(account, ["/bin/sh", "-c", 'cd "$1"', "sh", directory]);
  return exitCode === 0;
}
