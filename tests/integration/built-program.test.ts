import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import {
  appendFile,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { buildInputs } from "@sluice/deploy/start/built-program";
import type { ProgramCommands } from "@sluice/deploy/start/program-sources";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { diskTmpdir } from "../runner/run-folder.ts";
import { testUnless, unlessInstalled } from "../support/service/obstacles.ts";
import { SluiceRig } from "../support/service/sluice.ts";
import { repositoryRoot, type StartedProgram, startProgram } from "../support/service/start-process.ts";
import { listFiles } from "../tidy/tree.ts";

let folder = "";
let checkout = "";
let builds = "";

/** A clone of what a build is made of, with the packages of this checkout. */
beforeAll(async () => {
  folder = await mkdtemp(join(diskTmpdir(), "sluice built "));
  checkout = join(folder, "a clone");
  builds = join(checkout, "control-plane/dist");
  const files = listFiles().filter((file) => /^(control-plane|packages|deploy)\/|^[^/]+$/.test(file));
  for (const file of files) {
    await mkdir(dirname(join(checkout, file)), { recursive: true });
    await copyFile(join(repositoryRoot, file), join(checkout, file));
  }
  // Its packages are there under the names of their versions; those of each workspace link to them.
  await mkdir(join(checkout, "node_modules/.bun/zod@1.0.0"), { recursive: true });
  for (const manifest of files.filter((file) => /\/package\.json$/.test(file))) {
    const packages = join(dirname(manifest), "node_modules");
    if (existsSync(join(repositoryRoot, packages))) {
      await symlink(join(repositoryRoot, packages), join(checkout, packages));
    }
  }
});

beforeEach(async () => {
  await rm(builds, { recursive: true, force: true });
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** What a start asks for: prints the commands of the build, or null. */
const asking = `
  import { builtCommands } from "./deploy/start/built-program.ts";
  console.log(JSON.stringify(await builtCommands(process.cwd())));`;

function ask(prefix: readonly string[] = []): StartedProgram {
  return startProgram({ command: [...prefix, process.execPath, "--eval", asking], cwd: checkout, env: {} });
}

type Answer = { readonly commands: ProgramCommands | null; readonly said: string };

async function answerOf(program: StartedProgram): Promise<Answer> {
  expect(await program.exited).toBe(0);
  const lines = program.output().trimEnd().split("\n");
  const answer = lines.findIndex((line) => /^(\{.*\}|null)$/.test(line));
  return { commands: JSON.parse(lines[answer] ?? ""), said: lines.toSpliced(answer, 1).join("\n") };
}

function folderOf(answer: Answer): string {
  return dirname(answer.commands?.worker[0] ?? "");
}

/** What the program that checks the settings says of one that is refused. */
async function complaint({ commands }: Answer, options: readonly string[] = [], env = {}): Promise<string> {
  const command = [process.execPath, ...options, ...(commands?.check ?? [])];
  const program = startProgram({ command, env: { DATABASE_URL: "postgres://h/d", LOG_LEVEL: "loud", ...env } });
  expect(await program.exited).toBe(1);
  return program.output();
}

test("the program is built once, and again when a source or the versions of packages changed", async () => {
  const first = await answerOf(ask());
  expect(first.said).toMatch(/^ {2}program {6}built \(.*\)$/m);
  expect(await complaint(first)).toContain("The configuration is not usable. LOG_LEVEL");
  expect(await answerOf(ask())).toEqual({ ...first, said: "" });

  const source = join(checkout, "control-plane/src/platform/config.ts");
  const text = await readFile(source, "utf8");
  await writeFile(source, text.replaceAll("The configuration is not usable", "The configuration is not useful"));
  // Copies keep times.
  await utimes(source, 0, 0);
  const changed = await answerOf(ask());
  await writeFile(source, text);
  expect(await complaint(changed)).toContain("The configuration is not useful. LOG_LEVEL");

  await appendFile(join(checkout, "bun.lock"), "\n");
  expect(folderOf(await answerOf(ask()))).not.toBe(folderOf(first));
  await copyFile(join(repositoryRoot, "bun.lock"), join(checkout, "bun.lock"));
  expect(await answerOf(ask())).toEqual({ ...first, said: "" });
});

test("packages that are installed after a build for their lock file are in the next one", async () => {
  const before = folderOf(await answerOf(ask()));
  const installed = join(checkout, "node_modules/.bun");
  await rename(join(installed, "zod@1.0.0"), join(installed, "zod@1.0.1"));
  expect(folderOf(await answerOf(ask()))).not.toBe(before);
  await rename(join(installed, "zod@1.0.1"), join(installed, "zod@1.0.0"));
  expect(folderOf(await answerOf(ask()))).toBe(before);
});

test("every source in a build is one that its name depends on", async () => {
  const program = startProgram({ command: [process.execPath, "deploy/start/build-program.ts"], env: {} });
  expect(await program.exited).toBe(0);
  const [, built = ""] = /"directory":"(.*)"/.exec(program.output()) ?? [];
  const sources = new Set<string>();
  for (const map of (await readdir(built)).filter((name) => name.endsWith(".map"))) {
    const read: { readonly sources: readonly string[] } = JSON.parse(await readFile(join(built, map), "utf8"));
    for (const source of read.sources) {
      sources.add(relative(repositoryRoot, resolve(built, source)));
    }
  }
  const own = [...sources].filter((file) => !file.includes("node_modules"));
  expect(own.length).toBeGreaterThan(500);
  const globs = buildInputs.map((pattern) => new Bun.Glob(pattern));
  expect(own.filter((file) => !globs.some((glob) => glob.match(file)))).toEqual([]);
});

test("starts at the same time use one whole build", async () => {
  const answers = await Promise.all([ask(), ask(), ask()].map(answerOf));
  const [first] = answers;
  for (const answer of answers) {
    expect(answer.commands).toEqual(first?.commands ?? null);
    expect(await complaint(answer)).toContain("LOG_LEVEL");
  }
  expect(await readdir(builds)).toHaveLength(1);
});

test("a build that was killed is not used, and what it left is removed later", async () => {
  const killed = ask();
  while (!existsSync(builds) || (await readdir(builds)).length === 0) {
    await Bun.sleep(1);
  }
  killed.signal("SIGKILL");
  await killed.exited;
  const [draft = ""] = await readdir(builds);
  expect(draft).toEndWith(".tmp");
  const next = await answerOf(ask());
  expect(next.said).toContain("built");
  expect(await complaint(next)).toContain("LOG_LEVEL");
  // The bundler may end later than the start that it belongs to.
  await mkdir(join(builds, draft), { recursive: true });
  await utimes(join(builds, draft), 0, 0);
  await appendFile(join(checkout, "bun.lock"), "\n");
  await answerOf(ask());
  await copyFile(join(repositoryRoot, "bun.lock"), join(checkout, "bun.lock"));
  expect((await readdir(builds)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("where no build can be kept, the program runs from source, and one line says why", async () => {
  await writeFile(builds, "");
  const { commands, said } = await answerOf(ask());
  expect(commands).toBeNull();
  expect(said).toMatch(/^ {2}program {6}runs from source, .*can't be built: .*EEXIST.*$/m);
});

testUnless(
  unlessInstalled("prlimit"),
  "a build that does not fit on the disk leaves nothing, nor what killed ones left, and is not used",
  async () => {
    await mkdir(join(builds, "killed.1.tmp"), { recursive: true });
    await utimes(join(builds, "killed.1.tmp"), 0, 0);
    const { commands, said } = await answerOf(ask(["prlimit", "--fsize=100000"]));
    expect(commands).toBeNull();
    expect(said).toContain("runs from source");
    expect(await readdir(builds)).toEqual([]);
  },
);

test("a trace of a built program names files and lines of the source", async () => {
  const preload = join(folder, "trace.ts");
  await writeFile(
    preload,
    `const { canParse } = URL;
    URL.canParse = (...words) => {
      console.error(new Error("seen").stack);
      return canParse(...words);
    };`,
  );
  const told = await complaint(await answerOf(ask()), ["--preload", preload], { PUBLIC_BASE_URL: "http://h" });
  const [, file = "", line = ""] = /\((.*control-plane\/src\/platform\/config\.ts):(\d+):\d+\)/.exec(told) ?? [];
  expect([told, file]).toEqual([told, join(checkout, "control-plane/src/platform/config.ts")]);
  expect((await readFile(file, "utf8")).split("\n")[Number(line) - 1]).toContain("URL.canParse");
});

test("a built program reads no source: it serves, and its threads commit calls and find their fonts", async () => {
  const answer = await answerOf(ask());
  const provider = startSandboxProvider();
  const rig = await SluiceRig.create(provider.url);
  await rename(join(checkout, "control-plane/src"), join(folder, "src"));
  try {
    const { apiKey } = await rig.addUser();
    const served = await rig.startProcess({}, answer.commands?.worker[0]);
    const called = await fetch(`${served.url}/v1/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${apiKey}`, "content-type": "application/json" },
      body: JSON.stringify({ model: "gpt-4o-mini", messages: [{ role: "user", content: "Hello" }] }),
    });
    expect(await called.json()).toMatchObject({ object: "chat.completion" });
    await rig.waitForUsageRows(1);
    // The backend is a part that is read now.
    expect((await fetch(`${served.url}/backend/openapi.json`)).status).toBe(200);
    const thread = join(folderOf(answer), "render-thread.js");
    const drawing = startProgram({
      command: [process.execPath, "--eval", `await import(${JSON.stringify(thread)}); process.exit(0);`],
      env: {},
    });
    expect([await drawing.exited, drawing.output()]).toEqual([0, ""]);
  } finally {
    await rename(join(folder, "src"), join(checkout, "control-plane/src"));
    await rig.close();
    await provider.stop();
  }
});
