import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { ReplicaId } from "@sluice/contracts/ids";
import { type OrphanOptions, replayOrphans } from "@sluice/control-plane/platform/spool/orphans.ts";
import {
  appendNotes,
  type NoteRows,
  type Sink,
  type SpoolFolder,
  sink,
  spoolFolder,
} from "../support/usage/spool-fixture.ts";

type Holder = AsyncDisposable & {
  readonly slotNumber: number;
  readonly replicaId: ReplicaId;
  /** SIGKILL: nothing in the process gets the chance to clean up. */
  kill(): Promise<void>;
};

/** Another process that holds a slot and has recorded these rows. */
async function startHolder(folder: SpoolFolder, ...rows: string[]): Promise<Holder> {
  const program = join(import.meta.dir, "../support/usage/spool-holder.ts");
  const child = Bun.spawn([process.execPath, program, folder.directory, ...rows], {
    stdout: "pipe",
    stderr: "inherit",
  });
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await child.exited;
  };
  const { value } = await child.stdout.getReader().read();
  if (value === undefined) {
    await kill();
    throw new Error("the process ended before it held a slot");
  }
  return { ...JSON.parse(new TextDecoder().decode(value)), kill, [Symbol.asyncDispose]: kill };
}

describe("slots", () => {
  test("belong to one process at a time, and are free at once when it is killed", async () => {
    await using folder = await spoolFolder();
    await using first = await startHolder(folder);
    await using second = await startHolder(folder);
    const mine = await folder.open();
    expect([first.slotNumber, second.slotNumber, mine.slotNumber]).toEqual([0, 1, 2]);
    expect(new Set([first.replicaId, second.replicaId, mine.replicaId]).size).toBe(3);
    await first.kill();
    await using heir = await startHolder(folder);
    expect(heir).toMatchObject({ slotNumber: 0, replicaId: first.replicaId });
  });

  test("of one process differ too", async () => {
    await using folder = await spoolFolder();
    const [first, second] = [await folder.open(), await folder.open()];
    expect([first.slotNumber, second.slotNumber]).toEqual([0, 1]);
    await first.close();
    const third = await folder.open();
    expect(third).toMatchObject({ slotNumber: 0, replicaId: first.replicaId });
  });

  test("keep what their process had recorded when it was killed", async () => {
    await using folder = await spoolFolder();
    await using victim = await startHolder(folder, "a", "b", "c");
    await victim.kill();
    const spool = await folder.open();
    const consumer = sink();
    spool.drain(consumer);
    await spool.replayed;
    expect(consumer.rows()).toEqual(["a", "b", "c"]);
    expect(consumer.batches.every(({ isReplay }) => isReplay)).toBe(true);
  });
});

type Carer = OrphanOptions<NoteRows> & { readonly given: Map<ReplicaId, Sink>; readonly released: ReplicaId[] };

function carer(folder: SpoolFolder, changes: Partial<OrphanOptions<NoteRows>> = {}): Carer {
  const given = new Map<ReplicaId, Sink>();
  const released: ReplicaId[] = [];
  return {
    ...folder.options(),
    given,
    released,
    drain: (spool) => {
      const consumer = sink();
      given.set(spool.replicaId, consumer);
      return consumer;
    },
    onReplayed: async (spool) => {
      released.push(spool.replicaId);
    },
    signal: new AbortController().signal,
    ...changes,
  };
}

describe("slots of dead processes", () => {
  test("are replayed on behalf of their replica, released once, and left free", async () => {
    await using folder = await spoolFolder();
    await using living = await startHolder(folder, "still mine");
    await using gone = await startHolder(folder, "a", "b");
    await using idle = await startHolder(folder);
    await gone.kill();
    await idle.kill();
    const mine = await folder.open();
    expect(mine.slotNumber).toBe(1);
    await using late = await startHolder(folder, "c");
    await late.kill();
    await mine.close(true);

    const first = carer(folder);
    expect(await replayOrphans(first)).toEqual([gone.replicaId, idle.replicaId]);
    expect([...first.given].map(([replicaId, consumer]) => [replicaId, consumer.rows()])).toEqual([
      [gone.replicaId, ["a", "b"]],
      [idle.replicaId, ["c"]],
    ]);
    expect(first.released).toEqual([gone.replicaId, idle.replicaId]);
    expect(late.replicaId).toBe(idle.replicaId);

    expect(await replayOrphans(carer(folder))).toEqual([]);
    const next = await folder.open();
    expect(next).toMatchObject({ slotNumber: 1, replicaId: gone.replicaId });
    await living.kill();
  });

  test("that their process left clean are not looked after, those that it left unreleased are", async () => {
    await using folder = await spoolFolder();
    const [clean, unreleased] = [await folder.open(), await folder.open()];
    await clean.close(true);
    await unreleased.close();
    const one = carer(folder);
    expect(await replayOrphans(one)).toEqual([unreleased.replicaId]);
    expect(await replayOrphans(one)).toEqual([]);
  });

  test("are found again when their leases could not be given back", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open();
    await appendNotes(spool, ["a"]);
    await spool.close();
    const failing = carer(folder, {
      onReplayed: () => Promise.reject(new Error("the database is away")),
    });
    await expect(replayOrphans(failing)).rejects.toThrow(/away/);
    expect(failing.given.get(spool.replicaId)?.rows()).toEqual(["a"]);
    expect(await replayOrphans(carer(folder))).toEqual([spool.replicaId]);
  });

  test("keep their rows when the work is interrupted while the database is unreachable", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open();
    await appendNotes(spool, ["a"]);
    await spool.close();
    const stopping = new AbortController();
    const blocked = carer(folder, {
      drain: () =>
        sink(
          () => {
            throw new Error("the database is away");
          },
          { onRetry: () => stopping.abort() },
        ),
      signal: stopping.signal,
    });
    expect(await replayOrphans(blocked)).toEqual([]);
    expect(blocked.released).toEqual([]);
    const later = carer(folder);
    expect(await replayOrphans(later)).toEqual([spool.replicaId]);
    expect(later.given.get(spool.replicaId)?.rows()).toEqual(["a"]);
  });
});
