import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Claims something that several test files need and one of them makes; the claim ends when its file is removed. What a
 * killed process has claimed is free.
 * @returns whether it is ours; if not, try again later
 */
export function tryClaim(file: string): boolean {
  mkdirSync(dirname(file), { recursive: true });
  try {
    writeFileSync(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw error;
    }
  }
  if (!isHeld(file)) {
    rmSync(file, { force: true });
  }
  return false;
}

/** Whether the process that made a claim still runs, or is about to write down which it is. One that is gone may be another's by now. */
function isHeld(file: string): boolean {
  const pid = readFile(file);
  try {
    return pid === "" || process.kill(Number(pid), 0);
  } catch {
    return false;
  }
}

function readFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}
