import { afterEach, describe, expect, jest, mock, spyOn, test } from "bun:test";
import { cpSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { dayMs } from "@sluice/control-plane/platform/clock.ts";
import { yieldToLoop } from "@sluice/control-plane/platform/slices.ts";
import { UnreadableGroupError } from "@sluice/control-plane/platform/spool/errors.ts";
import { GroupLog } from "@sluice/control-plane/platform/spool/group-log.ts";
import { appendNotes, notes, type SpoolFolder, sink, spoolFolder } from "../../../support/usage/spool-fixture.ts";
import { settlePromises } from "../../../support/values/fake-time.ts";

const flushMs = 60_000;
const stepMs = 10;

/** Rows of this process whose summaries are in memory, those whose summaries are not, and those of an earlier process. */
const kinds = ["summarized", "parsed", "earlier"] as const;

/** A spool whose groups are on the disk alone: group n has the notes `n.0` and `n.1`. */
async function spoolOf(folder: SpoolFolder, kind: (typeof kinds)[number], groups: number) {
  const bounds = { cachedEntriesMax: 0, summaryWeightMax: kind === "parsed" ? 0 : 100_000 };
  const spool = await folder.open(bounds);
  for (let group = 1; group <= groups; group += 1) {
    await appendNotes(spool, notes(`${group}.`, 2));
  }
  if (kind !== "earlier") {
    return spool;
  }
  await spool.close();
  return await folder.open(bounds);
}

const rowsOf = (ids: readonly number[]): string[] => ids.flatMap((id) => notes(`${id}.`, 2));
const idsTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

/** Damages some groups of the only file of the log. */
async function damage({ directory }: SpoolFolder, ids: readonly number[]): Promise<void> {
  const [name = ""] = (await readdir(join(directory, "0"))).filter((each) => each.endsWith(".log"));
  const path = join(directory, "0", name);
  const bytes = await readFile(path);
  for (const id of ids) {
    bytes[bytes.indexOf(`"${id}.0"`) + 1] = 1;
  }
  await writeFile(path, bytes);
}

/** Has the disk refuse groups; the test changes which. */
function refuse(isRefused: (id: number) => boolean) {
  const disk = { isRefused, reads: 0 };
  const { read, readOne } = GroupLog.prototype;
  const check = (id: number, count: number, bytes: number) => {
    disk.reads += 1;
    if (disk.isRefused(id)) {
      throw new UnreadableGroupError("the log", { id, count, bytes }, new Error("EIO"));
    }
  };
  spyOn(GroupLog.prototype, "readOne").mockImplementation(function (this: GroupLog, id) {
    const body = readOne.call(this, id);
    check(id, 2, body.length);
    return body;
  });
  spyOn(GroupLog.prototype, "read").mockImplementation(function (this: GroupLog, ...range) {
    const groups = read.apply(this, range);
    const refused = groups.findIndex(({ id }) => disk.isRefused(id));
    const [first] = groups;
    if (refused === 0 && first !== undefined) {
      check(first.id, first.count, first.body.length);
    }
    return refused === -1 ? groups : groups.slice(0, refused);
  });
  return disk;
}

/** Advances the fake time; turns of the event loop are real. */
async function passTime(milliseconds: number): Promise<void> {
  for (let passed = 0; passed < milliseconds; passed += stepMs) {
    jest.advanceTimersByTime(stepMs);
    await settlePromises();
    await yieldToLoop();
  }
}

afterEach(() => {
  mock.restore();
  jest.useRealTimers();
});

describe.each(kinds)("groups of %s rows", (kind) => {
  test("that are damaged hold up nothing, however many: their rows are quarantined together with a commit", async () => {
    await using folder = await spoolFolder();
    const spool = await spoolOf(folder, kind, 600);
    const lost = idsTo(600).filter((id) => id % 2 === 1);
    await damage(folder, lost);
    const retries: unknown[] = [];
    const consumer = sink(undefined, { batchMax: 2_000, onRetry: (error) => retries.push(error) });
    spool.drain(consumer);
    expect(await spool.flush(flushMs)).toBe(true);
    expect([consumer.rows(), retries]).toEqual([rowsOf(idsTo(600).filter((id) => id % 2 === 0)), []]);
    expect(consumer.batches).toHaveLength(1);
    expect(consumer.quarantined.map(({ text }) => text.split(",")[0])).toEqual(
      lost.flatMap((id) => [1, 2].map((row) => `row ${row} of 2 of group ${id}`)),
    );
    expect(spool.depth()).toMatchObject({ entries: 0, quarantined: 600 });
  });

  test("that are damaged count for the size of a batch", async () => {
    await using folder = await spoolFolder();
    const spool = await spoolOf(folder, kind, 10);
    await damage(folder, [1, 2, 3, 4, 7]);
    const consumer = sink(undefined, { batchMax: 6 });
    spool.drain(consumer);
    expect(await spool.flush(flushMs)).toBe(true);
    expect(consumer.batches.map(({ entries }) => entries.map(({ row }) => row))).toEqual([
      rowsOf([5, 6]),
      rowsOf([8, 9]),
      rowsOf([10]),
    ]);
    expect(consumer.quarantined).toHaveLength(10);
  });

  test("that are damaged are told of at the next start if this process ends before their rows are in quarantine", async () => {
    await using folder = await spoolFolder();
    const spool = await spoolOf(folder, kind, 3);
    await damage(folder, [2]);
    const isTried = Promise.withResolvers<void>();
    spool.drain(
      sink(() => {
        isTried.resolve();
        throw new Error("the database is down");
      }),
    );
    await isTried.promise;
    await spool.close();
    const next = await folder.open();
    const movedTo = expect.stringMatching(/\.log\.corrupt$/);
    expect(folder.warnings).toEqual([{ event: "spool.corrupt", detail: expect.objectContaining({ movedTo }) }]);
    const heir = sink();
    next.drain(heir);
    await next.replayed;
    expect(heir.rows()).toEqual(rowsOf([1, 3]));
  });

  test("that the disk refuses for a while are committed later, those after them before, and nothing is lost to a crash", async () => {
    await using folder = await spoolFolder();
    const spool = await spoolOf(folder, kind, 6);
    const disk = refuse((id) => id === 2 || id === 5);
    const attempts: number[] = [];
    const isRead = Promise.withResolvers<void>();
    const isAskedAgain = Promise.withResolvers<void>();
    const consumer = sink(
      ({ count }) => {
        if (count === 8) {
          isRead.resolve();
        }
      },
      {
        onRetry: (_error, attempt) => {
          attempts.push(attempt);
          if (attempts.length === 6) {
            isAskedAgain.resolve();
          }
        },
      },
    );
    spool.drain(consumer);
    await isRead.promise;
    await isAskedAgain.promise;
    expect(attempts).toEqual([1, 1, 2, 2, 3, 3]);
    expect(consumer.rows()).toEqual(rowsOf([1, 3, 4, 6]));
    expect(spool.depth().entries).toBe(4);
    await using crashed = await spoolFolder();
    cpSync(join(folder.directory, "0"), join(crashed.directory, "0"), { recursive: true });
    disk.isRefused = (id) => id === 5;
    while (spool.depth().entries > 2) {
      await Bun.sleep(1);
    }
    expect(consumer.rows()).toEqual(rowsOf([1, 3, 4, 6, 2]));
    disk.isRefused = () => false;
    expect(await spool.flush(flushMs)).toBe(true);
    expect(consumer.rows()).toEqual(rowsOf([1, 3, 4, 6, 2, 5]));
    expect(consumer.batches.map(({ isReplay }) => isReplay)).toEqual(consumer.batches.map(() => kind === "earlier"));
    expect([consumer.quarantined, spool.depth()]).toEqual([
      [],
      { entries: 0, bytes: 0, oldestAgeMs: 0, quarantined: 0 },
    ]);
    await spool.close();

    // Rows that were committed come again with those that were not, which changes nothing.
    const heir = sink();
    const afterCrash = await crashed.open();
    afterCrash.drain(heir);
    await afterCrash.replayed;
    expect(heir.rows()).toEqual(rowsOf([2, 3, 4, 5, 6]));
    expect(heir.batches.every(({ isRetry }) => isRetry)).toBe(true);
    const next = await folder.open();
    expect(next.depth().entries).toBe(0);
  });

  test("that the disk does not give back are quarantined after half a minute, in which others go on", async () => {
    await using folder = await spoolFolder();
    const spool = await spoolOf(folder, kind, 4);
    refuse((id) => id === 1 || id === 3);
    jest.useFakeTimers();
    const consumer = sink();
    spool.drain(consumer);
    await passTime(10_000);
    expect([consumer.rows(), consumer.quarantined]).toEqual([rowsOf([2, 4]), []]);
    expect(spool.depth().entries).toBe(4);
    await passTime(50_000);
    expect(consumer.quarantined.map(({ text }) => text.split(",")[0]).toSorted()).toEqual(
      [1, 2].flatMap((row) => [1, 3].map((id) => `row ${row} of 2 of group ${id}`)),
    );
    expect(spool.depth()).toMatchObject({ entries: 0, quarantined: 4 });
    jest.useRealTimers();
    await spool.close();
    const next = await folder.open();
    // What could not be read is in no batch again; its file is kept.
    expect((await readdir(join(folder.directory, "0"))).filter((name) => name.endsWith(".corrupt"))).toHaveLength(1);
    expect(next.depth().entries).toBe(4);
  });

  test.each([-1, 1])("that are set aside are read again in time after the clock was set (%d days)", async (days) => {
    await using folder = await spoolFolder();
    const spool = await spoolOf(folder, kind, 2);
    const disk = refuse((id) => id === 1);
    jest.useFakeTimers();
    const consumer = sink();
    spool.drain(consumer);
    await passTime(5_000);
    const { now } = Date;
    spyOn(Date, "now").mockImplementation(() => now() + days * dayMs);
    const reads = disk.reads;
    await passTime(10_000);
    // At most five seconds pass between two reads, and at least half of that.
    expect(disk.reads - reads).toBeWithin(1, 6);
    expect(consumer.quarantined).toEqual([]);
    disk.isRefused = () => false;
    await passTime(6_000);
    expect(consumer.rows()).toEqual(rowsOf([2, 1]));
  });

  test("wait when the whole disk refuses: no more than some are set aside, and all are committed when it is back", async () => {
    await using folder = await spoolFolder();
    const spool = await spoolOf(folder, kind, 600);
    const disk = refuse(() => true);
    jest.useFakeTimers();
    const consumer = sink(undefined, { batchMax: 100 });
    spool.drain(consumer);
    await passTime(1_000);
    expect([consumer.rows(), consumer.quarantined, spool.depth().entries]).toEqual([[], [], 1_200]);
    expect(disk.reads).toBeLessThan(256 * 8);
    disk.isRefused = () => false;
    jest.useRealTimers();
    spool.wake();
    expect(await spool.flush(flushMs)).toBe(true);
    expect(consumer.rows().toSorted()).toEqual(rowsOf(idsTo(600)).toSorted());
    expect(consumer.quarantined).toEqual([]);
  });
});
