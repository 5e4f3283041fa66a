import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Obstacle, unlessInstalled } from "./obstacles.ts";
import { repositoryRoot } from "./start-process.ts";

const own = join(repositoryRoot, ".data/python/bin/python3");

/** The Python that has the packages of `tests/python-packages.txt`, where `.ci/run` made one; else that of the machine. */
export const python = existsSync(own) ? own : "python3";

export const unlessPython: Obstacle = python === own ? null : unlessInstalled(python);

const findModules = "import sys; from importlib.util import find_spec; sys.exit(not all(map(find_spec, sys.argv[1:])))";

/** The obstacle of what needs these modules of Python. */
export function unlessPythonHas(...modules: readonly string[]): Obstacle {
  if (unlessPython !== null) {
    return unlessPython;
  }
  // To import them would take seconds.
  const found = Bun.spawnSync([python, "-c", findModules, ...modules], { stdout: "ignore", stderr: "ignore" });
  return found.success ? null : `python3 has no ${modules.join(" or no ")}`;
}
