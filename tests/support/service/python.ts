import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Obstacle, unlessInstalled } from "./obstacles.ts";
import { repositoryRoot } from "./start-process.ts";

const own = join(repositoryRoot, ".data/python/bin/python3");

/** The Python that has the packages of `tests/python-packages.txt`, where `.ci/run` made one; else that of the machine. */
export const python = existsSync(own) ? own : "python3";

export const unlessPython: Obstacle = python === own ? null : unlessInstalled(python);

/** The obstacle of what needs this module of Python. */
export function unlessPythonHas(module: string): Obstacle {
  if (unlessPython !== null) {
    return unlessPython;
  }
  const imported = Bun.spawnSync([python, "-c", `import ${module}`], { stdout: "ignore", stderr: "ignore" });
  return imported.success ? null : `python3 has no ${module}`;
}
