import { copyFileSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Damage, LogFile } from "./log-file.ts";

/** How many damaged files, and how much of them, a slot keeps. */
const copiesMax = 16;
const copyBytesMax = 128 * 1024 * 1024;

const copyName = /\.corrupt(-\d+)?$/;
const partName = /\.corrupt(-\d+)?\.part$/;
const copyOrWal = /\.corrupt(-\d+)?(-wal)?$/;

/** A damaged file of an earlier process, and the name of its copy. */
export type DamagedFile = {
  readonly path: string;
  /** Null if the slot keeps enough already. */
  readonly movedTo: string | null;
};

/**
 * Whether a slot may keep so many more damaged files and bytes. The first ones stay: alarms name them, and nobody may have
 * looked at them yet.
 * @param later files that are kept themselves later
 */
export function mayKeep(
  folder: string,
  added: { readonly copies: number; readonly bytes: number },
  later: readonly LogFile[] = [],
): boolean {
  const names = readdirSync(folder).filter((name) => copyOrWal.test(name));
  const sizes = [...names.map((name) => statSync(join(folder, name)).size), ...later.map(({ end }) => end)];
  const copies = names.filter((name) => copyName.test(name)).length + later.length;
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  return copies + added.copies <= copiesMax && bytes + added.bytes <= copyBytesMax;
}

/**
 * Keeps what is in a file under another name. If the disk has no room for a copy or does not give all of it back, the file
 * itself gets that name when it is done with.
 * @param offset of what is kept
 * @param later files that are kept themselves later
 * @returns the name, or null if the slot keeps enough already
 */
export function keep(file: LogFile, offset: number, later: readonly LogFile[]): string | null {
  const { copy, end } = file;
  if (copy !== null && offset < copy.bytes) {
    return copy.path;
  }
  const added = { copies: copy === null ? 1 : 0, bytes: end - (copy?.bytes ?? 0) };
  if (!mayKeep(dirname(file.path), added, later)) {
    return null;
  }
  const path = copy?.path ?? keptNames(file.path).free;
  file.copy = { path, bytes: end };
  try {
    copyWhole(file.path, path);
  } catch {
    file.isKept = true;
  }
  return path;
}

/**
 * Keeps a damaged file of an earlier process under another name, unless that one did.
 * @returns the name, which is null if the slot keeps enough already
 */
export function keepDamaged(
  path: string,
  { bytes }: Damage,
): { readonly copy: string | null; readonly isNew: boolean } {
  const { taken, free } = keptNames(path);
  const start = readFileSync(path).subarray(0, bytes);
  const known = taken.find((copy) => startsWith(copy, start));
  if (known !== undefined) {
    return { copy: known, isNew: false };
  }
  if (!mayKeep(dirname(path), { copies: 1, bytes: statSync(path).size })) {
    return { copy: null, isNew: false };
  }
  copyWhole(path, free);
  return { copy: free, isNew: true };
}

function startsWith(path: string, start: Buffer): boolean {
  try {
    return readFileSync(path).subarray(0, start.length).equals(start);
  } catch {
    return false;
  }
}

/** Copies all of a file or nothing: on a full disk, running calls need the room that a part takes. @throws Error of the file system */
function copyWhole(from: string, to: string): void {
  const part = `${to}.part`;
  try {
    copyFileSync(from, part);
    renameSync(part, to);
  } catch (error) {
    rmSync(part, { force: true });
    throw error;
  }
}

/** Removes parts of copies: an earlier process ended while it made them, and the file itself is still there. */
export function removeParts(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => partName.test(each))) {
    rmSync(join(folder, name), { force: true });
  }
}

/** The names under which a file was kept, and the next one. */
function keptNames(path: string): { readonly taken: readonly string[]; readonly free: string } {
  const first = `${path}.corrupt`;
  const taken: string[] = [];
  let free = first;
  while (existsSync(free)) {
    taken.push(free);
    free = `${first}-${taken.length + 1}`;
  }
  return { taken, free };
}
