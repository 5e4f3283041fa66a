import { describe, expect, spyOn, test } from "bun:test";
import { closeSync, readFileSync, statSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import {
  encodeGroup,
  encodeNote,
  headBytes,
  type StoredGroup,
} from "@sluice/control-plane/platform/spool/group-record.ts";
import { type LogFile, openFile, readGroup } from "@sluice/control-plane/platform/spool/log-file.ts";
import { asBuffer } from "@sluice/http-client/as-buffer";
import { append, LogFolder } from "../../../support/usage/log-folder.ts";

const everything = Number.MAX_SAFE_INTEGER;

describe("a log of groups that is read", () => {
  test("gives the groups before one that it can't read, and keeps its file when it is given up", () => {
    using folder = new LogFolder();
    const log = folder.open();
    for (const id of [1, 2, 3]) {
      append(log, id, `body ${id}`.repeat(20));
    }
    const [path = ""] = folder.files();
    const bytes = readFileSync(path);
    bytes[bytes.indexOf("body 2") + 3] = 1;
    writeFileSync(path, bytes);
    expect(log.read(1, everything, 10).map(({ id }) => id)).toEqual([1]);
    expect(() => log.read(2, everything, 10)).toThrow(/can't be read/);
    expect(log.keepFileOf(2)).toBe(`${path}.corrupt`);
    expect(log.read(3, everything, 10).map(({ id }) => id)).toEqual([3]);
    log.clear();
    expect(folder.files()).toEqual([`${path}.corrupt`]);
    expect(readFileSync(`${path}.corrupt`).equals(bytes)).toBe(true);
    log.close();
  });

  test("keeps what it can't read at once, also at the end of a file that goes on, and nothing that was kept before is lost", () => {
    using folder = new LogFolder();
    const log = folder.open();
    append(log, 1, "first");
    append(log, 2, "second");
    const [path = ""] = folder.files();
    writeFileSync(`${path}.corrupt`, "of an earlier process");
    const damage = (body: string) => {
      const bytes = readFileSync(path);
      bytes[bytes.indexOf(body)] = 1;
      writeFileSync(path, bytes);
      return bytes;
    };
    const damaged = damage("second");
    const copy = `${path}.corrupt-2`;
    expect([log.keepFileOf(2), log.keepFileOf(1)]).toEqual([copy, copy]);
    expect(readFileSync(copy).equals(damaged)).toBe(true);
    append(log, 3, "third");
    expect(log.keepFileOf(1)).toBe(copy);
    expect(readFileSync(copy).equals(damaged)).toBe(true);
    const more = damage("third");
    expect(log.keepFileOf(3)).toBe(copy);
    expect(readFileSync(copy).equals(more)).toBe(true);
    log.removeUpTo(3);
    log.markCommitted(3);
    log.close();
    const next = folder.open();
    next.close();
    expect(readFileSync(copy).equals(more)).toBe(true);
    expect(readFileSync(`${path}.corrupt`, "utf8")).toBe("of an earlier process");
  });

  test("keeps the file itself if there is no room for a copy", () => {
    for (const isFull of [true, false]) {
      using folder = new LogFolder();
      const log = folder.open();
      append(log, 1, isFull ? "x".repeat(9_000_000) : "only");
      const [path = ""] = folder.files();
      symlinkSync("/dev/full", `${path}.corrupt.part`);
      expect(log.keepFileOf(1)).toBe(`${path}.corrupt`);
      // A part of a copy would take the room that calls need.
      expect(folder.files()).toEqual([path]);
      if (isFull) {
        append(log, 2, "in the next file");
      }
      const bytes = readFileSync(path);
      log.removeUpTo(1);
      if (!isFull) {
        log.close();
      }
      expect(readFileSync(`${path}.corrupt`).equals(bytes)).toBe(true);
      log.close();
    }
  });

  test("warns about damage until its rows are given up, and copies other damage too", () => {
    using folder = new LogFolder();
    const first = folder.open();
    for (const id of [1, 2, 3, 4, 5]) {
      append(first, id, `body ${id}`);
    }
    const [path = ""] = folder.files();
    const damage = (body: string) => {
      const bytes = readFileSync(path);
      bytes[bytes.indexOf(body)] = 1;
      writeFileSync(path, bytes);
      return bytes;
    };
    const damagedOf = (committedId = 0) => {
      const log = folder.open(committedId);
      log.close();
      return log.damaged.map(({ movedTo }) => movedTo);
    };
    const damaged = damage("body 2");
    const [copy, other] = [`${path}.corrupt`, `${path}.corrupt-2`];
    expect(first.keepFileOf(2)).toBe(copy);
    first.close();
    expect([damagedOf(), damagedOf(1), damagedOf(2)]).toEqual([[copy], [copy], []]);
    const more = damage("body 4");
    expect([damagedOf(2), damagedOf(3), damagedOf(4)]).toEqual([[other], [other], []]);
    expect([readFileSync(copy).equals(damaged), readFileSync(other).equals(more)]).toEqual([true, true]);
    expect(folder.files()).toEqual([path, copy, other]);
  });

  test("gives no whole record that is in the place of a group, unless it is the group", () => {
    using folder = new LogFolder();
    const log = folder.open();
    const group = { id: 1, count: 2, body: Buffer.from("body") };
    log.append(group, 1);
    const [path = ""] = folder.files();
    const record = Buffer.alloc(headBytes + group.body.length + headBytes);
    const read = (changes: Partial<StoredGroup>) => {
      encodeGroup(record, { ...group, ...changes }, 1, 0);
      writeFileSync(path, record);
      return [log.readOne(1), log.read(1, everything, 10)[0]?.body].map((body) => String(body && asBuffer(body)));
    };
    expect(read({})).toEqual(["body", "body"]);
    encodeNote(record, 0, group.id, 0);
    writeFileSync(path, record);
    expect(() => log.readOne(1)).toThrow(/can't be read/);
    for (const changes of [{ id: 2 }, { count: 1 }, { body: Buffer.from("bod") }]) {
      expect(() => read(changes)).toThrow(/can't be read/);
    }
    log.close();
  });

  test("gives one group alone, of any length, and none that is forgotten or not whole", () => {
    using folder = new LogFolder();
    const first = folder.open();
    // With its head it is longer than the memory for records is at first.
    const long = "x".repeat(256 * 1024 - headBytes / 2);
    for (const [index, body] of ["first", long, "last"].entries()) {
      append(first, index + 1, body);
    }
    first.close();
    const log = folder.open();
    expect([1, 2, 3].map((id) => asBuffer(log.readOne(id)).toString())).toEqual(["first", long, "last"]);
    log.removeUpTo(1);
    for (const id of [1, 4]) {
      expect(() => log.readOne(id)).toThrow(/is not in the log/);
    }
    // What is missing of it is still in memory.
    const [path = ""] = folder.files();
    truncateSync(path, statSync(path).size - headBytes - 1);
    expect(() => log.readOne(3)).toThrow(/can't be read/);
    log.close();
  });

  test("tells a group that is not what was written from one that the disk does not give back now", () => {
    using folder = new LogFolder();
    const log = folder.open();
    append(log, 1, "a body that is cut off");
    log.close();
    const [path = ""] = folder.files();
    const { file } = openFile(path, 1);
    const [place] = file.groups;
    if (place === undefined) {
      throw new Error("the file has a group");
    }
    const errorOf = (changes: Partial<LogFile>): unknown => {
      try {
        return readGroup({ ...file, ...changes }, place);
      } catch (error) {
        return error;
      }
    };
    const group = { id: 1, count: 1, bytes: 22 };
    expect(errorOf({})).toEqual({ id: 1, count: 1, body: Buffer.from("a body that is cut off") });
    const refused = errorOf({ fd: 100_000 });
    expect(refused).toMatchObject({ group, isDamaged: false, cause: { code: "EBADF" } });
    truncateSync(path, statSync(path).size - headBytes - 1);
    expect(errorOf({})).toMatchObject({ group, isDamaged: true });
    closeSync(file.fd);
  });

  test("reads some groups without copying the places of all", () => {
    using folder = new LogFolder();
    const log = folder.open();
    for (let id = 1; id <= 100; id += 1) {
      append(log, id, `${id}`);
    }
    let copied = 0;
    const { slice } = Array.prototype;
    using _ = spyOn(Array.prototype, "slice").mockImplementation(function (this: unknown[], ...range) {
      const part = slice.apply(this, range);
      copied += part.length;
      return part;
    });
    expect(log.read(11, everything, 3).map(({ id }) => id)).toEqual([11, 12, 13]);
    expect(copied).toBe(3);
    log.close();
  });

  test("reads no more groups than it is asked for, over the ends of files", () => {
    using folder = new LogFolder();
    const log = folder.open();
    for (let id = 1; id <= 8; id += 1) {
      append(log, id, "x".repeat(5_000_000));
    }
    expect(folder.files().length).toBeGreaterThan(1);
    expect(log.read(3, 7, 100).map(({ id }) => id)).toEqual([3, 4, 5, 6]);
    expect(log.read(3, 9, 3).map(({ id }) => id)).toEqual([3, 4, 5]);
    log.close();
  });
});
