/**
 * Lists the replicas with their leases: `bun run replicas`. When a host is lost with its disk, `bun run replicas
 * release <id> --reason "..." --yes` gives back the quota that is set aside for it, once it can no longer admit calls,
 * which is 75 seconds after it was last seen (LEASE_TERM_MS and a quarter). `--silent-for <seconds>` selects all
 * replicas that have been silent for that long, instead of ids. Without `--yes` it only reports what it would do. Calls
 * that a lost replica served are still charged if its spool turns up again; balances may become negative by as much as
 * was given back.  The audit log records who gave up which replica, and why.  Exit code 0: all leases were given back;
 * 1: none or not all were; 2: a wrong command line.
 */
import { userInfo } from "node:os";
import { parseArgs } from "node:util";
import { giveUpReplica, writeOffGivenUp } from "../gateway/quota/lease-upkeep.ts";
import { selectReplicas } from "../gateway/quota/replica-store.ts";
import { failCommand, WrongCommandError } from "../platform/command-failure.ts";
import { loadConfig } from "../platform/config.ts";
import type { Database } from "../platform/db.ts";
import { openDatabase } from "../platform/db-open.ts";

type Replica = Awaited<ReturnType<typeof selectReplicas>>[number];

const command = "replicas";
const lookMs = 1_000;
/** How many seconds later than reported a term may end. */
const patienceSeconds = 30;

const options = {
  reason: { type: "string" },
  "silent-for": { type: "string" },
  yes: { type: "boolean", default: false },
} as const;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function lineOf(replica: Replica): string {
  const { replicaId, silentSeconds, secondsToEnd, isGivenUp, budgets, quota } = replica;
  const ended = isGivenUp ? "given up" : "its term has ended";
  const term = secondsToEnd > 0 ? `may let calls in for ${Math.ceil(secondsToEnd)} s` : ended;
  return `${replicaId}: last seen ${Math.round(silentSeconds)} s ago, ${term}, ${quota} quota of ${budgets} budgets`;
}

function choose(replicas: readonly Replica[], ids: readonly string[], silentSeconds: number | null): Replica[] {
  if (silentSeconds !== null) {
    return replicas.filter((one) => one.silentSeconds >= silentSeconds && one.quota > 0n);
  }
  return ids.map((id) => {
    const found = replicas.find(({ replicaId }) => replicaId === id);
    if (found === undefined) {
      throw new Error(`replica ${id} does not exist; without arguments, this command lists them`);
    }
    return found;
  });
}

/** Waits for the end of the replicas' terms. Returns whether the leases of all were given back. */
async function release(db: Database, chosen: readonly Replica[], reason: string): Promise<boolean> {
  await db.withTransaction(async (tx) => {
    for (const { replicaId } of chosen) {
      await giveUpReplica(tx, { replicaId, by: `${command} (${userInfo().username})`, reason });
    }
  });
  const open = new Map(chosen.map((replica) => [replica.replicaId, replica]));
  const longest = Math.max(...chosen.map(({ secondsToEnd }) => secondsToEnd));
  if (longest > 0) {
    say(`waiting ${Math.ceil(longest)} s, in case the process is still alive`);
  }
  const deadline = performance.now() + (longest + patienceSeconds) * 1_000;
  let isDone = true;
  while (open.size > 0) {
    if (performance.now() > deadline) {
      throw new Error(`still set aside: ${[...open.keys()].join(", ")}`);
    }
    await db.withTransaction((tx) => writeOffGivenUp(tx, command));
    const states = new Map((await selectReplicas(db)).map((state) => [state.replicaId, state]));
    for (const [id, { quota, budgets }] of open) {
      const now = states.get(id);
      if (now?.isGivenUp === false) {
        say(`${id} is alive again, so it is not lost. Stop its process first`);
        isDone = false;
        open.delete(id);
      } else if (now === undefined || now.quota === 0n) {
        say(`${id}: ${quota} quota of ${budgets} budgets was given back`);
        open.delete(id);
      }
    }
    await (open.size > 0 ? Bun.sleep(lookMs) : undefined);
  }
  return isDone;
}

type Wanted = {
  readonly ids: readonly string[];
  /** Null if ids were given. */
  readonly silentSeconds: number | null;
  readonly isConfirmed: boolean;
  readonly reason: string;
};

function readSeconds(text: string | undefined): number | null {
  if (text !== undefined && !/^\d{1,9}$/.test(text)) {
    throw new WrongCommandError("--silent-for is not a number of seconds");
  }
  return text === undefined ? null : Number(text);
}

/** What to give back; null to list the replicas. @throws WrongCommandError */
function readCommand(words: readonly string[]): Wanted | null {
  const { values, positionals } = parseArgs({ args: [...words], options, strict: true, allowPositionals: true });
  const [verb, ...ids] = positionals;
  if (verb === undefined) {
    return null;
  }
  const silentSeconds = readSeconds(values["silent-for"]);
  if (verb !== "release" || (ids.length === 0) === (silentSeconds === null)) {
    throw new WrongCommandError("give no arguments, or release with the ids of replicas or with --silent-for");
  }
  const reason = values.reason?.trim() ?? "";
  if (values.yes && reason === "") {
    throw new WrongCommandError("--reason is missing; it is written to the audit log");
  }
  return { ids, silentSeconds, isConfirmed: values.yes, reason };
}

async function run(db: Database, wanted: Wanted | null): Promise<boolean> {
  const replicas = await selectReplicas(db);
  if (wanted === null) {
    for (const replica of replicas) {
      say(lineOf(replica));
    }
    say(`${replicas.length} replicas`);
    return true;
  }
  const chosen = choose(replicas, wanted.ids, wanted.silentSeconds);
  for (const replica of chosen) {
    say(lineOf(replica));
  }
  if (chosen.length === 0) {
    say("there are no leases to give back");
    return true;
  }
  if (!wanted.isConfirmed) {
    say("nothing was changed; run it with --yes to give the leases back");
    return false;
  }
  return await release(db, chosen, wanted.reason);
}

try {
  const wanted = readCommand(process.argv.slice(2));
  const { DATABASE_URL: url } = loadConfig();
  const db = openDatabase({ url, poolMax: 2, applicationName: "sluice-replicas" });
  try {
    process.exitCode = (await run(db, wanted)) ? 0 : 1;
  } finally {
    await db.close(2_000);
  }
} catch (error) {
  failCommand(command, error);
}
