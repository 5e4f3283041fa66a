import { describe, expect, test } from "bun:test";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { GroupLog } from "@sluice/control-plane/platform/spool/group-log.ts";
import { encodeGroup, headBytes } from "@sluice/control-plane/platform/spool/group-record.ts";
import { fileBytesMax, nameOf } from "@sluice/control-plane/platform/spool/log-file.ts";
import { append, LogFolder } from "../../../support/usage/log-folder.ts";
import { appendNotes, sink, spoolFolder } from "../../../support/usage/spool-fixture.ts";

const everything = Number.MAX_SAFE_INTEGER;
const ids = [101, 102, 103];
const lastId = 103;
/** What is changed in a byte: one bit of it, or all. */
const masks = [0x01, 0xff, 0x80];

const idsOf = (log: GroupLog): number[] => log.read(0, everything, 100).map(({ id }) => id);

/** The bytes of a group with its note, or without, as earlier versions wrote it. */
function recordOf(id: number, hasNote: boolean): Buffer {
  const body = Buffer.from(`["note","body ${id}"]`);
  const bytes = Buffer.alloc(headBytes + body.length + headBytes);
  const length = encodeGroup(bytes, { id, count: 1, body }, 1_000, 0);
  return bytes.subarray(0, hasNote ? length : length - headBytes);
}

const contentOf = (some: readonly number[], hasNotes: boolean): Buffer =>
  Buffer.concat(some.map((id) => recordOf(id, hasNotes)));

/** Where the last of these groups begins and ends, without its note. */
function rangeOfLast(hasNotes: boolean) {
  const from = contentOf(ids.slice(0, -1), hasNotes).length;
  return { from, to: from + recordOf(lastId, false).length };
}

/** A file with this name, in which older groups are left after what is written over them. */
function writeOver(path: string, bytes: Buffer): void {
  const former = contentOf([1, 2, 3, 4, 5, 6, 7], true);
  writeFileSync(path, Buffer.concat([bytes, former.subarray(bytes.length)]));
  truncateSync(path, fileBytesMax + 1);
}

const kinds = [
  { kind: "a new file", write: writeFileSync as (path: string, bytes: Buffer) => void },
  { kind: "a file that is written over", write: writeOver },
];

/** What a start finds in a folder with this file alone. */
function openWith(write: (path: string, bytes: Buffer) => void, bytes: Buffer, committedId = 0) {
  using folder = new LogFolder();
  const path = join(folder.path, nameOf(101));
  write(path, bytes);
  const log = folder.open(committedId);
  const found = { ids: idsOf(log), lostId: log.lostId, isTold: log.damaged.length > 0 };
  log.close();
  return found;
}

/** The content of a file with other bytes in one place. */
function changed(bytes: Buffer, at: number, mask: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = (copy[at] ?? 0) ^ mask;
  return copy;
}

/** Groups of 400 KB after this one, until the log begins another file. @returns the last one, which is in that file */
function fillFile(log: GroupLog, folder: LogFolder, afterId: number): number {
  append(log, afterId + 1, "the first one");
  for (let id = afterId + 2; ; id += 1) {
    append(log, id, "x".repeat(400_000));
    if (folder.files().includes(join(folder.path, nameOf(id)))) {
      return id;
    }
  }
}

test("a file that damage has made short is not written over: what is left in it would look like damage", () => {
  using folder = new LogFolder();
  const log = folder.open();
  const upToId = fillFile(log, folder, 0);
  log.close();
  const [first = ""] = folder.files();
  writeFileSync(first, readFileSync(first).fill(0, 1_000_000));
  const next = folder.open();
  expect(next.damaged).toHaveLength(1);
  next.removeUpTo(upToId);
  const last = fillFile(next, folder, upToId);
  append(next, last + 1, "the process is killed after this one");
  const again = folder.open(upToId);
  expect([again.lastId, again.damaged]).toEqual([last + 1, []]);
});

describe.each(kinds)("the last group in $kind", ({ write }) => {
  const content = contentOf(ids, true);
  const { from, to } = rangeOfLast(true);

  test("is dropped without a word if a crash has cut it off, at any byte", () => {
    for (let size = from; size <= content.length; size += 1) {
      const whole = size < to ? ids.slice(0, -1) : ids;
      expect(openWith(write, content.subarray(0, size))).toEqual({ ids: whole, lostId: 0, isTold: false });
    }
  });

  test("is told of if it was written to its end and is damaged, at any byte", () => {
    for (let at = from; at < to; at += 1) {
      const damaged = changed(content, at, masks[at % masks.length] ?? 0);
      expect(openWith(write, damaged)).toEqual({ ids: ids.slice(0, -1), lostId: lastId, isTold: true });
    }
    // All of it is gone but its note.
    const gone = Buffer.from(content).fill(0, from, to);
    expect(openWith(write, gone)).toEqual({ ids: ids.slice(0, -1), lostId: lastId, isTold: true });
  });

  test("is there if the note that ends it is damaged, at any byte", () => {
    for (let at = to; at < content.length; at += 1) {
      expect(openWith(write, changed(content, at, masks[at % masks.length] ?? 0)).ids).toEqual(ids);
    }
  });

  test("is told of at each start until its rows are given up, and no later group gets its id", () => {
    using folder = new LogFolder();
    const path = join(folder.path, nameOf(101));
    const damaged = changed(content, to - 1, 0x01);
    write(path, damaged);
    const copy = `${path}.corrupt`;
    const first = folder.open();
    expect([first.damaged, first.lostId, first.lastId]).toEqual([[{ path, movedTo: copy }], lastId, 102]);
    expect(readFileSync(copy).subarray(0, damaged.length).equals(damaged)).toBe(true);
    append(first, 104, "after");
    first.close();
    for (const [committedId, isTold] of [
      [0, true],
      [102, true],
      [lastId, false],
    ] as const) {
      const log = folder.open(committedId);
      const left = [101, 102, 104].filter((id) => id > committedId);
      expect([idsOf(log), log.damaged]).toEqual([left, isTold ? [{ path, movedTo: copy }] : []]);
      log.close();
    }
    expect(folder.files()).toEqual([path, copy]);
  });
});

