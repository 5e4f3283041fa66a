import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/** The program of an agent that is not a package of the workspace. */
export class AgentProgram {
  readonly #name: string;
  readonly #packageName: string;
  /** Where the package has the program. */
  readonly path: string;

  /**
   * @param name the folder in `tests/e2e` with manifest and lock file, which have other names there
   * @param programPath the path of the program in `node_modules`
   */
  constructor(name: string, packageName: string, programPath: string) {
    this.#name = name;
    this.#packageName = packageName;
    this.path = join(this.#folder, "node_modules", programPath);
  }

  get #folder(): string {
    return join(import.meta.dir, "../../../.data/agents", this.#name);
  }

  /**
   * Installs the agent at its pinned version into `.data/`.
   * @returns why it can't be run here, or null
   */
  install(): string | null {
    if (existsSync(this.path)) {
      return null;
    }
    const lockedFolder = join(import.meta.dir, "../../e2e", this.#name);
    mkdirSync(this.#folder, { recursive: true });
    copyFileSync(join(lockedFolder, "manifest.json"), join(this.#folder, "package.json"));
    copyFileSync(join(lockedFolder, "packages.lock"), join(this.#folder, "bun.lock"));
    const install = Bun.spawnSync(
      [process.execPath, "install", "--frozen-lockfile", "--ignore-scripts", "--linker", "hoisted"],
      { cwd: this.#folder, stdout: "ignore", stderr: "pipe", timeout: 180_000 },
    );
    if (!install.success) {
      return `${this.#packageName} could not be installed: ${install.stderr.toString().trim().slice(-200)}`;
    }
    return existsSync(this.path) ? null : `${this.#packageName} has no program for ${process.platform}-${process.arch}`;
  }
}
