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
import { type ProgramCommands, programSources, threadSources } from "@sluice/deploy/start/program-sources";
import { startSandboxProvider } from "@sluice/sandbox-provider/server";
import { diskTmpdir } from "../runner/run-folder.ts";
import { testUnless, unlessInstalled } from "../support/service/obstacles.ts";
import { SluiceRig } from "../support/service/sluice.ts";
import { repositoryRoot, type StartedProgram, startProgram } from "../support/service/start-process.ts";
import { listFiles } from "../tidy/tree.ts";

let folder = "";
/** What a build is made of, with the packages of this checkout. */
let whole = "";
/** The same with programs of a line each, which are built in a moment. */
let small = "";

const buildsOf = (checkout: string): string => join(checkout, "control-plane/dist");
const settingsFile = "control-plane/src/platform/config.ts";
/** More than the smallest disk of these tests has room for. */
const paddingBytes = 200_000;

beforeAll(async () => {
  folder = await mkdtemp(join(diskTmpdir(), "sluice built "));
  whole = join(folder, "a clone");
  small = join(folder, "a small clone");
  const files = listFiles().filter((file) => /^(control-plane|packages|deploy)\/|^[^/]+$/.test(file));
  await copyFiles(files, whole);
  const isOfPrograms = (file: string): boolean => /^(control-plane|packages)\//.test(file);
  await copyFiles(
    files.filter((file) => !isOfPrograms(file) || file === "control-plane/package.json"),
    small,
  );
  const padding = "x".repeat(paddingBytes);
  await writeInto(
    settingsFile,
    `export const refuse = () => console.log("The configuration is not usable. LOG_LEVEL", process.env.NONE && "${padding}");`,
  );
  for (const program of [...Object.values(programSources), ...threadSources]) {
    const settings = relative(dirname(program), settingsFile);
    await writeInto(program, `import { refuse } from "./${settings}";\nrefuse();\nprocess.exitCode = 1;\n`);
  }
});

async function writeInto(file: string, text: string): Promise<void> {
  await mkdir(dirname(join(small, file)), { recursive: true });
  await writeFile(join(small, file), text);
}

async function copyFiles(files: readonly string[], checkout: string): Promise<void> {
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
}

beforeEach(async () => {
  await rm(buildsOf(small), { recursive: true, force: true });
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** What a start asks for: prints the commands of the build, or null. */
const asking = `
  import { builtCommands } from "./deploy/start/built-program.ts";
  console.log(JSON.stringify(await builtCommands(process.cwd())));`;

function ask(checkout = small, prefix: readonly string[] = []): StartedProgram {
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

  const source = join(small, settingsFile);
  const text = await readFile(source, "utf8");
  await writeFile(source, text.replaceAll("The configuration is not usable", "The configuration is not useful"));
  // Copies keep times.
  await utimes(source, 0, 0);
  const changed = await answerOf(ask());
  await writeFile(source, text);
  expect(await complaint(changed)).toContain("The configuration is not useful. LOG_LEVEL");

  await appendFile(join(small, "bun.lock"), "\n");
  expect(folderOf(await answerOf(ask()))).not.toBe(folderOf(first));
  await copyFile(join(repositoryRoot, "bun.lock"), join(small, "bun.lock"));
  expect(await answerOf(ask())).toEqual({ ...first, said: "" });
});

test("packages that are installed after a build for their lock file are in the next one", async () => {
  const before = folderOf(await answerOf(ask()));
  const installed = join(small, "node_modules/.bun");
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
  expect(await readdir(buildsOf(small))).toHaveLength(1);
});

test("a build that was killed is not used", async () => {
  const builds = buildsOf(whole);
  const killed = ask(whole);
  while (!existsSync(builds) || (await readdir(builds)).length === 0) {
    await Bun.sleep(1);
  }
  killed.signal("SIGKILL");
  await killed.exited;
  const [draft = ""] = await readdir(builds);
  expect(draft).toEndWith(".tmp");
  const next = await answerOf(ask(whole));
  expect(next.said).toContain("built");
  expect(await complaint(next)).toContain("LOG_LEVEL");
});

test("what a build that was killed left is removed later", async () => {
  const draft = join(buildsOf(small), "killed.1.tmp");
  await mkdir(draft, { recursive: true });
  await answerOf(ask());
  expect(existsSync(draft)).toBe(true);
  await utimes(draft, 0, 0);
  await appendFile(join(small, "bun.lock"), "\n");
  await answerOf(ask());
  await copyFile(join(repositoryRoot, "bun.lock"), join(small, "bun.lock"));
  expect((await readdir(buildsOf(small))).filter((name) => name.endsWith(".tmp"))).toEqual([]);
});

test("where no build can be kept, the program runs from source, and one line says why", async () => {
  await writeFile(buildsOf(small), "");
  const { commands, said } = await answerOf(ask());
  expect(commands).toBeNull();
  expect(said).toMatch(/^ {2}program {6}runs from source, .*can't be built: .*EEXIST.*$/m);
});

testUnless(
  unlessInstalled("prlimit"),
  "a build that does not fit on the disk leaves nothing, nor what killed ones left, and is not used",
  async () => {
    const draft = join(buildsOf(small), "killed.1.tmp");
    await mkdir(draft, { recursive: true });
    await utimes(draft, 0, 0);
    const { commands, said } = await answerOf(ask(small, ["prlimit", "--fsize=100000"]));
    expect(commands).toBeNull();
    expect(said).toContain("runs from source");
    expect(await readdir(buildsOf(small))).toEqual([]);
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
  const told = await complaint(await answerOf(ask(whole)), ["--preload", preload], { PUBLIC_BASE_URL: "http://h" });
  const [, file = "", line = ""] = /\((.*control-plane\/src\/platform\/config\.ts):(\d+):\d+\)/.exec(told) ?? [];
  expect([told, file]).toEqual([told, join(whole, settingsFile)]);
  expect((await readFile(file, "utf8")).split("\n")[Number(line) - 1]).toContain("URL.canParse");
});

test("a built program reads no source: it serves, and its threads commit calls and find their fonts", async () => {
  const answer = await answerOf(ask(whole));
  const provider = startSandboxProvider();
  const rig = await SluiceRig.create(provider.url);
  await rename(join(whole, "control-plane/src"), join(folder, "src"));
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
    await rename(join(folder, "src"), join(whole, "control-plane/src"));
    await rig.close();
    await provider.stop();
  }
});
