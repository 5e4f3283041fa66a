import type { ReplicaId } from "@sluice/contracts/ids";
import type { DrainOptions } from "./drain.ts";
import { leaveSlot, listSlots, tryTakeSlot, wasReleased } from "./slot.ts";
import { Spool, type SpoolOptions } from "./spool.ts";

export type OrphanOptions<Rows, Summary = null> = SpoolOptions<Rows, Summary> & {
  /** How the entries of a dead replica are committed on its behalf. */
  readonly drain: (spool: Spool<Rows, Summary>) => DrainOptions<Rows, Summary>;
  /** Called once every row of the replica is committed, so that its leases can be given back. Must be idempotent. */
  readonly onReplayed: (spool: Spool<Rows, Summary>) => Promise<void>;
  /** Ends the work early; a later call finds what is left. */
  readonly signal: AbortSignal;
};

/**
 * Looks after the slots of dead processes: commits their rows, lets the owner give back their leases, and frees the
 * slots. Slots of live processes are left alone.
 * @returns the replicas that were looked after
 * @throws any error of `onReplayed`; the slot is found again by the next call
 */
export async function replayOrphans<Rows, Summary = null>(options: OrphanOptions<Rows, Summary>): Promise<ReplicaId[]> {
  const finished: ReplicaId[] = [];
  for (const number of listSlots(options.directory)) {
    if (options.signal.aborted) {
      break;
    }
    const slot = tryTakeSlot({ ...options, reserveBytes: 0 }, number);
    if (slot === null) {
      continue;
    }
    if (wasReleased(slot)) {
      await leaveSlot(slot, true);
      continue;
    }
    if (await replay(new Spool(slot, options), options)) {
      finished.push(slot.replicaId);
    }
  }
  return finished;
}

/** Returns whether the replica is finished. */
async function replay<Rows, Summary>(
  spool: Spool<Rows, Summary>,
  options: OrphanOptions<Rows, Summary>,
): Promise<boolean> {
  const aborted = Promise.withResolvers<void>();
  const onAbort = () => aborted.resolve();
  options.signal.addEventListener("abort", onAbort);
  let isDone = false;
  try {
    spool.drain(options.drain(spool));
    await Promise.race([spool.replayed, aborted.promise]);
    if (spool.depth().entries === 0) {
      await options.onReplayed(spool);
      isDone = true;
    }
  } finally {
    options.signal.removeEventListener("abort", onAbort);
    await spool.close(isDone);
  }
  return isDone;
}
