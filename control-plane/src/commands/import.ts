/**
 * Moves customers, balances, keys, prices and channels from another gateway:
 * `bun run import one-api --from sqlite:/path/one-api.db [--instance shop] [--options FILE] [--usage-rows] [--apply]
 * [--cut-over | --drained]`, and
 * for LiteLLM also `[--salt-key-file FILE] [--config config.yaml] [--grant USD]`.
 * `--from -` reads the address from the first line of stdin. Without `--apply` it only says what would happen. `docs/moving.md` explains the rest. Exit code 0: done; 1: not, or the
 * money does not add up afterwards; 2: a wrong command line.
 */
import { parseArgs } from "node:util";
import { type Finding, type PeerData, type Program, programs } from "../moving/model.ts";
import { moveCalls } from "../moving/move-calls.ts";
import { readSource, withCalls } from "../moving/read-source.ts";
import { cutOver, runImport, settleRest, violatedInvariants } from "../moving/service.ts";
import { writeCalls, writeReport } from "../moving/write-report.ts";
import { failCommand, WrongCommandError } from "../platform/command-failure.ts";
import { loadConfig, masterKeySource } from "../platform/config.ts";
import { loadMasterKey } from "../platform/crypto/master-key.ts";
import { openDatabase } from "../platform/db-open.ts";

const statementTimeoutMs = 600_000;

const options = {
  from: { type: "string" },
  instance: { type: "string" },
  options: { type: "string" },
  "salt-key-file": { type: "string" },
  config: { type: "string" },
  grant: { type: "string" },
  apply: { type: "boolean", default: false },
  "cut-over": { type: "boolean", default: false },
  drained: { type: "boolean", default: false },
  "verified-addresses": { type: "boolean", default: false },
  "admin-balances": { type: "boolean", default: false },
  "usage-rows": { type: "boolean", default: false },
} as const;

function say(line: string): void {
  process.stderr.write(`import: ${line}\n`);
}

type Values = ReturnType<typeof parseArgs<{ options: typeof options }>>["values"];

async function read(program: Program, from: string, values: Values): Promise<PeerData> {
  const data = await readSource(program, {
    from,
    optionsFile: values.options ?? null,
    saltKeyFile: values["salt-key-file"] ?? null,
    configFile: values.config ?? null,
    grantUsd: values.grant ?? null,
    isUsageRead: !values["cut-over"],
  });
  say(`read ${data.users.length} users, ${data.keys.length} keys and ${data.channels.length} channels`);
  return data;
}

/** An address with a password does not belong in the list of processes: `-` takes it from the first line of stdin. */
async function readAddress(from: string): Promise<string> {
  const [line = ""] = from === "-" ? (await Bun.stdin.text()).split(/\r?\n/) : [from];
  return line.trim();
}

/** What the command line asks for. @throws WrongCommandError */
function readCommand() {
  const { values, positionals } = parseArgs({ options, strict: true, allowPositionals: true });
  const program = programs.find((name) => name === positionals[0]);
  const { from } = values;
  if (program === undefined || positionals.length !== 1 || from === undefined) {
    throw new WrongCommandError(`say what to move from where: import ${programs.join("|")} --from sqlite:FILE`);
  }
  const instance = values.instance ?? program;
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(instance)) {
    throw new WrongCommandError("--instance has to be up to 32 lower-case letters, digits and hyphens");
  }
  if (values["cut-over"] && !values.apply) {
    throw new WrongCommandError("--cut-over goes with --apply: the last run before customers call Sluice");
  }
  if (values.drained && (!values.apply || values["cut-over"])) {
    throw new WrongCommandError("--drained goes with --apply, after the run with --cut-over");
  }
  if (values["usage-rows"] && (program === "litellm" || values["cut-over"])) {
    throw new WrongCommandError("--usage-rows is for one-api and new-api, in a run before or after the cut-over");
  }
  return { program, from, instance, values };
}

async function main(): Promise<number> {
  const { program, from: given, instance, values } = readCommand();
  const from = await readAddress(given);
  const config = loadConfig();
  const masterKey = await loadMasterKey(masterKeySource(config));
  const db = openDatabase({
    url: config.DATABASE_URL,
    poolMax: 2,
    applicationName: "sluice-import",
    statementTimeoutMs,
  });
  try {
    const data = await read(program, from, values);
    const moving = {
      instance,
      isApplied: values.apply,
      areAddressesVerified: values["verified-addresses"],
      areAdminBalancesMoved: values["admin-balances"],
    };
    const report = values.drained
      ? await settleRest({ db, masterKey }, data, moving)
      : await runImport({ db, masterKey, onStep: (name) => say(`${name} ...`) }, data, moving);
    process.stdout.write(writeReport(report));
    if (values["usage-rows"] && program !== "litellm") {
      say("usage rows ...");
      const findings: Finding[] = [];
      const userIds = new Set(data.users.map(({ id }) => id));
      const calls = await withCalls(from, findings, (pages) =>
        moveCalls(db, { program, pages, userIds }, moving, findings),
      );
      process.stdout.write(writeCalls(calls, values.apply));
    }
    const violated = values.apply ? await violatedInvariants(db) : [];
    for (const invariant of violated) {
      say(`the money does not add up: ${invariant}`);
    }
    if (values["cut-over"] && violated.length === 0) {
      const { made } = await cutOver(db, data, moving);
      say(`${instance} is cut over: its balances and ${made} codes are here from now on`);
    }
    return violated.length === 0 ? 0 : 1;
  } finally {
    await db.close(2_000);
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  failCommand("import", error);
}
