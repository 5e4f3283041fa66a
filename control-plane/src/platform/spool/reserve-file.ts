import { existsSync, rmSync, statSync } from "node:fs";
import { open, rename, rm, statfs } from "node:fs/promises";
import { dirname } from "node:path";

const pieceBytes = 1024 * 1024;
/** Recreating the file must not use up the space that other writers on the disk have left. */
const freeBytesFactor = 2;

/** Disk space that is reserved on purpose, so that it can be released when the disk is full. */
export class ReserveFile {
  readonly #path: string;
  readonly #bytes: number;

  /** With 0 bytes nothing is ever reserved. */
  constructor(path: string, bytes: number) {
    this.#path = path;
    this.#bytes = bytes;
  }

  /**
   * Reserves the space, unless it is already reserved.
   * @returns false when the disk has too little room; then nothing is reserved
   * @throws Error of the file system, other than a full disk
   */
  async occupy(): Promise<boolean> {
    if (this.#bytes === 0 || this.#isOccupied()) {
      return true;
    }
    const disk = await statfs(dirname(this.#path));
    if (disk.bavail * disk.bsize < this.#bytes * freeBytesFactor) {
      return false;
    }
    const unfinished = `${this.#path}.unfinished`;
    try {
      await fill(unfinished, this.#bytes);
      await rename(unfinished, this.#path);
      return true;
    } catch (error) {
      await rm(unfinished, { force: true });
      if (isFull(error)) {
        return false;
      }
      throw error;
    }
  }

  /** Releases the space immediately. Returns whether there was any. */
  release(): boolean {
    const wasOccupied = existsSync(this.#path);
    rmSync(this.#path, { force: true });
    return wasOccupied;
  }

  #isOccupied(): boolean {
    return statSync(this.#path, { throwIfNoEntry: false })?.size === this.#bytes;
  }
}

/** Writes real bytes that do not compress: a hole in a file, or zeros on a compressing file system, reserve nothing. */
async function fill(path: string, bytes: number): Promise<void> {
  const piece = crypto.getRandomValues(Buffer.alloc(65_536));
  const block = Buffer.concat(Array.from({ length: pieceBytes / piece.length }, () => piece));
  const file = await open(path, "w", 0o600);
  try {
    for (let left = bytes; left > 0; left -= block.length) {
      await file.write(block, 0, Math.min(left, block.length));
    }
  } finally {
    await file.close();
  }
}

function isFull(error: unknown): boolean {
  const code = error instanceof Error && "code" in error ? error.code : null;
  return code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG";
}
