import { afterAll, afterEach, beforeEach, expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import { runtimeEnvironment } from "@sluice/deploy/start/runtime-environment";
import { copyFiles } from "../support/postgres/copied-files.ts";
import { createEmptyDatabase } from "../support/postgres/empty-database.ts";
import { createTestDatabase } from "../support/postgres/test-database.ts";
import { testUnless, unlessInstalled } from "../support/service/obstacles.ts";
import { findProcesses, type StartedProgram, startProgram, waitUntilGone } from "../support/service/start-process.ts";

const stopMsMax = 60_000;

let folder = "";
let port = 0;
let programs: StartedProgram[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice start "));
  // Postgres may run as another user; a folder that is closed to it is a matter of embedded-postgres.test.ts.
  await chmod(folder, 0o711);
  port = await findFreePort();
  programs = [];
});

afterEach(async () => {
  for (const program of programs) {
    program.signal("SIGTERM");
    const timer = setTimeout(() => program.signal("SIGKILL"), stopMsMax);
    await program.exited;
    clearTimeout(timer);
  }
  expect(await waitUntilGone(folder, stopMsMax)).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});

function start(env: Record<string, string> = {}, words: string[] = []): StartedProgram {
  const program = startProgram({ words, env: { DATA_DIR: join(folder, "data"), PORT: String(port), ...env } });
  programs.push(program);
  return program;
}

/** The data of a first start that has ended. */
let made: string | null = null;

async function keepData(): Promise<void> {
  made = await mkdtemp(join(tmpdir(), "sluice-start-"));
  await chmod(made, 0o711);
  await copyFiles(join(folder, "data"), made);
}

afterAll(async () => {
  if (made !== null) {
    await rm(made, { recursive: true, force: true });
  }
});

/** Begins with the data of an earlier start: a first one takes two seconds of processor time. */
async function beginStarted(): Promise<void> {
  if (made === null) {
    const first = start();
    await first.waitFor("Try it:");
    first.signal("SIGINT");
    expect(await first.exited).toBe(0);
    await keepData();
    return;
  }
  await mkdir(join(folder, "data"), { mode: 0o711 });
  await copyFiles(made, join(folder, "data"));
}

/** With an existing database a start takes a fraction of a second. */
async function startOnDatabase(env: Record<string, string> = {}, words: string[] = []): Promise<StartedProgram> {
  const { url } = await createTestDatabase();
  return start({ DATABASE_URL: url, ...env }, words);
}

type Told = { pid: number; worker: string; sandbox: string | null; memory: string };

async function ask(path: string): Promise<Told> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  return (await response.json()) as Told;
}

test("a start prints the address, the key and a call to paste, and the next start is quick and knows key and settings", async () => {
  const first = start();
  const output = await first.waitFor("Try it:");
  expect(output).toContain(`http://127.0.0.1:${port}/v1/chat/completions -H "Authorization: Bearer sk-stub"`);
  expect(await ask("/")).toMatchObject({ worker: "0", sandbox: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) });
  expect((await ask("/")).memory).toBe(runtimeEnvironment().BUN_JSC_forceRAMSize);
  first.signal("SIGINT");
  expect(await first.exited).toBe(0);
  expect(findProcesses(folder)).toEqual([]);
  await keepData();

  const startedAt = performance.now();
  const second = start({ STUB_NO_KEY: "1", BUN_JSC_forceRAMSize: "0" });
  expect(await second.waitFor("Try it:")).toContain("Bearer sk-stub");
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  expect(second.output()).not.toContain("installed");
  expect((await ask("/")).memory).toBe("0");
  second.signal("SIGTERM");
  expect(await second.exited).toBe(0);
});

test("in production no sandbox is started, no key is printed or kept, and what is still to do is listed", async () => {
  await beginStarted();
  const kept = join(folder, "data", "first-api-key.json");
  expect((await stat(kept)).mode & 0o777).toBe(0o600);

  const first = start({ NODE_ENV: "production", MASTER_KEY: randomBytes(32).toString("base64") });
  const output = await first.waitFor("Next:");
  expect(output).toContain("no channel serves a model yet");
  expect(output).toContain(`http://127.0.0.1:${port}/admin/upstreams/`);
  expect(output).toContain("bun run admin:create --username NAME --super");
  expect(output).not.toContain("sk-stub");
  expect((await ask("/")).sandbox).toBeNull();
  expect(await Bun.file(kept).exists()).toBe(false);
  first.signal("SIGINT");
  expect(await first.exited).toBe(0);
});

