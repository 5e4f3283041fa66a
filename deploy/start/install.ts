import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Report, runStep } from "./progress.ts";
import { StartError } from "./start-error.ts";

// This file runs before any package is installed: it may import only what comes with Bun.

/** Which packages: those that running takes, or also those of tests and checks, which are as large again. */
export type PackageScope = "run" | "all";

const stampName = ".sluice-packages";
const aliveIntervalMs = 5_000;

const scopeWords: Readonly<Record<PackageScope, readonly string[]>> = {
  run: ["--omit=dev", "--filter=!@sluice/tests"],
  all: [],
};

/**
 * Installs the packages of the checkout if the installed ones don't match its lock file or are too few. Silent when
 * there is nothing to do. A checkout that has all packages keeps all, whatever the scope.
 * @returns whether it installed anything; the calling process then can't import packages, see `startOver`
 * @throws StartError when the installation fails
 */
export async function ensureInstalled(root: string, wanted: PackageScope): Promise<boolean> {
  const stampFile = join(root, "node_modules", stampName);
  const present = await readFile(stampFile, "utf8").catch(() => "");
  const scope = present.startsWith("all ") ? "all" : wanted;
  const stamp = `${scope} ${await hashManifests(root)}`;
  if (present === stamp) {
    return false;
  }
  await runStep(
    "packages",
    "installing (takes a few minutes on a slow connection, only the first time)",
    async (remark) => {
      await install(root, scope, remark);
      await writeFile(stampFile, stamp);
      return { summary: "installed" };
    },
  );
  return true;
}

/**
 * Replaces this process by a fresh one that runs the same program. Bun remembers which folders were empty, so a process
 * that is older than the packages can't import them.
 */
export function startOver(program: string): never {
  process.execve?.(process.execPath, [process.execPath, program, ...process.argv.slice(2)], { ...process.env });
  throw new StartError("The packages are installed now. Start again.");
}

/** The lock file alone is not enough: a changed package.json has to be noticed too. */
async function hashManifests(root: string): Promise<string> {
  const hash = createHash("sha256");
  for (const file of ["bun.lock", "bunfig.toml", ...(await findManifests(root))]) {
    hash.update(`${file}\n`).update(await readFile(join(root, file)));
  }
  return hash.digest("hex");
}

async function findManifests(root: string): Promise<string[]> {
  const { workspaces }: { workspaces: string[] } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const manifests = ["package.json"];
  for (const pattern of workspaces) {
    const folder = pattern.replace(/\/\*$/, "");
    const names = pattern.endsWith("/*") ? (await readdir(join(root, folder))).sort() : [""];
    manifests.push(...names.map((name) => join(folder, name, "package.json")));
  }
  return manifests.filter((file) => existsSync(join(root, file)));
}

/** Uses the same Bun that runs this, because there may be no other one on the machine. */
async function install(root: string, scope: PackageScope, remark: Report): Promise<void> {
  const startedAt = performance.now();
  const child = Bun.spawn([process.execPath, "install", "--frozen-lockfile", ...scopeWords[scope]], {
    cwd: root,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const timer = setInterval(() => {
    remark(`still installing, ${Math.round((performance.now() - startedAt) / 1_000)} s so far`);
  }, aliveIntervalMs);
  try {
    const [stdout, stderr, exitCode] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    if (exitCode !== 0) {
      throw new StartError(`The packages could not be installed:\n${stderr.trim()}\n${stdout.trim()}`);
    }
  } finally {
    clearInterval(timer);
  }
}
