import { randomUUID } from "node:crypto";
import { mkdir, readFile, rm, statfs, writeFile } from "node:fs/promises";
import { totalmem } from "node:os";
import { join } from "node:path";
import { type Finding, fine, problem, reasonOf, warning } from "./model.ts";

const area = "host";
const filesMin = 16_384;
const megabyte = 1024 * 1024;
const memoryMin = 1024 * megabyte;
const freeMin = 4 * 1024 * megabyte;

/** The disk of the data directory, the limit of open files, and memory. */
export async function checkHost(dataDirectory: string, reserveBytes: number): Promise<readonly Finding[]> {
  const memory = totalmem();
  return [
    await checkDisk(dataDirectory, reserveBytes),
    await checkFiles(),
    memory < memoryMin
      ? warning(
          area,
          `It has ${Math.round(memory / megabyte)} MB of memory.`,
          "1 GB serves a thousand streams with room to spare.",
        )
      : fine(area, `${Math.round(memory / megabyte)} MB of memory`),
  ];
}

async function checkDisk(directory: string, reserveBytes: number): Promise<Finding> {
  const trial = join(directory, `doctor-${randomUUID()}`);
  try {
    await mkdir(directory, { recursive: true });
    await writeFile(trial, "x");
    await rm(trial);
  } catch (error) {
    const cure = "Give the service the right to write there, or set DATA_DIR.";
    return problem(area, `Nothing can be written to ${directory}: ${reasonOf(error)}.`, cure);
  }
  const { bavail, bsize } = await statfs(directory);
  const free = bavail * bsize;
  const text = `${Math.round(free / megabyte)} MB are free in ${directory}`;
  const cure = "Free some, or move DATA_DIR: without room for their records, calls are refused.";
  if (free < reserveBytes * 2) {
    return problem(area, `${text}.`, cure);
  }
  return free < freeMin ? warning(area, `${text}.`, cure) : fine(area, text);
}

/** Each call takes two connections, and each of these a file. */
async function checkFiles(): Promise<Finding> {
  const limits = await readFile("/proc/self/limits", "utf8").catch(() => "");
  const [, soft = ""] = /^Max open files\s+(\d+|unlimited)/m.exec(limits) ?? [];
  if (soft === "") {
    return warning(area, "The limit of open files is unknown.", "Check `ulimit -n`.");
  }
  return soft !== "unlimited" && Number(soft) < filesMin
    ? warning(
        area,
        `At most ${soft} files may be open, two for each call.`,
        `Raise it: \`ulimit -n ${filesMin * 4}\`, or LimitNOFILE of the unit.`,
      )
    : fine(area, `${soft} files may be open`);
}