test("a service in development that is opened to the network is refused before anything is started, or warned of", async () => {
  const refused = start({ HOST: "0.0.0.0" });
  expect(await refused.exited).toBe(1);
  expect(refused.output().trim()).toMatch(
    /^HOST=0\.0\.0\.0 opens the service to other machines.*DEVELOPMENT_ON_NETWORK/,
  );
  expect(findProcesses(folder)).toEqual([]);
  const open = await startOnDatabase({ HOST: "0.0.0.0", DEVELOPMENT_ON_NETWORK: "true" });
  expect(await open.waitFor("Try it:")).toContain("0.0.0.0 is open to other machines");
});

test("a port in use is reported in one sentence with the remedy, before anything is started", async () => {
  const other = createServer().listen(port, "127.0.0.1");
  try {
    const program = start();
    expect(await program.exited).toBe(1);
    expect(program.output().trim()).toBe(
      `Port ${port} on 127.0.0.1 is taken by another program. Choose another one with PORT=${port + 1}, or stop that program.`,
    );
    expect(findProcesses(folder)).toEqual([]);
  } finally {
    other.close();
  }
});

test.each([
  ["the start", { NODE_ENV: "staging" }, "NODE_ENV"],
  ["a program that comes later", { LOG_LEVEL: "loud" }, "LOG_LEVEL"],
  [
    "a program that comes later, which must not be shown",
    { MIGRATION_DATABASE_URL: "mysql://u:secret@h/d" },
    "MIGRATION_DATABASE_URL",
  ],
])("an invalid variable of %s is named before anything is created", async (_whose, env, name) => {
  const program = start(env);
  expect(await program.exited).toBe(1);
  expect(program.output()).toContain(`The configuration is not usable. ${name}: `);
  expect(program.output()).not.toContain("secret");
  expect(await readdir(folder)).toEqual([]);
});

test.each([
  ["missing", {}, "Production needs a master key"],
  [
    "easy to guess",
    { MASTER_KEY: Buffer.alloc(32, 7).toString("base64") },
    "MASTER_KEY holds a key that can be guessed",
  ],
  ["in a file that is not there", { MASTER_KEY_FILE: "/nowhere/key" }, "can't be read from MASTER_KEY_FILE: ENOENT"],
])("a master key that is %s is reported before anything is created", async (_what, env, sentence) => {
  const program = start({ NODE_ENV: "production", ...env });
  expect(await program.exited).toBe(1);
  expect(program.output()).toContain(sentence);
  expect(await readdir(folder)).toEqual([]);
});

test("an invalid variable is named", async () => {
  const program = start({ WORKERS: "many" });
  expect(await program.exited).toBe(1);
  expect(program.output()).toContain('WORKERS must be a whole number from 1 to 64, but it is "many".');
});

test("a second start on the same data is refused and does not disturb the first", async () => {
  await beginStarted();
  const first = start();
  await first.waitFor("Try it:");
  const second = start({ PORT: String(await findFreePort()) });
  expect(await second.exited).toBe(1);
  expect(second.output()).toMatch(/Process \d+ already runs the database in .*set DATA_DIR/s);
  expect(await ask("/")).toMatchObject({ worker: "0" });
});

test("Ctrl-C lets the calls in progress finish, then stops everything and exits with 0", async () => {
  const program = await startOnDatabase();
  await program.waitFor("Try it:");
  const call = ask("/slow?ms=700");
  await program.waitFor("slow call began");
  program.signal("SIGINT");
  expect(await call).toMatchObject({ worker: "0" });
  expect(await program.exited).toBe(0);
  expect(program.output()).toContain("worker drained");
  expect(findProcesses(folder)).toEqual([]);
});

test("a second Ctrl-C does not wait", async () => {
  const program = await startOnDatabase();
  await program.waitFor("Try it:");
  const call = ask("/slow?ms=60000").catch(() => "cut off");
  await program.waitFor("slow call began");
  program.signal("SIGINT");
  await program.waitFor("stopping; calls in progress");
  // The same key press can arrive twice within this time, which must not count as a second one.
  await Bun.sleep(600);
  program.signal("SIGINT");
  expect(await call).toBe("cut off");
  expect(await program.exited).toBe(130);
  expect(await waitUntilGone(folder, stopMsMax)).toEqual([]);
});

test("Ctrl-C in the middle of the start leaves nothing running", async () => {
  const program = start();
  await program.waitFor("migrations");
  program.signal("SIGINT");
  expect(await program.exited).toBe(0);
  expect(findProcesses(folder)).toEqual([]);
});

test("a worker that dies is restarted and that is reported", async () => {
  const program = await startOnDatabase({ WORKERS: "2" });
  await program.waitFor("Try it:");
  const { pid, worker } = await ask("/");
  process.kill(pid, "SIGKILL");
  await program.waitFor(`worker ${worker}     exited unexpectedly (SIGKILL); restarting it`);
  await program.waitFor(new RegExp(`(worker ${worker} is up[^]*){2}`));
});

