import { afterEach, beforeEach, expect, test } from "bun:test";
import { chmod, copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { findFreePort } from "@sluice/deploy/start/port";
import { outsideRoots } from "@sluice/deploy/start/postgres/place";
import { diskTmpdir } from "../runner/run-folder.ts";
import {
  describeUnless,
  firstObstacle,
  testUnless,
  unlessFull,
  unlessInstalled,
  unlessRoot,
} from "../support/service/obstacles.ts";
import {
  findProcesses,
  repositoryRoot,
  type StartedProgram,
  startProgram,
  waitUntilGone,
} from "../support/service/start-process.ts";
import { builtWeb } from "../support/web/web-build.ts";
import { listFiles } from "../tidy/tree.ts";

const stopMsMax = 60_000;
const bunPackage = `bun@${Bun.version}`;
/** Any account that is not root and has a name. */
const nobody = 65_534;

let folder = "";
let checkout = "";
let home = "";
let port = 0;
let programs: StartedProgram[] = [];
let outsideBefore: string[] = [];

/**
 * What root keeps outside of checkouts: the copy of the Postgres programs is shared, and may be older than this test.
 */
async function listOutside(): Promise<string[]> {
  const names = await readdir(outsideRoots[0]).catch(() => []);
  return names.filter((name) => /^(a-clone|postgres)-/.test(name)).map((name) => join(outsideRoots[0], name));
}

/** A copy of what is under version control, as a clone would bring it, in a folder whose name has spaces. */
beforeEach(async () => {
  folder = await mkdtemp(join(diskTmpdir(), "sluice fresh "));
  await chmod(folder, 0o711);
  checkout = join(folder, "a clone");
  home = join(folder, "home");
  await mkdir(home);
  for (const file of listFiles()) {
    await mkdir(dirname(join(checkout, file)), { recursive: true });
    await copyFile(join(repositoryRoot, file), join(checkout, file));
  }
  port = await findFreePort();
  programs = [];
  outsideBefore = await listOutside();
});

afterEach(async () => {
  for (const program of programs) {
    program.signal("SIGTERM");
    await program.exited;
  }
  expect(await waitUntilGone(folder, stopMsMax)).toEqual([]);
  const ours = (await listOutside()).filter((path) => !outsideBefore.includes(path));
  await Promise.all(ours.map((path) => rm(path, { recursive: true, force: true })));
  await rm(folder, { recursive: true, force: true });
});

/** What only tests and checks need. */
const testPackages = ["@biomejs/biome", "@sparticuz/chromium", "knip", "openai"];

/** The names of the installed packages. */
async function listPackages(): Promise<string[]> {
  const folders = await readdir(join(checkout, "node_modules/.bun"));
  return folders.map((name) => name.replace(/(?<=.)@.*/, "").replace("+", "/"));
}

type Way = {
  readonly command: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

function start(way: Way): StartedProgram {
  const started = startProgram({ command: way.command, cwd: checkout, env: { PORT: String(port), ...way.env } });
  programs.push(started);
  return started;
}

const bunStart: Way = { command: [process.execPath, "start"] };

/** Follows the printed instructions: sends the printed call with the printed key. */
async function followInstructions(program: StartedProgram): Promise<void> {
  const output = await program.waitFor(/-d '\{.*\}'\n/);
  const call = /curl (\S+) -H "Authorization: (Bearer \S+)" -H "Content-Type: application\/json" -d '(.+)'/.exec(
    output,
  );
  const [, url = "", authorization = "", body = ""] = call ?? [];
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization, "content-type": "application/json" },
    body,
  });
  const answer = (await response.json()) as { choices?: { message?: { content?: unknown } }[] };
  expect(response.status, JSON.stringify(answer)).toBe(200);
  expect(answer.choices?.[0]?.message?.content).toBeString();
}

async function stop(program: StartedProgram): Promise<void> {
  program.signal("SIGINT");
  expect(await program.exited).toBe(0);
  expect(await waitUntilGone(folder, stopMsMax)).toEqual([]);
}

