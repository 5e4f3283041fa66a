import { describe, expect, mock, test } from "bun:test";
import { readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import * as flushes from "@sluice/control-plane/platform/spool/flush-files.ts";
import type { GroupLog } from "@sluice/control-plane/platform/spool/group-log.ts";
import { headBytes } from "@sluice/control-plane/platform/spool/group-record.ts";
import { fileBytesMax, nameOf } from "@sluice/control-plane/platform/spool/log-file.ts";
import { asBuffer } from "@sluice/http-client/as-buffer";
import fc from "fast-check";
import { append, LogFolder } from "../../../support/usage/log-folder.ts";
import { anyCharacter } from "../../../support/values/any-character.ts";

const { TEST_FULL } = process.env;
const numRuns = TEST_FULL === "1" ? 2_000 : 100;
const everything = Number.MAX_SAFE_INTEGER;
/** What follows each group. */
const noteBytes = headBytes;

/** The folders that were flushed: nothing else shows it, short of a power cut. */
const folderFlushes: string[] = [];
const { flushFolder, flushFolderNow } = { ...flushes };
mock.module("@sluice/control-plane/platform/spool/flush-files.ts", () => ({
  ...flushes,
  flushFolder: async (folder: string) => {
    await flushFolder(folder);
    folderFlushes.push(folder);
  },
  flushFolderNow: (folder: string) => {
    flushFolderNow(folder);
    folderFlushes.push(folder);
  },
}));

/** Groups that are one full file. */
function fill(log: GroupLog): GroupLog {
  for (const id of [1, 2, 3]) {
    append(log, id, `${id}x`.repeat(1_450_000));
  }
  return log;
}

/** A file with a group of each size, and notes of what is committed between them; `ends` is where the groups end. */
function contentOf(firstId: number, sizes: readonly number[], letter: string) {
  using folder = new LogFolder();
  const log = folder.open();
  const path = join(folder.path, nameOf(firstId));
  const ends = sizes.map((size, index) => {
    append(log, firstId + index, letter.repeat(size));
    const end = readFileSync(path).length - noteBytes;
    if (index % 3 === 2) {
      log.markCommitted(firstId - sizes.length + index - 1);
    }
    return end;
  });
  log.close();
  return { bytes: readFileSync(path), ends };
}

/** A log whose next group, 101, is written over others in a file. */
function writtenOver(folder: LogFolder) {
  const log = fill(folder.open());
  const [formerPath = ""] = folder.files();
  log.removeUpTo(3);
  return { log, path: join(folder.path, nameOf(101)), formerPath };
}

const bodiesOf = (log: GroupLog): string[] =>
  log.read(0, everything, 10_000).map(({ body }) => asBuffer(body).toString());

describe("a log of groups", () => {
  test("has after a crash at any byte every group that was whole, and takes further ones", () => {
    const bodies = fc.array(fc.string({ unit: anyCharacter, maxLength: 300 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(bodies, fc.nat(), (texts, cut) => {
        using folder = new LogFolder();
        const wellFormed = texts.map((text) => text.toWellFormed());
        const log = folder.open();
        const ends = wellFormed.map((body, index) => {
          append(log, index + 1, body);
          return readFileSync(folder.files()[0] ?? "").length - noteBytes;
        });
        log.close();
        const size = cut % ((ends.at(-1) ?? 0) + noteBytes + 1);
        truncateSync(folder.files()[0] ?? "", size);
        const whole = wellFormed.filter((_, index) => (ends[index] ?? 0) <= size);
        const next = folder.open();
        expect(bodiesOf(next)).toEqual(whole);
        expect(next.damaged).toEqual([]);
        append(next, 100, "after");
        next.close();
        const last = folder.open();
        expect(bodiesOf(last)).toEqual([...whole, "after"]);
        last.close();
      }),
      { numRuns },
    );
  });

  test("loses no group but the one that was damaged, and keeps a copy of the file", () => {
    using folder = new LogFolder();
    const log = folder.open();
    for (const id of [1, 2, 3]) {
      append(log, id, `body ${id}`.repeat(20));
    }
    log.close();
    const [path = ""] = folder.files();
    const bytes = readFileSync(path);
    bytes[bytes.indexOf("body 2") + 3] = 1;
    writeFileSync(path, bytes);
    const next = folder.open();
    expect(bodiesOf(next)).toEqual(["body 1".repeat(20), "body 3".repeat(20)]);
    expect(next.damaged).toEqual([{ path, movedTo: `${path}.corrupt` }]);
    expect(readFileSync(`${path}.corrupt`).equals(bytes)).toBe(true);
    next.close();
  });

  test("forgets what is committed, at once and after a restart, and gives its files back", () => {
    using folder = new LogFolder();
    const log = folder.open();
    const body = "x".repeat(3_000_000);
    for (let id = 1; id <= 12; id += 1) {
      append(log, id, body);
    }
    expect(folder.files()).toHaveLength(4);
    log.removeUpTo(4);
    expect(log.read(0, everything, 100).map(({ id }) => id)).toEqual([5, 6, 7, 8, 9, 10, 11, 12]);
    expect([log.totals, log.firstId, log.lastId, log.atMs(2)]).toEqual([
      { entries: 8, bytes: 24_000_000 },
      5,
      12,
      1_005,
    ]);
    log.removeUpTo(8);
    // One of those that are done with is kept, to be written over.
    expect(folder.files()).toHaveLength(3);
    log.close();
    expect(folder.files()).toHaveLength(2);
    const next = folder.open(11);
    expect([next.totals.entries, next.firstId, next.lastId]).toEqual([1, 12, 12]);
    next.removeUpTo(12);
    expect([next.totals, next.firstId, next.lastId, next.atMs(0)]).toEqual([
      { entries: 0, bytes: 0 },
      null,
      null,
      null,
    ]);
    next.close();
  });

  describe("in a file that is written over", () => {
    test("finds what is new, and nothing of what was in it before, wherever a crash has cut it off", () => {
      const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 12 });
      fc.assert(
        fc.property(sizes, sizes, fc.nat(), (formerSizes, newSizes, cut) => {
          const former = contentOf(1, formerSizes, "o").bytes;
          const { bytes, ends } = contentOf(101, newSizes, "n");
          const size = cut % (bytes.length + 1);
          using folder = new LogFolder();
          const path = join(folder.path, nameOf(101));
          writeFileSync(path, Buffer.concat([bytes.subarray(0, size), former.subarray(size)]));
          truncateSync(path, fileBytesMax + 1);
          const whole = ends.filter((end) => end <= size).map((_, index) => 101 + index);
          const log = folder.open();
          expect(log.read(0, everything, 100).map(({ id }) => id)).toEqual(whole);
          expect(log.damaged).toEqual([]);
          append(log, 200, "after");
          log.close();
          const last = folder.open();
          expect(last.read(0, everything, 100).map(({ id }) => id)).toEqual([...whole, 200]);
          last.close();
        }),
        // Each takes a file of 8 MiB.
        { numRuns: numRuns / 4 },
      );
    });

    test("loses no group but the one that was damaged", () => {
      using folder = new LogFolder();
      const { log, path } = writtenOver(folder);
      for (const id of [101, 102, 103]) {
        append(log, id, `body ${id}`.repeat(20));
      }
      const bytes = readFileSync(path);
      log.close();
      bytes[bytes.indexOf("body 102") + 3] = 1;
      writeFileSync(path, bytes);
      const next = folder.open();
      expect(bodiesOf(next)).toEqual(["body 101".repeat(20), "body 103".repeat(20)]);
      expect(next.damaged).toEqual([{ path, movedTo: `${path}.corrupt` }]);
      next.close();
    });

    test("finds what is new under the former name of the file, which a power cut can bring back", () => {
      using folder = new LogFolder();
      const { log, path, formerPath } = writtenOver(folder);
      append(log, 101, "new");
      const bytes = readFileSync(path);
      log.close();
      rmSync(path);
      writeFileSync(join(folder.path, nameOf(50)), contentOf(50, [5, 5], "o").bytes);
      writeFileSync(formerPath, bytes);
      const next = folder.open();
      expect(next.read(0, everything, 100).map(({ id }) => id)).toEqual([50, 51, 101]);
      expect([next.firstId, next.lastId, next.damaged]).toEqual([50, 101, []]);
      next.removeUpTo(51);
      append(next, 102, "after");
      expect(bodiesOf(next)).toEqual(["new", "after"]);
      next.close();
    });

    test("keeps no file of an earlier process for that, because nobody may know what of it is committed", () => {
      using folder = new LogFolder();
      const log = fill(folder.open());
      append(log, 4, "in the next file");
      log.markCommitted(3);
      const next = folder.open();
      expect([bodiesOf(next), folder.files().length]).toEqual([["in the next file"], 1]);
      next.close();
    });

    test("leaves nothing of what was in it before when it is closed", () => {
      using folder = new LogFolder();
      const { log, path } = writtenOver(folder);
      append(log, 101, "new");
      const { length } = readFileSync(path);
      log.close();
      expect(length).toBeGreaterThan(8_000_000);
      expect(readFileSync(path).length).toBe(headBytes + "new".length + noteBytes);
    });

    test("has no file left over from a process that was killed", () => {
      using folder = new LogFolder();
      fill(folder.open()).removeUpTo(3);
      expect(folder.files().map((path) => basename(path))).toEqual(["spare.log"]);
      const next = folder.open();
      expect(folder.files()).toEqual([]);
      next.close();
    });
  });

  test("knows by itself what is committed, so that nothing old comes back when the SQLite file is lost", () => {
    using folder = new LogFolder();
    const log = folder.open();
    for (const id of [1, 2, 3]) {
      append(log, id, `body ${id}`);
    }
    log.removeUpTo(2);
    log.markCommitted(2);
    append(log, 4, "body 4");
    log.close();
    const next = folder.open(0);
    expect(bodiesOf(next)).toEqual(["body 3", "body 4"]);
    expect([next.markedId, next.damaged]).toEqual([2, []]);
    next.removeUpTo(4);
    next.markCommitted(4);
    next.close();
    const last = folder.open(0);
    expect([bodiesOf(last), last.lastId, last.markedId]).toEqual([[], null, 4]);
    last.close();
  });

  test("says when it will not know by itself what is committed: without a file, or if the one with the note is removed", () => {
    using folder = new LogFolder();
    const log = folder.open();
    expect(log.markCommitted(1)).toBe(false);
    append(log, 2, "x".repeat(17 * 1024 * 1024));
    append(log, 3, "in the next file");
    // The first file is removed, but the note is in the second.
    expect(log.markCommitted(2)).toBe(true);
    log.removeUpTo(2);
    expect(log.markCommitted(2)).toBe(true);
    append(log, 4, "x".repeat(17 * 1024 * 1024));
    expect(log.markCommitted(3)).toBe(true);
    expect(log.markCommitted(4)).toBe(false);
    log.removeUpTo(4);
    expect(folder.files()).toEqual([]);
    log.close();
  });

  test("loses nothing to a note of what is committed that a crash has cut off", () => {
    using folder = new LogFolder();
    const log = folder.open();
    append(log, 1, "body 1");
    append(log, 2, "body 2");
    const whole = readFileSync(folder.files()[0] ?? "").length;
    log.markCommitted(1);
    log.close();
    truncateSync(folder.files()[0] ?? "", whole + 20);
    const next = folder.open(0);
    expect([bodiesOf(next), next.damaged]).toEqual([["body 1", "body 2"], []]);
    next.close();
  });

  test("flushes the folder again for a file that is created during its flush", async () => {
    using folder = new LogFolder();
    const log = folder.open();
    append(log, 1, "x".repeat(17 * 1024 * 1024));
    const before = folderFlushes.length;
    const flushing = log.flush();
    append(log, 2, "in the next file");
    await flushing;
    await log.flush();
    expect(folderFlushes.slice(before)).toEqual([folder.path, folder.path]);
    log.close();
  });

  test("flushes the folder of a new file before the file counts as flushed", async () => {
    using folder = new LogFolder();
    const log = folder.open();
    append(log, 1, "body");
    expect(log.isDirty).toBe(true);
    const before = folderFlushes.length;
    await log.flush();
    expect(folderFlushes.slice(before)).toEqual([folder.path]);
    append(log, 2, "body");
    await log.flush();
    expect(folderFlushes.slice(before)).toEqual([folder.path]);
    log.flushNow();
    log.close();
    const next = new LogFolder();
    const other = next.open();
    append(other, 1, "body");
    other.flushNow();
    expect(folderFlushes.at(-1)).toBe(next.path);
    other.close();
    next[Symbol.dispose]();
  });
});
