import { open } from "node:fs/promises";
import { basename, join } from "node:path";
import { formatDuration, say } from "../start/progress.ts";
import { StartError } from "../start/start-error.ts";
import type { BackupFile } from "./manifest.ts";

const progressMs = 2_000;
const complaintBytesMax = 2_000;

export type Program = {
  readonly command: readonly string[];
  /** The environment for the command; by default that of this program. */
  readonly env?: Record<string, string | undefined>;
  /** The exit codes that mean success; by default 0. */
  readonly goodCodes?: readonly number[];
};

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Reports the number of bytes every two seconds. @returns a function that stops it */
function reportProgress(title: string, doing: string, bytes: () => number): () => void {
  const timer = setInterval(() => say(title, `${doing} ${megabytes(bytes())} ...`), progressMs);
  return () => clearInterval(timer);
}

async function expectSuccess(name: string, child: Bun.Subprocess, complaint: Promise<string>, codes = [0]) {
  const [exitCode, errorOutput] = await Promise.all([child.exited, complaint]);
  if (!codes.includes(exitCode)) {
    throw new StartError(`${name} failed with exit code ${exitCode}: ${errorOutput.trim().slice(-complaintBytesMax)}`);
  }
}

/**
 * Writes a program's output to a new file that only we may read, through the command that encrypts it if there is one.
 * @throws StartError with the program's error output
 */
export async function writeArchive(path: string, program: Program, encrypt: string | null): Promise<BackupFile> {
  const startedAt = performance.now();
  const source = Bun.spawn([...program.command], {
    env: program.env ?? process.env,
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const filter =
    encrypt === null
      ? null
      : Bun.spawn(["sh", "-c", encrypt], { stdin: source.stdout, stdout: "pipe", stderr: "pipe" });
  const complaints = [source, filter].map((child) => child?.stderr.text() ?? Promise.resolve(""));
  const file = await open(path, "wx", 0o600);
  const hasher = new Bun.CryptoHasher("sha256");
  const name = basename(path);
  let bytes = 0;
  const stop = reportProgress(name, "written", () => bytes);
  try {
    for await (const part of (filter ?? source).stdout) {
      hasher.update(part);
      await file.write(part);
      bytes += part.length;
    }
    await file.sync();
  } finally {
    stop();
    await file.close();
  }
  await expectSuccess(program.command[0] ?? "", source, complaints[0] ?? Promise.resolve(""), [
    ...(program.goodCodes ?? [0]),
  ]);
  if (filter !== null) {
    await expectSuccess("The command that encrypts", filter, complaints[1] ?? Promise.resolve(""));
  }
  say(name, `${megabytes(bytes)} (${formatDuration(performance.now() - startedAt)})`);
  return { name, bytes, sha256: hasher.digest("hex") };
}

/** @throws StartError when a file is missing, or has changed since it was written */
export async function checkFiles(folder: string, files: readonly BackupFile[]): Promise<void> {
  for (const { name, bytes, sha256 } of files) {
    const file = Bun.file(join(folder, name));
    if (!(await file.exists()) || file.size !== bytes) {
      throw new StartError(`${name} of the backup is missing or has another length. This backup can't be used.`);
    }
    const hasher = new Bun.CryptoHasher("sha256");
    let seen = 0;
    const stop = reportProgress(name, "checked", () => seen);
    for await (const part of file.stream()) {
      hasher.update(part);
      seen += part.length;
    }
    stop();
    if (hasher.digest("hex") !== sha256) {
      throw new StartError(`${name} of the backup does not have its checksum. This backup can't be used.`);
    }
  }
}

/**
 * Passes a file of a backup to a program, through the command that decrypts it if there is one.
 * @throws StartError with the program's error output
 */
export async function readArchive(path: string, program: Program, decrypt: string | null): Promise<void> {
  const startedAt = performance.now();
  const filter = decrypt === null ? null : Bun.spawn(["sh", "-c", decrypt], { stdin: Bun.file(path), stderr: "pipe" });
  const target = Bun.spawn([...program.command], {
    env: program.env ?? process.env,
    stdin: filter === null ? Bun.file(path) : filter.stdout,
    stdout: "ignore",
    stderr: "pipe",
  });
  const complaints = [filter, target].map((child) => child?.stderr.text() ?? Promise.resolve(""));
  if (filter !== null) {
    await expectSuccess("The command that decrypts", filter, complaints[0] ?? Promise.resolve(""));
  }
  await expectSuccess(program.command[0] ?? "", target, complaints[1] ?? Promise.resolve(""), [
    ...(program.goodCodes ?? [0]),
  ]);
  say(basename(path), `restored (${formatDuration(performance.now() - startedAt)})`);
}
