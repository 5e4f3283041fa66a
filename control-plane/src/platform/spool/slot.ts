import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import type { ReplicaId } from "@sluice/contracts/ids";
import { SlotTakenError } from "./errors.ts";
import { mayKeep } from "./kept-files.ts";
import type { SpoolWarning } from "./model.ts";
import { ReserveFile } from "./reserve-file.ts";
import { isCorruption, isDiskFailure, SpoolStore } from "./spool-store.ts";

/** A numbered folder that belongs to one process at a time, and its replica. */
export type Slot = {
  readonly number: number;
  readonly folder: string;
  readonly replicaId: ReplicaId;
  readonly store: SpoolStore;
  readonly reserve: ReserveFile;
};

export type SlotOptions = {
  readonly directory: string;
  /** Space that is released when the disk is full, so that calls in flight can still be recorded. */
  readonly reserveBytes: number;
  readonly onWarning: (warning: SpoolWarning) => void;
};

/** More processes than this on one machine are a mistake. */
const slotsMax = 1_024;

/**
 * The slots of this process. The lock of SQLite keeps other processes out; this set keeps the process from asking for a
 * lock that it already holds.
 */
const held = new Set<string>();

/**
 * Takes the first slot that no live process holds. An abandoned slot comes with its replica and its entries.
 * @throws Error when there is none, or the folder can't be written
 */
export function takeFreeSlot(options: SlotOptions): Slot {
  for (let number = 0; number < slotsMax; number += 1) {
    const slot = tryTakeSlot(options, number);
    if (slot !== null) {
      return slot;
    }
  }
  throw new Error(`all ${slotsMax} slots in ${options.directory} are taken`);
}

/** Numbers of the slots that exist, taken or not. */
export function listSlots(directory: string): number[] {
  if (!existsSync(directory)) {
    return [];
  }
  const names = readdirSync(directory).filter((name) => /^\d{1,4}$/.test(name));
  return names.map(Number).sort((left, right) => left - right);
}

/**
 * Takes one slot, or returns null when a live process holds it.
 * @throws Error when the folder can't be written
 */
export function tryTakeSlot(options: SlotOptions, number: number): Slot | null {
  const folder = join(options.directory, String(number));
  if (held.has(folder)) {
    return null;
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const reserve = new ReserveFile(join(folder, "reserve"), options.reserveBytes);
  try {
    const store = openStore(folder, reserve, options.onWarning);
    for (const damaged of store.damaged) {
      options.onWarning({ event: "spool.corrupt", detail: { folder, ...damaged } });
    }
    held.add(folder);
    return { number, folder, replicaId: replicaOf(store), store, reserve };
  } catch (error) {
    if (error instanceof SlotTakenError) {
      return null;
    }
    throw error;
  }
}

/** Releases the slot. `isReleased` says that nobody has to look after it: it is empty and its replica holds nothing. */
export async function leaveSlot(slot: Slot, isReleased: boolean): Promise<void> {
  if (isReleased) {
    slot.store.writeMeta(releasedName, "yes");
  }
  await slot.store.close();
  held.delete(slot.folder);
}

const replicaName = "replica_id";
const releasedName = "is_released";

/** Whether the last holder of the slot left nothing to do. */
export function wasReleased(slot: Slot): boolean {
  return slot.store.readMeta(releasedName) === "yes" && slot.store.totals().entries === 0;
}

/** From now on, someone has to look after the slot when its process ends. */
export function claimSlot(slot: Slot): void {
  slot.store.writeMeta(releasedName, "no");
}

function replicaOf(store: SpoolStore): ReplicaId {
  const known = store.readMeta(replicaName);
  if (known !== null) {
    return known as ReplicaId;
  }
  const fresh = Bun.randomUUIDv7() as ReplicaId;
  store.writeMeta(replicaName, fresh);
  return fresh;
}

function openStore(folder: string, reserve: ReserveFile, onWarning: SlotOptions["onWarning"]): SpoolStore {
  try {
    return new SpoolStore(folder);
  } catch (error) {
    if (isCorruption(error)) {
      const movedTo = moveAside(folder);
      onWarning({ event: "spool.corrupt", detail: { folder, movedTo, error } });
      return new SpoolStore(folder);
    }
    // The entries of an earlier process must be readable on a full disk too, and even reading needs a little room.
    if (isDiskFailure(error) && reserve.release()) {
      onWarning({ event: "spool.disk_full", detail: { folder, error } });
      return new SpoolStore(folder);
    }
    throw error;
  }
}

/**
 * Takes a damaged SQLite file away and keeps it for inspection.
 * @returns its name, which is null if the slot keeps enough already
 */
function moveAside(folder: string): string | null {
  const target = `spool.db.corrupt-${Date.now()}`;
  const files = ["", "-wal"]
    .map((suffix) => ({ path: join(folder, `spool.db${suffix}`), to: join(folder, `${target}${suffix}`) }))
    .filter(({ path }) => existsSync(path));
  const bytes = files.reduce((sum, { path }) => sum + statSync(path).size, 0);
  const isKept = mayKeep(folder, { copies: 1, bytes });
  for (const { path, to } of files) {
    if (isKept) {
      renameSync(path, to);
    } else {
      rmSync(path);
    }
  }
  return isKept ? target : null;
}
