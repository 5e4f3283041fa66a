import { afterAll, afterEach, beforeEach, describe, expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from "@sluice/deploy/start/embedded-postgres";
import { copyFiles } from "../support/postgres/copied-files.ts";
import { describeUnless, testUnless, unlessInstalled, unlessRoot } from "../support/service/obstacles.ts";
import { findProcesses, startProgram, waitUntilGone } from "../support/service/start-process.ts";

const stopMsMax = 60_000;

let folder = "";
let home = "";
let running: EmbeddedPostgres[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice postgres "));
  await chmod(folder, 0o711);
  home = join(folder, "data", "postgres");
  running = [];
});

afterEach(async () => {
  await Promise.all(running.map((postgres) => postgres.destroy()));
  expect(await waitUntilGone(folder, stopMsMax)).toEqual([]);
  await rm(folder, { recursive: true, force: true });
});

/** Without fsync, unless a test is about it: what a process writes survives the death of the process either way. */
async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ home, isDurable: false, ...options });
  running.push(postgres);
  return postgres;
}

let made: Promise<string> | null = null;

async function makeStopped(): Promise<string> {
  const kept = await mkdtemp(join(tmpdir(), "sluice-postgres-"));
  await chmod(kept, 0o711);
  await (await startEmbeddedPostgres({ home: kept, isDurable: false })).stop();
  return kept;
}

afterAll(async () => {
  if (made !== null) {
    await rm(await made, { recursive: true, force: true });
  }
});

/** Begins with the files of a Postgres that was started before: to make them takes half a second of processor time. */
async function beginMade(): Promise<void> {
  made ??= makeStopped();
  const files = await made;
  await mkdir(home, { recursive: true });
  await chmod(join(folder, "data"), 0o711);
  await chmod(home, 0o711);
  await copyFiles(files, home);
}

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const sql = new Bun.SQL({ url, max: 1 });
  try {
    return [...(await sql.unsafe(statement))];
  } finally {
    await sql.close().catch(() => undefined);
  }
}

test("committed data survives a stop, an immediate stop and a kill, under the same address", async () => {
  await beginMade();
  const postgres = await start();
  const { url } = postgres;
  await query(url, "create table kept (step text)");
  const endings: [string, () => Promise<void> | void][] = [
    ["stopped", () => postgres.stop()],
    ["stopped at once", () => postgres.stopImmediate()],
    ["killed", () => void process.kill(postgres.pid ?? Number.NaN, "SIGKILL")],
    ["still running", () => undefined],
  ];
  for (const [step, end] of endings) {
    await query(url, `insert into kept values ('${step}')`);
    await end();
    await postgres.restart();
    expect(postgres.url).toBe(url);
  }
  expect(await query(url, "select step from kept order by step")).toEqual([
    { step: "killed" },
    { step: "still running" },
    { step: "stopped" },
    { step: "stopped at once" },
  ]);
});

test("the database is UTF-8 with code-point order, safe against a crash, in UTC, and closed without the password", async () => {
  const { url } = await start({ isDurable: true });
  expect(
    await query(
      url,
      `select pg_encoding_to_char(encoding) as encoding, datlocale, current_setting('fsync') as fsync,
         current_setting('full_page_writes') as pages, current_setting('synchronous_commit') as commits,
         current_setting('wal_level') as wal, current_setting('timezone') as zone, 'Ä' < 'ä' as ordered, lower('ÄÖ') as lowered
       from pg_database where datname = current_database()`,
    ),
  ).toEqual([
    {
      encoding: "UTF8",
      datlocale: "C.UTF-8",
      fsync: "on",
      pages: "on",
      commits: "on",
      wal: "replica",
      zone: "UTC",
      ordered: true,
      lowered: "äö",
    },
  ]);
  const wrong = new URL(url);
  wrong.password = "wrong";
  await expect(query(wrong.href, "select 1")).rejects.toThrow(/password authentication failed/);
  expect((await stat(join(home, "password"))).mode & 0o777).toBe(0o600);
});