test("a service that can't start ends the start with its reason and leaves nothing running", async () => {
  const program = await startOnDatabase({ STUB_FAIL: "1" });
  expect(await program.exited).toBe(1);
  expect(program.output()).toContain("no money, no work");
  expect(program.output()).toContain("The service exited before it was ready (exit code 3)");
  expect(findProcesses(folder)).toEqual([]);
});

test("a start runs the quick part of the doctor, and names the whole of it", async () => {
  const program = await startOnDatabase();
  const output = await program.waitFor("bun run doctor also tries channels and the public address");
  // The server of the tests may lose what it confirmed.
  expect(output).toMatch(/^ {2}doctor {7}(nothing found;|PROBLEM, database: fsync or full_page_writes is off)/m);
  await program.waitFor("Try it:");
});

test("a start that fails says what the doctor finds, and what solves it", async () => {
  const away = start({ DATABASE_URL: "postgres://anna:secret@127.0.0.1:9/none" });
  expect(await away.exited).toBe(1);
  expect(away.output()).toMatch(
    /failed: can't connect to the database[\s\S]*What bun run doctor finds:\n {2}database: The database can't be reached: .*correct DATABASE_URL\.$/m,
  );
  expect(away.output()).not.toContain("secret");

  await using database = await createEmptyDatabase((await createTestDatabase()).url);
  const role = `reader_${database.name}`;
  await using owner = new Bun.SQL(database.url, { max: 1 });
  await owner.unsafe(`create role ${role} login password 'pass'`);
  const url = Object.assign(new URL(database.url), { username: role, password: "pass" }).href;
  try {
    const mayNot = start({ DATABASE_URL: url });
    expect(await mayNot.exited).toBe(1);
    expect(mayNot.output()).toContain(`database: ${role} can't create tables in the database ${database.name}.`);
    // What it says solves it.
    const [, cure = ""] = /`(alter database .*)`/.exec(mayNot.output()) ?? [];
    await owner.unsafe(cure);
    const may = start({ DATABASE_URL: url });
    await may.waitFor("Try it:");
    may.signal("SIGTERM");
    expect(await may.exited).toBe(0);
  } finally {
    await owner.unsafe(`alter database ${database.name} owner to current_user`);
    await owner.unsafe(`drop owned by ${role} cascade`);
    await owner.unsafe(`drop role ${role}`);
  }
});

test("a folder for the data that can't be made is named in one sentence", async () => {
  const place = join(folder, "taken");
  await writeFile(place, "");
  const { url } = await createTestDatabase();
  const program = start({ DATABASE_URL: url, DATA_DIR: join(place, "data") });
  expect(await program.exited).toBe(1);
  expect(program.output().trim()).toMatch(/^The data folder can't be created: .*taken.*Set DATA_DIR to one/);
});

test("a Postgres that dies is restarted", async () => {
  await beginStarted();
  const program = start();
  await program.waitFor("Try it:");
  const postgres = findProcesses(join(folder, "data")).find((command) => command.includes("bin/postgres"));
  process.kill(Number.parseInt(postgres ?? "", 10), "SIGKILL");
  await program.waitFor("Postgres is back");
  program.signal("SIGINT");
  expect(await program.exited).toBe(0);
});

testUnless(
  unlessInstalled("setpriv"),
  "when the start program is killed, what it started drains and ends",
  async () => {
    await beginStarted();
    const program = start({ WORKERS: "2" });
    await program.waitFor("Try it:");
    expect(findProcesses(folder).length).toBeGreaterThan(3);
    program.signal("SIGKILL");
    expect(await waitUntilGone(folder, stopMsMax)).toEqual([]);
    await program.exited;
    expect(program.output().match(/worker drained/g)).toHaveLength(2);

    const next = start();
    await next.waitFor("Try it:");
  },
);

test("with --reload a changed source file restarts the service, once for a burst of changes", async () => {
  const root = join(folder, "checkout");
  const source = join(root, "control-plane/src/main.ts");
  const stub = await readFile(join(import.meta.dir, "../support/service/start-stubs/worker.ts"), "utf8");
  await mkdir(join(root, "control-plane/src/gateway"), { recursive: true });
  await mkdir(join(root, "packages"));
  await writeFile(source, stub);
  const program = await startOnDatabase({ STUB_ROOT: root }, ["--reload"]);
  await program.waitFor("Try it:");
  const { pid } = await ask("/");

  await writeFile(join(root, "control-plane/src/gateway/rule.ts"), "export const rule = 1;\n");
  await writeFile(source, stub.replace("is up", "is up again"));
  await program.waitFor("worker 0 is up again");
  await program.waitFor(/changed; restarted in/);
  expect((await ask("/")).pid).not.toBe(pid);
  program.signal("SIGINT");
  expect(await program.exited).toBe(0);
  expect(program.output().match(/changed; restarted/g)).toHaveLength(1);
});