describe("the copy of a file whose last group is damaged", () => {
  const content = contentOf(ids, true);
  const { from, to } = rangeOfLast(true);

  test.each([
    ["with its note", content.length],
    ["without its note", to],
  ])("is made once, whatever is written after the damage (%s)", (_, end) => {
    using folder = new LogFolder();
    const path = join(folder.path, nameOf(101));
    writeFileSync(path, Buffer.from(content).fill(0, from, end));
    for (const step of [
      (log: GroupLog) => log.markCommitted(101),
      (log: GroupLog) => log.markCommitted(102),
      (log: GroupLog) => append(log, 104, "after"),
      (log: GroupLog) => log.markCommitted(lastId),
      (log: GroupLog) => append(log, 105, "last"),
    ]) {
      const log = folder.open();
      expect(log.damaged).toEqual(log.markedId < lastId ? [{ path, movedTo: `${path}.corrupt` }] : []);
      expect(step(log)).not.toBe(false);
      log.close();
    }
    expect(folder.files()).toEqual([path, `${path}.corrupt`]);
  });
});

describe("the last group of a version that wrote no notes", () => {
  const content = contentOf(ids, false);
  const { from, to } = rangeOfLast(false);

  test("is read, and dropped without a word if a crash has cut it off, at any byte", () => {
    for (const { write } of kinds) {
      for (let size = from; size <= to; size += 1) {
        const whole = size < to ? ids.slice(0, -1) : ids;
        expect(openWith(write, content.subarray(0, size))).toEqual({ ids: whole, lostId: 0, isTold: false });
      }
    }
  });

  test("is told of in a new file if all of it is there and damaged", () => {
    for (let at = from; at < to; at += 1) {
      const damaged = changed(content, at, 0x01);
      // Its length says that it goes on.
      const isLonger = damaged.readUInt32LE(from + 8) > to - from - headBytes;
      const lost = isLonger ? { lostId: 0, isTold: false } : { lostId: lastId, isTold: true };
      expect(openWith(writeFileSync, damaged)).toEqual({ ids: ids.slice(0, -1), ...lost });
    }
    const gone = Buffer.from(content).fill(0, from, to);
    expect(openWith(writeFileSync, gone)).toMatchObject({ lostId: lastId, isTold: true });
  });
});

describe.each(kinds)("the last group of a file that has a successor, in $kind", ({ write }) => {
  test.each([true, false])("is told of even if nothing of it is left (with notes: %p)", (hasNotes) => {
    const content = contentOf(ids, hasNotes).subarray(0, rangeOfLast(hasNotes).from);
    using folder = new LogFolder();
    const path = join(folder.path, nameOf(101));
    write(path, content);
    writeFileSync(join(folder.path, nameOf(104)), contentOf([104, 105], true));
    for (const [committedId, isTold] of [
      [0, true],
      [102, true],
      [103, false],
    ] as const) {
      const log = folder.open(committedId);
      expect(idsOf(log)).toEqual([101, 102, 104, 105].filter((id) => id > committedId));
      expect(log.damaged).toEqual(isTold ? [{ path, movedTo: `${path}.corrupt` }] : []);
      log.close();
    }
  });
});

describe("a spool whose last group is damaged while no process has it", () => {
  test("warns of it until the next commit, and commits all others once", async () => {
    await using folder = await spoolFolder();
    const first = await folder.open();
    for (const row of ["one", "two", "lost"]) {
      await appendNotes(first, [row]);
    }
    await first.close();
    const slot = join(folder.directory, "0");
    const path = join(slot, nameOf(1));
    const bytes = readFileSync(path);
    writeFileSync(path, changed(bytes, bytes.indexOf("lost"), 0x01));
    const consumer = sink();
    for (const row of [null, "three"]) {
      const spool = await folder.open();
      const told = { event: "spool.corrupt" as const, detail: { folder: slot, path, movedTo: `${path}.corrupt` } };
      expect(folder.warnings.splice(0)).toEqual([told]);
      if (row !== null) {
        await appendNotes(spool, [row]);
        spool.drain(consumer);
        expect(await spool.flush(60_000)).toBe(true);
      }
      await spool.close();
    }
    const last = await folder.open();
    expect([consumer.rows(), last.depth().entries, folder.warnings]).toEqual([["one", "two", "three"], 0, []]);
  });
});
