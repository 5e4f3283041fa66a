import { copyFileSync, existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/** Manifest and lock file under other names, because these packages belong to the measurement and not to the workspace. */
const lockedFolder = join(import.meta.dir, "locked");
const installFolder = join(import.meta.dir, "../../.data/lighthouse/packages");
const programInPackage = "cli/index.js";

/**
 * The program of Lighthouse: that of the folder which `LIGHTHOUSE` names, or else the one of the lock file, installed
 * if it is missing.
 * @throws Error when there is none and it can't be installed
 */
export function findLighthouse(): string {
  const { LIGHTHOUSE = "" } = process.env;
  if (LIGHTHOUSE !== "") {
    const program = join(LIGHTHOUSE, programInPackage);
    if (!existsSync(program)) {
      throw new Error(`LIGHTHOUSE has to name the folder of the package; there is no ${program}`);
    }
    return program;
  }
  mkdirSync(installFolder, { recursive: true });
  copyFileSync(join(lockedFolder, "manifest.json"), join(installFolder, "package.json"));
  copyFileSync(join(lockedFolder, "packages.lock"), join(installFolder, "bun.lock"));
  const install = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile", "--ignore-scripts"], {
    cwd: installFolder,
    stdout: "ignore",
    stderr: "pipe",
  });
  if (!install.success) {
    throw new Error(`Lighthouse could not be installed: ${install.stderr.toString().trim()}`);
  }
  return join(installFolder, "node_modules/lighthouse", programInPackage);
}
