import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { firstObstacle, type Obstacle, unlessInstalled } from "../service/obstacles.ts";
import { repositoryRoot, type StartedProgram, startProgram } from "../service/start-process.ts";

/** The least that the Containerfile needs of its base. */
const basePackages = "bash,dash,coreutils,libc-bin,libc6,base-files";
const baseMsMax = 170_000;

/** A root made of packages of this machine's distribution, as the base of a container image. */
export const containerBase = join(repositoryRoot, ".data/container-base.tar");

/**
 * Makes the base once, where a test that will run needs it.
 * @returns why that is not possible here, or null
 */
export function makeContainerBase(): Obstacle {
  if (existsSync(containerBase)) {
    return null;
  }
  const missing = firstObstacle(unlessInstalled("mmdebstrap", "apt-get"));
  const suite = /^VERSION_CODENAME=(\w+)$/m.exec(readFileSync("/etc/os-release", "utf8"))?.[1];
  if (missing !== null || suite === undefined) {
    return missing ?? "the release of this distribution has no name";
  }
  mkdirSync(join(repositoryRoot, ".data"), { recursive: true });
  const part = `${containerBase}.${process.pid}.tar`;
  const made = Bun.spawnSync(["mmdebstrap", "--quiet", "--variant=extract", `--include=${basePackages}`, suite, part], {
    stdout: "ignore",
    stderr: "pipe",
    timeout: baseMsMax,
  });
  if (!made.success) {
    rmSync(part, { force: true });
    return `no root could be made out of packages: ${made.stderr.toString().trim().slice(-200)}`;
  }
  renameSync(part, containerBase);
  return null;
}

/** As a container with a root that can only be read, one volume, and the account of the image. */
const inContainer = `set -e
mount --bind "$1" "$1"
mkdir -p "$1/proc" "$1/dev"
mount -o remount,ro,bind "$1"
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
mount -t tmpfs -o uid=65532,gid=65532,mode=0700 tmpfs "$1/data"
root=$1; shift
exec chroot --userspec=65532:65532 "$root" "$@"`;

/** What an image says of itself and what it holds. */
export type UnpackedImage = {
  /** The folder with its files. */
  readonly files: string;
  readonly command: readonly string[];
  /** Variables such as `PORT=3000`. */
  readonly env: readonly string[];
};

/** Starts the command of an image in namespaces; needs root, unshare and chroot. */
export function startInContainer(image: UnpackedImage, env: Readonly<Record<string, string>>): StartedProgram {
  // Its path has only its own programs; those that make the container are found by ours.
  const { PATH: _, ...own } = Object.fromEntries(image.env.map((each) => each.split("=") as [string, string]));
  return startProgram({
    command: ["unshare", "--mount", "sh", "-c", inContainer, "sh", image.files, ...image.command],
    env: { ...own, ...env },
  });
}
