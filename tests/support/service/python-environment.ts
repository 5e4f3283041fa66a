import { existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { tryClaim } from "./claim.ts";
import { type Obstacle, unlessInstalled } from "./obstacles.ts";
import { repositoryRoot } from "./start-process.ts";

const installMsMax = 300_000;
const pollMs = 100;

/** An environment of Python with packages of its own, made where a test that will run needs it. */
class PythonEnvironment {
  readonly #folder: string;
  readonly #packages: string;

  /** @param packages the file that lists them with their versions, from the root of the repository */
  constructor(name: string, packages: string) {
    this.#folder = join(repositoryRoot, ".data/python-environments", name);
    this.#packages = join(repositoryRoot, packages);
  }

  get python(): string {
    return join(this.#folder, "bin/python3");
  }

  /**
   * Installs the packages into `.data/`.
   * @returns why it can't be used here, or null
   */
  install(): Obstacle {
    if (existsSync(this.#folder)) {
      return null;
    }
    const missing = unlessInstalled("python3");
    if (missing !== null) {
      return missing;
    }
    const claim = `${this.#folder}.claim`;
    this.#claim(claim);
    try {
      return existsSync(this.#folder) ? null : this.#make();
    } finally {
      rmSync(claim, { force: true });
    }
  }

  /**
   * Returns when no other test file installs the same, or has done so for too long: two installations only take more time.
   */
  #claim(claim: string): void {
    for (const deadline = Date.now() + installMsMax; !tryClaim(claim) && Date.now() < deadline; ) {
      Bun.sleepSync(pollMs);
    }
  }

  #make(): Obstacle {
    // Moved when it is complete, so that an interrupted installation is begun again. Scripts of the environment would
    // keep the old name; only its interpreter is used.
    const made = `${this.#folder}.${process.pid}`;
    const interpreter = join(made, "bin/python3");
    // A pip of its own and compiled packages would take a third of the processor time, and are of use for many runs only.
    const system = Bun.which("python3") ?? "";
    const hasPip = Bun.spawnSync(["python3", "-m", "pip", "--python", system, "--version"]).success;
    const pip = hasPip ? ["python3", "-m", "pip", "--python", interpreter] : [interpreter, "-m", "pip"];
    const options = ["--quiet", "--disable-pip-version-check", "--no-compile", "--only-binary", ":all:"];
    for (const command of [
      ["python3", "-m", "venv", ...(hasPip ? ["--without-pip"] : []), made],
      [...pip, "install", ...options, "--requirement", this.#packages],
    ]) {
      const run = Bun.spawnSync(command, { stdout: "ignore", stderr: "pipe", timeout: installMsMax });
      if (!run.success) {
        rmSync(made, { recursive: true, force: true });
        return `${this.#packages} could not be installed: ${run.stderr.toString().trim().slice(-200)}`;
      }
    }
    try {
      renameSync(made, this.#folder);
    } catch (error) {
      // Another test file has installed the same in the meantime.
      rmSync(made, { recursive: true, force: true });
      if (!existsSync(this.#folder)) {
        throw error;
      }
    }
    return null;
  }
}

/** LiteLLM wants other versions of the packages than the rest. */
export const liteLlmEnvironment = new PythonEnvironment("litellm", "tests/conformance/litellm-packages.txt");

/** Schemas of Kubernetes and of compose files; more than a hundred megabytes, which nothing else needs. */
export const schemaEnvironment = new PythonEnvironment("schemas", "tests/integration/deploy/schema-packages.txt");
