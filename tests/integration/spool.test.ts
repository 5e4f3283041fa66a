import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { asBuffer } from "@sluice/control-plane/platform/as-buffer.ts";
import type { DrainOptions } from "@sluice/control-plane/platform/spool/drain.ts";
import { StorageUnavailableError } from "@sluice/control-plane/platform/spool/errors.ts";
import { GroupLog } from "@sluice/control-plane/platform/spool/group-log.ts";
import { linesOf, type RowSummaries } from "@sluice/control-plane/platform/spool/model.ts";
import { openSpool } from "@sluice/control-plane/platform/spool/spool.ts";
import {
  appendNotes,
  type NoteRows,
  noteCodecs,
  notes,
  type SpoolFolder,
  sink,
  spoolFolder,
} from "../support/usage/spool-fixture.ts";

const flushMs = 5_000;

type Group = { id: number; count: number; body: string };

/**
 * What a crash at this moment would leave: the files are copied by another process, because closing them releases the
 * lock.
 */
async function groupsOnDisk(folder: SpoolFolder, slot = 0): Promise<Group[]> {
  const copy = await mkdtemp(join(tmpdir(), "sluice-spool-copy-"));
  try {
    expect(Bun.spawnSync(["cp", "-r", `${join(folder.directory, String(slot))}/.`, copy]).exitCode).toBe(0);
    using database = new Database(join(copy, "spool.db"));
    const committed = database.query<{ value: string }, []>("select value from meta where name = 'committed_id'").get();
    const log = new GroupLog(copy, Number(committed?.value ?? 0));
    const groups = log.read(0, Number.MAX_SAFE_INTEGER, 10_000);
    log.close();
    return groups.map(({ id, count, body }) => ({ id, count, body: asBuffer(body).toString() }));
  } finally {
    await rm(copy, { recursive: true });
  }
}

describe("appending", () => {
  test("completes when the row is on disk", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open();
    await spool.append({ kind: "note", row: 'line\nbreak "quote"' });
    await spool.append({ kind: "count", row: 2n ** 70n });
    const bodies = (await groupsOnDisk(folder)).map(({ body }) => body);
    expect(bodies).toEqual(['["note","line\\nbreak \\"quote\\""]', `["count","${2n ** 70n}"]`]);
  });

  test("of rows in one tick of the event loop is one write, of at most 128 rows", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open();
    await appendNotes(spool, notes("a", 300));
    await appendNotes(spool, notes("b", 5));
    expect((await groupsOnDisk(folder)).map(({ count }) => count)).toEqual([128, 128, 44, 5]);
  });

  test("refuses a row that its codec refuses, and records its neighbours", async () => {
    await using folder = await spoolFolder();
    const codecs = {
      ...noteCodecs,
      note: {
        ...noteCodecs.note,
        encode: (note: string) => {
          if (note === "bad") {
            throw new RangeError("this note is bad");
          }
          return JSON.stringify(note);
        },
      },
    };
    const spool = await folder.open({ codecs });
    const good = spool.append({ kind: "note", row: "good" });
    await expect(spool.append({ kind: "note", row: "bad" })).rejects.toThrow(/this note is bad/);
    await good;
    expect((await groupsOnDisk(folder)).map(({ body }) => body)).toEqual(['["note","good"]']);
  });

  test("without a promise tells those who wait, in order, and only after the call has returned", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open();
    const heard: string[] = [];
    const append = (row: string) =>
      spool.appendFor(
        { kind: "note", row },
        { onWritten: () => heard.push(row), onLost: (error) => heard.push(`${row} lost: ${error}`) },
      );
    // The last of these rows fills the group, which is written immediately.
    const rows = notes("a", 128);
    for (const row of rows) {
      append(row);
    }
    expect(heard).toEqual([]);
    await Promise.resolve();
    expect(heard.splice(0)).toEqual(rows);
    await spool.close();
    append("late");
    expect(heard).toEqual([]);
    await Promise.resolve();
    expect(heard).toEqual([expect.stringContaining("late lost: StorageUnavailableError")]);
  });

  test("tells the others who wait if one of them fails, and says so", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open();
    const heard: string[] = [];
    const fail = () => {
      throw new RangeError("this one fails");
    };
    const tellLater = (row: string) => ({ onWritten: () => heard.push(row), onLost: () => heard.push(`${row} lost`) });
    const appendTwo = (row: string) => {
      spool.appendFor({ kind: "note", row: "failing" }, { onWritten: fail, onLost: fail });
      spool.appendFor({ kind: "note", row }, tellLater(row));
    };
    appendTwo("first");
    await spool.append({ kind: "note", row: "last" });
    expect(heard).toEqual(["first"]);
    await spool.close();
    appendTwo("late");
    await Promise.resolve();
    expect(heard).toEqual(["first", "late lost"]);
    const warning = { event: "spool.waiter_failed" as const, detail: { error: new RangeError("this one fails") } };
    expect(folder.warnings).toEqual([warning, warning]);
  });

  test("is refused once the backlog has reached its limit, after new work was turned away, until it is relieved", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open({ bytesMax: 2_000 });
    const row = "x".repeat(90);
    const isAccepting = () => spool.isAccepting;
    while (isAccepting()) {
      await spool.append({ kind: "note", row });
    }
    expect(spool.depth().bytes).toBeWithin(1_800, 2_000);
    expect(folder.warnings.map(({ event }) => event)).toEqual(["spool.backlog_full"]);
    while (spool.depth().bytes < 2_000) {
      await spool.append({ kind: "note", row });
    }
    const refused = await spool.append({ kind: "note", row }).catch((error) => error);
    expect(refused).toBeInstanceOf(StorageUnavailableError);
    expect(refused.code).toBe("storage_unavailable");
    spool.drain(sink());
    expect(await spool.flush(flushMs)).toBe(true);
    expect(isAccepting()).toBe(true);
    await spool.append({ kind: "note", row });
  });

  test("is refused after the spool was closed", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open();
    await spool.close();
    expect(spool.isAccepting).toBe(false);
    await expect(spool.append({ kind: "note", row: "late" })).rejects.toBeInstanceOf(StorageUnavailableError);
  });

  test("that was not awaited is on disk after the spool was closed", async () => {
    await using folder = await spoolFolder();
    const first = await folder.open();
    const written = first.append({ kind: "note", row: "last word" });
    await first.close();
    await written;
    const second = await folder.open();
    const heir = sink();
    second.drain(heir);
    await second.replayed;
    expect(heir.rows()).toEqual(["last word"]);
  });
});

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

  test("is not held up by a group that can't be read while it waits: it is quarantined, and its file is kept", async () => {
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
    expect(retries.length).toBeGreaterThan(3);
    expect(consumer.quarantined.map(({ entry, text }) => [entry, text])).toEqual(
      [1, 2].map((row) => [null, `row ${row} of 2 of group 2, which could not be read; see ${path}.corrupt`]),
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
