import { randomUUID } from "node:crypto";
import { copyFile, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { root, testEnvironment } from "./environment.ts";
import { type GroupResult, runInGroup } from "./process-group.ts";

/** Workspaces whose types are checked in one program. */
export type TypeProgram = {
  readonly workspaces: readonly string[];
  /** Null for a workspace with options of its own: its own configuration is used. */
  readonly config: object | null;
};

export type TypedWorkspace = {
  readonly folder: string;
  readonly include: readonly string[];
  readonly hasOptions: boolean;
};

/** Ignored by git; what the last run found out is kept here, by the content of the files. */
const keptFolder = ".data/types";

/**
 * Workspaces import each other as source, so that a program per workspace would check the contracts once for each: all
 * with the options of the root share one. The paths of its configuration are relative to the folder of what is kept.
 */
export function composePrograms(workspaces: readonly TypedWorkspace[]): TypeProgram[] {
  const shared = workspaces.filter(({ hasOptions }) => !hasOptions);
  const include = shared.flatMap((workspace) =>
    workspace.include.map((path) => `../../${join(workspace.folder, path)}`),
  );
  const together = {
    workspaces: shared.map(({ folder }) => folder),
    config: { extends: "../../tsconfig.json", include },
  };
  const others = workspaces.filter(({ hasOptions }) => hasOptions);
  return [together, ...others.map(({ folder }) => ({ workspaces: [folder], config: null }))];
}

export async function listTypePrograms(): Promise<TypeProgram[]> {
  const { workspaces }: { workspaces: string[] } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const typed: TypedWorkspace[] = [];
  for (const pattern of workspaces) {
    const parent = pattern.replace(/\/\*$/, "");
    const names = pattern.endsWith("/*") ? (await readdir(join(root, parent))).sort() : [""];
    for (const folder of names.map((name) => join(parent, name))) {
      const file = Bun.file(join(root, folder, "tsconfig.json"));
      if (await file.exists()) {
        typed.push(readConfig(folder, await file.text()));
      }
    }
  }
  return composePrograms(typed);
}

/** @throws Error when the configuration has a setting that a program of several workspaces would drop */
function readConfig(folder: string, text: string): TypedWorkspace {
  const { extends: base, include, compilerOptions, ...others } = JSON.parse(text);
  const isKnown = typeof base === "string" && join(folder, base) === "tsconfig.json" && Array.isArray(include);
  if (!isKnown || Object.keys(others).length > 0) {
    throw new Error(`${folder}/tsconfig.json extends that of the root, with "include" and "compilerOptions" only.`);
  }
  return { folder, include, hasOptions: compilerOptions !== undefined };
}

/** Where the programs are, what checks them, and for how long it may run. */
export type TypeCheck = { readonly tree: string; readonly compiler: string; readonly timeoutMs: number };

/**
 * Runs the compiler with what it kept of the last run: it checks the files whose content changed, and those they
 * matter to. One checker, because several resolve the same types again. What is kept is replaced in one step, so that
 * two runs at a time never mix.
 */
export async function checkTypes(program: TypeProgram, options: TypeCheck): Promise<GroupResult> {
  const folder = join(options.tree, keptFolder);
  const kept = join(folder, `${program.config === null ? program.workspaces.join() : "shared"}.tsbuildinfo`);
  const own = join(folder, randomUUID());
  await mkdir(folder, { recursive: true });
  await copyFile(kept, `${own}.tsbuildinfo`).catch(ignoreMissing);
  try {
    if (program.config !== null) {
      await writeFile(`${own}.json`, JSON.stringify(program.config));
    }
    const project = program.config === null ? program.workspaces.join() : `${own}.json`;
    const incremental = ["--incremental", "--tsBuildInfoFile", `${own}.tsbuildinfo`, "--checkers", "1"];
    const result = await runInGroup([process.execPath, options.compiler, "-p", project, ...incremental], {
      cwd: options.tree,
      // The compiler ends soon, so that most of its collections of garbage are in vain.
      env: testEnvironment({ GOGC: "300" }),
      timeoutMs: options.timeoutMs,
    });
    await rename(`${own}.tsbuildinfo`, kept).catch(ignoreMissing);
    return result;
  } finally {
    await rm(`${own}.json`, { force: true });
    await rm(`${own}.tsbuildinfo`, { force: true });
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== "ENOENT") {
    throw error;
  }
}
