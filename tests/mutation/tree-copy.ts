import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { testEnvironment } from "../runner/environment.ts";
import { runInGroup } from "../runner/process-group.ts";
import { listFiles, treeRoot } from "../tidy/tree.ts";
import { type Mutant, mutate } from "./mutant.ts";

const fileMsMax = 180_000;
const testMsMax = 60_000;

/** A copy of the tree with its packages, in which files can be changed. */
export type TreeCopy = {
  apply(mutant: Mutant): Promise<void>;
  restore(file: string): Promise<void>;
  /** Runs a file of tests. A file that hangs does not pass. */
  passes(file: string, postgresUrl: string): Promise<boolean>;
};

/** @throws Error when the packages can't be installed */
export async function copyTree(folder: string): Promise<TreeCopy> {
  for (const path of listFiles()) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(join(treeRoot, path), join(folder, path));
  }
  const installation = await runInGroup([process.execPath, "install", "--frozen-lockfile"], {
    cwd: folder,
    env: testEnvironment({}),
    timeoutMs: fileMsMax,
  });
  if (installation.exitCode !== 0) {
    throw new Error(`the packages of the copy can't be installed:\n${installation.output}`);
  }
  // The tree itself may change while this runs.
  const originals = new Map<string, string>();
  return {
    apply: async (mutant) => {
      const path = join(folder, mutant.file);
      const text = await readFile(path, "utf8");
      originals.set(mutant.file, text);
      await writeFile(path, mutate(text, mutant));
    },
    restore: async (file) => {
      const text = originals.get(file);
      if (text !== undefined) {
        await writeFile(join(folder, file), text);
      }
    },
    passes: async (file, postgresUrl) => {
      const added = postgresUrl === "" ? {} : { TEST_POSTGRES_URL: postgresUrl };
      const result = await runInGroup(
        [process.execPath, "test", "--bail", `--timeout=${testMsMax}`, `./tests/${file}`],
        {
          cwd: folder,
          env: testEnvironment(added),
          timeoutMs: fileMsMax,
        },
      );
      return result.exitCode === 0 && !result.isTimedOut;
    },
  };
}