test("an unexpected end is reported, an expected one is not", async () => {
  await beginMade();
  const told: string[] = [];
  const ending = Promise.withResolvers<void>();
  const postgres = await start({
    onUnexpectedExit: (reason) => {
      told.push(reason);
      ending.resolve();
    },
  });
  await postgres.stopImmediate();
  await postgres.restart();
  expect(told).toEqual([]);
  process.kill(postgres.pid ?? Number.NaN, "SIGKILL");
  await ending.promise;
  expect(told).toEqual(["SIGKILL"]);
  expect(postgres.pid).toBeNull();
});

test("two programs never manage the same files", async () => {
  await beginMade();
  await start();
  await expect(startEmbeddedPostgres({ home })).rejects.toThrow(/Process \d+ already runs the database/);
});

test("an interrupted first start leaves nothing that the next one takes for a database", async () => {
  await mkdir(join(home, "cluster.new"), { recursive: true });
  await chmod(join(folder, "data"), 0o711);
  await chmod(home, 0o711);
  await writeFile(join(home, "cluster.new", "PG_VERSION"), "18\n");
  const { url } = await start();
  expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  expect(await readdir(home)).not.toContain("cluster.new");
});

describe("when the program that started it is killed", () => {
  const killOwner = async (env: Record<string, string>): Promise<number> => {
    const owner = startProgram({
      command: [process.execPath, join(import.meta.dir, "../support/service/start-stubs/embedded.ts"), home],
      env,
    });
    const output = await owner.waitFor('"ready"');
    const { pid }: { pid: number } = JSON.parse(output.trim());
    owner.signal("SIGKILL");
    await owner.exited;
    return pid;
  };

  testUnless(unlessInstalled("setpriv"), "the server ends with it", async () => {
    await beginMade();
    await killOwner({});
    expect(await waitUntilGone(folder, stopMsMax)).toEqual([]);
  });

  test("a server that could not notice is ended by the next start", async () => {
    await beginMade();
    // Without setpriv the server does not notice that its parent died.
    const bin = join(folder, "bin");
    await mkdir(bin);
    for (const tool of ["id", "sh", "ps"]) {
      await symlink(Bun.which(tool) ?? "", join(bin, tool));
    }
    const pid = await killOwner({ PATH: bin });
    expect(findProcesses(folder).some((command) => command.startsWith(`${pid} `))).toBe(true);
    const reports: string[] = [];
    const { url } = await start({ report: (line) => reports.push(line) });
    expect(reports).toEqual([`stopping a Postgres (process ${pid}) left over from an earlier start`]);
    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
  });

  test("a process that only has the same number is left alone", async () => {
    await beginMade();
    const first = await start();
    await first.stop();
    const stranger = Bun.spawn(["sleep", "60"]);
    try {
      await writeFile(join(first.directory, "postmaster.pid"), `${stranger.pid}\n${first.directory}\n`);
      await start();
      expect(stranger.exitCode).toBeNull();
    } finally {
      stranger.kill();
    }
  });
});

describeUnless(unlessRoot, "as root", () => {
  test("the server runs as another user", async () => {
    const { pid, directory } = await start();
    expect((await stat(`/proc/${pid}`)).uid).not.toBe(0);
    expect((await stat(directory)).uid).toBe((await stat(`/proc/${pid}`)).uid);
  });

  test("if the folder is closed to that user, the files are outside, later starts find them, and a copied folder gets its own", async () => {
    await chmod(folder, 0o700);
    const reports: string[] = [];
    const first = await start({ report: (line) => reports.push(line) });
    expect(first.directory.startsWith(folder)).toBe(false);
    expect(reports.join()).toContain("because their user may not enter");
    await query(first.url, "create table kept (id int)");
    await first.stop();

    const second = await start();
    expect(second.directory).toBe(first.directory);
    expect(await query(second.url, "select count(*)::int as n from kept")).toEqual([{ n: 0 }]);

    const copied = join(folder, "copy", "postgres");
    await mkdir(copied, { recursive: true });
    for (const name of ["place.json", "password"]) {
      await Bun.write(join(copied, name), Bun.file(join(home, name)));
    }
    const copy = await startEmbeddedPostgres({ home: copied, isDurable: false });
    running.push(copy);
    expect(copy.directory).not.toBe(first.directory);
    expect(await query(copy.url, "select to_regclass('kept') as found")).toEqual([{ found: null }]);
    await Promise.all([second.destroy(), copy.destroy()]);
    expect(await Bun.file(join(first.directory, "PG_VERSION")).exists()).toBe(false);
  });
});
