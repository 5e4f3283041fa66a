import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { firstObstacle, type Obstacle, unlessInstalled } from "../service/obstacles.ts";
import { repositoryRoot } from "../service/start-process.ts";

const rootMsMax = 170_000;

/** The C library of Debian for arm64, as programs of arm64 find it. */
export const armRoot = join(repositoryRoot, ".data/arm64-root");

/**
 * Makes that root once.
 * @returns why programs of arm64 can't run here, or null
 */
export function makeArmRoot(): Obstacle {
  const missing = firstObstacle(unlessInstalled("qemu-aarch64", "mmdebstrap", "apt-get"));
  if (missing !== null || existsSync(armRoot)) {
    return missing;
  }
  const suite = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
  if (suite === undefined) {
    return "the release of this distribution has no name";
  }
  const part = `${armRoot}.${process.pid}`;
  mkdirSync(part, { recursive: true });
  const words = ["--quiet", "--variant=extract", "--architectures=arm64", "--include=libc6,libgcc-s1,libstdc++6"];
  const made = Bun.spawnSync(["mmdebstrap", ...words, suite, part], {
    stdout: "ignore",
    stderr: "pipe",
    timeout: rootMsMax,
  });
  if (!made.success) {
    rmSync(part, { recursive: true, force: true });
    return `no root of arm64 could be made out of packages: ${made.stderr.toString().trim().slice(-200)}`;
  }
  renameSync(part, armRoot);
  return null;
}
