import { Database } from "bun:sqlite";
import { describe, expect, jest, test } from "bun:test";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { DrainOptions } from "@sluice/control-plane/platform/spool/drain.ts";
import { linesOf, type RowSummaries } from "@sluice/control-plane/platform/spool/model.ts";
import { openSpool } from "@sluice/control-plane/platform/spool/spool.ts";
import { appendNotes, type NoteRows, notes, sink, spoolFolder } from "../support/usage/spool-fixture.ts";
import { groupsOnDisk } from "../support/usage/spool-on-disk.ts";
import { passTime, settlePromises } from "../support/values/fake-time.ts";

const flushMs = 60_000;

describe("the consumer", () => {
  test("gets rows in order, one batch at a time, none above the batch size", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open();
    let running = 0;
    const consumer = sink(
      async () => {
        running += 1;
        expect(running).toBe(1);
        await Bun.sleep(1);
        running -= 1;
      },
      { batchMax: 50 },
    );
    spool.drain(consumer);
    const expected: string[] = [];
    for (let round = 0; round < 30; round += 1) {
      const group = notes(`${round}.`, 1 + ((round * 7) % 40));
      expected.push(...group);
      await appendNotes(spool, group);
    }
    expect(await spool.flush(flushMs)).toBe(true);
    expect(consumer.rows()).toEqual(expected);
    expect(Math.max(...consumer.batches.map(({ entries }) => entries.length))).toBeLessThanOrEqual(50);
    expect(consumer.batches.every(({ isReplay, isRetry }) => !(isReplay || isRetry))).toBe(true);
    expect(await groupsOnDisk(folder)).toEqual([]);
    expect(spool.depth()).toEqual({ entries: 0, bytes: 0, oldestAgeMs: 0, quarantined: 0 });
  });

  test("gets a first row soon, and under load all that came since its last commit, or a full batch sooner", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open();
    const consumer = sink(undefined, { batchMax: 4, intervalMs: 50, steadyIntervalMs: 200 });
    jest.useFakeTimers();
    try {
      spool.drain(consumer);
      await settlePromises();
      await appendNotes(spool, ["first"]);
      await passTime(45);
      expect(consumer.rows()).toEqual([]);
      await passTime(5);
      expect(consumer.rows()).toEqual(["first"]);
      await appendNotes(spool, ["second"]);
      await passTime(195);
      expect(consumer.rows()).toEqual(["first"]);
      await passTime(5);
      expect(consumer.rows()).toEqual(["first", "second"]);
      await appendNotes(spool, notes("full", 4));
      await settlePromises();
      expect(consumer.rows()).toHaveLength(6);
      await passTime(200);
      await appendNotes(spool, ["after a pause"]);
      await passTime(50);
      expect(consumer.rows()).toHaveLength(7);
    } finally {
      jest.useRealTimers();
    }
  });

  test("gets what an earlier process left first, and separately from what is new", async () => {
    await using folder = await spoolFolder();
    const earlier = await folder.open();
    await appendNotes(earlier, notes("old", 3));
    await earlier.close();
    const spool = await folder.open();
    await appendNotes(spool, notes("new", 2));
    const consumer = sink();
    spool.drain(consumer);
    await spool.replayed;
    expect(await spool.flush(flushMs)).toBe(true);
    expect(consumer.batches.map(({ isReplay, entries }) => [isReplay, entries.length])).toEqual([
      [true, 3],
      [false, 2],
    ]);
    expect(consumer.rows()).toEqual([...notes("old", 3), ...notes("new", 2)]);
  });

  test("gets every row once and in order when most of them are only on disk", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open({ cachedEntriesMax: 10 });
    let isAway = true;
    const consumer = sink(
      () => {
        if (isAway) {
          throw new Error("the database is away");
        }
      },
      { batchMax: 64 },
    );
    spool.drain(consumer);
    const expected: string[] = [];
    for (let round = 0; round < 100; round += 1) {
      expected.push(...notes(`${round}.`, 1 + (round % 9)));
      await appendNotes(spool, notes(`${round}.`, 1 + (round % 9)));
    }
    isAway = false;
    for (let round = 0; round < 20; round += 1) {
      expected.push(...notes(`later ${round}.`, 3));
      await appendNotes(spool, notes(`later ${round}.`, 3));
      await Bun.sleep(1);
    }
    expect(await spool.flush(flushMs)).toBe(true);
    expect(consumer.rows()).toEqual(expected);
    expect(consumer.batches.some(({ isReplay }) => isReplay)).toBe(false);
  });

  test("is called again for as long as it fails, and nothing leaves the disk meanwhile", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open();
    const delays: number[] = [];
    const enough = Promise.withResolvers<void>();
    let isAway = true;
    const consumer = sink(
      () => {
        if (isAway) {
          throw new Error("the database is away");
        }
      },
      {
        onRetry: (_error, attempt, delayMs) => {
          delays.push(delayMs);
          if (attempt === 4) {
            enough.resolve();
          }
        },
      },
    );
    spool.drain(consumer);
    await appendNotes(spool, notes("a", 5));
    await enough.promise;
    expect(await spool.flush(20)).toBe(false);
    expect((await groupsOnDisk(folder)).map(({ count }) => count)).toEqual([5]);
    expect(spool.depth()).toMatchObject({ entries: 5 });
    expect(spool.depth().oldestAgeMs).toBeGreaterThan(0);
    for (const [index, ceiling] of [50, 100, 200, 400].entries()) {
      expect(delays[index]).toBeWithin(ceiling / 2, ceiling + 1);
    }
    isAway = false;
    spool.wake();
    expect(await spool.flush(flushMs)).toBe(true);
    expect(consumer.batches.map(({ isRetry }) => isRetry)).toEqual([true]);
  });

  test("that fails because of single rows gets all others, and those are quarantined until the next start", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open();
    const isBad = (row: string | bigint) => row === "a3" || row === "a90";
    const reject = ({ entries }: { entries: readonly { row: string | bigint }[] }) => {
      if (entries.some(({ row }) => isBad(row))) {
        throw new Error("poison");
      }
    };
    const consumer = sink(reject);
    spool.drain(consumer);
    await appendNotes(spool, notes("a", 100));
    await appendNotes(spool, notes("b", 10));
    expect(await spool.flush(flushMs)).toBe(true);
    expect(consumer.rows()).toEqual([...notes("a", 100).filter((row) => !isBad(row)), ...notes("b", 10)]);
    expect(consumer.quarantined.map(({ entry, text }) => [entry?.row, text])).toEqual([
      ["a3", '["note","a3"]'],
      ["a90", '["note","a90"]'],
    ]);
    expect(spool.depth()).toMatchObject({ entries: 0, bytes: 27, quarantined: 2 });
    await spool.close();

    const next = await folder.open();
    expect(next.depth()).toMatchObject({ entries: 2, quarantined: 0 });
    const repaired = sink();
    next.drain(repaired);
    await next.replayed;
    expect(repaired.rows()).toEqual(["a3", "a90"]);
    expect(repaired.batches.every(({ isReplay, isRetry }) => isReplay && isRetry)).toBe(true);
  });

  test("gets the summary of exactly its rows: from memory, from the disk, and in halves", async () => {
    await using folder = await spoolFolder();
    const summaries: RowSummaries<NoteRows, { letters: number }> = {
      begin: () => ({ letters: 0 }),
      add: (summary, { row }) => {
        summary.letters += String(row).length;
      },
      merge: (summary, { letters }) => {
        summary.letters += letters;
      },
    };
    const open = () =>
      openSpool<NoteRows, { letters: number }>({ ...folder.options({ cachedEntriesMax: 20 }), summaries });
    const first = await open();
    await appendNotes(first, notes("earlier", 30));
    await first.close();
    const spool = await open();
    const seen: string[] = [];
    const drain: DrainOptions<NoteRows, { letters: number }> = {
      ...sink(),
      batchMax: 16,
      commit: async ({ texts, count, summary, entries }) => {
        expect(entries).toHaveLength(count);
        expect(summary.letters).toBe(entries.reduce((sum, { row }) => sum + String(row).length, 0));
        expect(linesOf(texts)).toHaveLength(count);
        if (entries.some(({ row }) => row === "c7")) {
          throw new Error("poison");
        }
        seen.push(...entries.map(({ row }) => String(row)));
      },
    };
    for (const prefix of ["a", "b", "c"]) {
      await appendNotes(spool, notes(prefix, 12));
    }
    spool.drain(drain);
    expect(await spool.flush(flushMs)).toBe(true);
    await spool.close();
    const expected = [...notes("earlier", 30), ...["a", "b", "c"].flatMap((prefix) => notes(prefix, 12))];
    expect(seen).toEqual(expected.filter((row) => row !== "c7"));
  });

  test("is not blocked by text that is not a row", async () => {
    await using folder = await spoolFolder();
    const first = await folder.open();
    await appendNotes(first, ["before"]);
    await first.close();
    const path = join(folder.directory, "0", "spool.db");
    using database = new Database(path);
    for (const [index, body] of ['["note",1]\n["unknown",2]\n["note","between"]', "no json", '{"note":1}'].entries()) {
      database.run("insert into entry_group values (?, ?, ?, ?, ?)", [10 + index, 1, body.length, Date.now(), body]);
    }
    database.close();
    const spool = await folder.open();
    const consumer = sink();
    spool.drain(consumer);
    await appendNotes(spool, ["after"]);
    expect(await spool.flush(flushMs)).toBe(true);
    expect(consumer.rows()).toEqual(["before", "between", "after"]);
    expect(consumer.quarantined.map(({ text }) => text)).toEqual([
      '["note",1]',
      '["unknown",2]',
      "no json",
      '{"note":1}',
    ]);
    expect(spool.depth().quarantined).toBe(4);
  });

  test("is not held up by a group that is damaged while it waits: it is quarantined immediately, and its file is kept", async () => {
    await using folder = await spoolFolder();
    // The first group stays in memory, the others are read from the disk.
    const spool = await folder.open({ cachedEntriesMax: 1 });
    for (const row of ["before", "damaged", "behind"]) {
      await appendNotes(spool, [`${row} 1`, `${row} 2`]);
    }
    const [name = ""] = (await readdir(join(folder.directory, "0"))).filter((each) => each.endsWith(".log"));
    const path = join(folder.directory, "0", name);
    const bytes = await readFile(path);
    bytes[bytes.indexOf("damaged 1") + 3] = 1;
    await writeFile(path, bytes);
    const retries: unknown[] = [];
    const consumer = sink(undefined, { onRetry: (error) => retries.push(error) });
    spool.drain(consumer);
    expect(await spool.flush(20_000)).toBe(true);
    expect(consumer.rows()).toEqual(["before 1", "before 2", "behind 1", "behind 2"]);
    expect(retries).toEqual([]);
    expect(consumer.quarantined.map(({ entry, text, error }) => [entry, text, String(error)])).toEqual(
      [1, 2].map((row) => [
        null,
        `row ${row} of 2 of group 2, which could not be read`,
        expect.stringMatching(/a group of .* can't be read; see .*\.log\.corrupt$/),
      ]),
    );
    expect(spool.depth()).toMatchObject({ entries: 0, quarantined: 2 });
    await spool.close();

    const next = await folder.open();
    const heir = sink();
    next.drain(heir);
    await next.replayed;
    expect([heir.rows(), heir.quarantined.length]).toEqual([[], 2]);
  });

  test("that is slow does not delay the end: what it did not get stays on disk", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open();
    const started = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    const consumer = sink(
      () => {
        started.resolve();
        return goOn.promise;
      },
      { batchMax: 2 },
    );
    spool.drain(consumer);
    await appendNotes(spool, ["a", "b"]);
    await appendNotes(spool, ["c"]);
    await started.promise;
    const closed = spool.close();
    goOn.resolve();
    await closed;
    expect(consumer.rows()).toEqual(["a", "b"]);
    const next = await folder.open();
    const heir = sink();
    next.drain(heir);
    await next.replayed;
    expect(heir.rows()).toEqual(["c"]);
  });
});
