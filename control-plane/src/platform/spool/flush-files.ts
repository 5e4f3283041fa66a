import { closeSync, fdatasync, fsync, fsyncSync, openSync } from "node:fs";

/** Flushes the names of files in a folder: a new file is lost with its name. @throws Error of the file system */
export function flushFolderNow(folder: string): void {
  const fd = openSync(folder, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The same on a thread of the runtime. */
export function flushFolder(folder: string): Promise<void> {
  const fd = openSync(folder, "r");
  return new Promise((resolve, reject) => {
    fsync(fd, (error) => {
      closeSync(fd);
      if (error === null) {
        resolve();
      } else {
        reject(error);
      }
    });
  });
}

/** Flushes a file to the disk on a thread of the runtime. */
export function flushFile(fd: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(fd, (error) => {
      if (error === null) {
        resolve();
      } else {
        reject(error);
      }
    });
  });
}