/** The whole promise of the README, and again without the installation. */
async function startTwice(way: Way): Promise<void> {
  const first = start(way);
  await followInstructions(first);
  expect(first.output()).toContain("packages");
  expect(first.output()).toContain("program      built");
  await stop(first);

  const startedAt = performance.now();
  const second = start(way);
  await followInstructions(second);
  expect(performance.now() - startedAt).toBeLessThan(20_000);
  expect(second.output()).not.toContain("packages");
  expect(second.output()).not.toContain("program ");
  expect(findProcesses(join(checkout, "control-plane/dist"))).toHaveLength(1);
  await stop(second);
}

/**
 * Gives the clone the web UI that this run has built from the same sources, which takes 16 s of processor time. That its own
 * packages could build it is checked by loading the bundler.
 */
async function lendWeb(): Promise<void> {
  await cp(await builtWeb(), join(checkout, "web/dist"), { recursive: true });
}

async function loadBundler(): Promise<void> {
  const program = startProgram({
    command: [process.execPath, "--eval", 'await import("./web/build/bundle.ts");'],
    cwd: checkout,
    env: {},
  });
  expect([await program.exited, program.output()]).toEqual([0, ""]);
}

test("a fresh clone becomes a service that responds to the printed call without the packages of tests, and starts again without installing", async () => {
  const { HOME = "" } = process.env;
  if (unlessFull !== null) {
    await lendWeb();
  }
  // With the package cache of this machine; the test below has an empty one.
  await startTwice({ ...bunStart, env: { HOME } });
  const installed = await listPackages();
  expect(installed).toContain("vite");
  expect(testPackages.filter((name) => installed.includes(name))).toEqual([]);
  await loadBundler();
});

describeUnless(unlessFull, "with nothing on the machine but Node and npm, or Bun", () => {
  test("in an empty home folder", async () => {
    await startTwice({ ...bunStart, env: { HOME: home } });
  });

  testUnless(unlessInstalled("npx"), "started by npx", async () => {
    const way = { command: ["npx", "--yes", bunPackage, "start"], env: { HOME: home } };
    const program = start(way);
    await followInstructions(program);
    // npx passes the signal only to a shell; the service has to notice by itself that its parent is gone.
    program.signal("SIGTERM");
    await program.exited;
    expect(await waitUntilGone(folder, stopMsMax)).toEqual([]);
  });

  testUnless(unlessRoot, "as root below a home folder that is closed to everybody else", async () => {
    await chmod(folder, 0o700);
    await startTwice({ ...bunStart, env: { HOME: home } });
    const { directory }: { directory: string } = JSON.parse(
      await readFile(join(checkout, ".data/postgres/place.json"), "utf8"),
    );
    expect(directory.startsWith(folder)).toBe(false);
  });

  testUnless(firstObstacle(unlessRoot, unlessInstalled("setpriv")), "as an ordinary user", async () => {
    await Bun.$`chown -R ${nobody}:${nobody} ${folder}`.quiet();
    await chmod(folder, 0o700);
    const asNobody = ["setpriv", `--reuid=${nobody}`, `--regid=${nobody}`, "--clear-groups"];
    await startTwice({ command: [...asNobody, process.execPath, "start"], env: { HOME: home } });
    expect((await stat(join(checkout, ".data/postgres/cluster"))).uid).toBe(nobody);
  });

  test("the tests install what they need, too, and a later start keeps it", async () => {
    const first = start({ ...bunStart, env: { HOME: home } });
    await followInstructions(first);
    await stop(first);
    const program = start({ command: [process.execPath, "tests/run.ts", "tidy", "lockfile"], env: { HOME: home } });
    expect(await program.exited).toBe(0);
    expect(program.output()).toContain("packages");
    expect(program.output().trimEnd()).toMatch(/\n\d+ passed, 0 failed$/);
    expect(await listPackages()).toEqual(expect.arrayContaining([...testPackages]));
    const again = start({ ...bunStart, env: { HOME: home } });
    await followInstructions(again);
    expect(again.output()).not.toContain("packages");
    await stop(again);
  });
});
