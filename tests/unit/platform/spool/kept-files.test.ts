import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { append, LogFolder } from "../../../support/usage/log-folder.ts";
import { appendNotes, sink, spoolFolder } from "../../../support/usage/spool-fixture.ts";

const copiesMax = 16;
const copyBytesMax = 128 * 1024 * 1024;
const everything = Number.MAX_SAFE_INTEGER;

function damage(path: string, body: string): void {
  const bytes = readFileSync(path);
  bytes[bytes.indexOf(body)] = 1;
  writeFileSync(path, bytes);
}

/** The name of the nth copy of a file. */
const copyOf = (path: string, copy: number): string => `${path}.corrupt${copy === 1 ? "" : `-${copy}`}`;

/** Copies of another file. */
function fillWithCopies(folder: string, copies: number, bytes = 0): string[] {
  return Array.from({ length: copies }, (_, index) => {
    const path = copyOf(join(folder, "groups-0000000000000000.log"), index + 1);
    writeFileSync(path, "");
    truncateSync(path, bytes);
    return path;
  });
}

const copiesIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.includes(".corrupt"));

describe("copies of damaged files", () => {
  test("are kept until there are sixteen; then those stay, and later damage is still told of", () => {
    using folder = new LogFolder();
    const log = folder.open();
    const body = (id: number) => `body ${String(id).padStart(3, "0")}`;
    for (let id = 1; id <= 40; id += 1) {
      append(log, id, body(id));
    }
    log.close();
    const [path = ""] = folder.files();
    const start = (id: number) => {
      damage(path, body(id));
      const next = folder.open();
      next.close();
      return next.damaged;
    };
    for (let copy = 1; copy <= copiesMax; copy += 1) {
      expect(start(2 * copy)).toEqual([{ path, movedTo: copyOf(path, copy) }]);
    }
    const first = readFileSync(copyOf(path, 1));
    expect(start(34)).toEqual([{ path, movedTo: null }]);
    expect(start(36)).toEqual([{ path, movedTo: null }]);
    expect(copiesIn(folder.path)).toHaveLength(copiesMax);
    expect(readFileSync(copyOf(path, 1)).equals(first)).toBe(true);
    // Somebody has moved one away.
    rmSync(copyOf(path, copiesMax));
    expect(start(38)).toEqual([{ path, movedTo: copyOf(path, copiesMax) }]);
  });

  test("are kept until they have 128 MiB", () => {
    for (const [bytes, isKept] of [
      [copyBytesMax, false],
      [copyBytesMax - 10_000, true],
    ] as const) {
      using folder = new LogFolder();
      const log = folder.open();
      append(log, 1, "body 1");
      append(log, 2, "body 2");
      log.close();
      const [path = ""] = folder.files();
      fillWithCopies(folder.path, 1, bytes);
      damage(path, "body 1");
      const next = folder.open();
      expect(next.damaged).toEqual([{ path, movedTo: isKept ? copyOf(path, 1) : null }]);
      next.close();
    }
  });

  test("are counted with files that are kept themselves later, because they can't be copied now", () => {
    using folder = new LogFolder();
    fillWithCopies(folder.path, copiesMax - 1);
    const log = folder.open();
    for (const id of [1, 2]) {
      append(log, id, `${id}`.repeat(9_000_000));
    }
    const [one = "", two = ""] = folder.files().filter((path) => path.endsWith(".log"));
    symlinkSync("/dev/full", `${copyOf(one, 1)}.part`);
    expect([log.keepFileOf(1), log.keepFileOf(2), log.keepFileOf(1)]).toEqual([copyOf(one, 1), null, copyOf(one, 1)]);
    log.removeUpTo(2);
    log.close();
    expect(folder.files()).toContain(copyOf(one, 1));
    expect(folder.files()).not.toContain(copyOf(two, 1));
    expect(copiesIn(folder.path)).toHaveLength(copiesMax);
  });

  test("of which a process that ended has left a part are made whole at the next start, or the part is removed", () => {
    using folder = new LogFolder();
    const log = folder.open();
    for (const id of [1, 2]) {
      append(log, id, `body ${id}`);
    }
    log.close();
    const [path = ""] = folder.files();
    damage(path, "body 1");
    const damaged = readFileSync(path);
    const part = (copy: number) => `${copyOf(path, copy)}.part`;
    writeFileSync(part(1), damaged.subarray(0, 10));
    writeFileSync(part(2), damaged.subarray(0, 10));
    const next = folder.open();
    next.close();
    expect(next.damaged).toEqual([{ path, movedTo: copyOf(path, 1) }]);
    expect(readFileSync(copyOf(path, 1)).equals(damaged)).toBe(true);
    expect(copiesIn(folder.path)).toHaveLength(1);
  });

  test("grow with their file only up to the limit", () => {
    using folder = new LogFolder();
    const log = folder.open();
    append(log, 1, "body 1");
    const [path = ""] = folder.files();
    expect(log.keepFileOf(1)).toBe(copyOf(path, 1));
    const copied = readFileSync(copyOf(path, 1));
    append(log, 2, "x".repeat(20_000));
    fillWithCopies(folder.path, 1, copyBytesMax - 10_000);
    expect([log.keepFileOf(2), log.keepFileOf(1)]).toEqual([null, copyOf(path, 1)]);
    expect(readFileSync(copyOf(path, 1)).equals(copied)).toBe(true);
    expect(log.read(1, everything, 10)).toHaveLength(2);
    log.close();
  });
});

describe("a spool that keeps enough copies", () => {
  test("quarantines the rows of a damaged group all the same, and says that no copy is kept", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open({ cachedEntriesMax: 0 });
    const slot = join(folder.directory, "0");
    fillWithCopies(slot, copiesMax);
    await appendNotes(spool, ["damaged"]);
    await appendNotes(spool, ["good"]);
    damage(join(slot, "groups-0000000000000001.log"), "damaged");
    const consumer = sink();
    spool.drain(consumer);
    expect(await spool.flush(60_000)).toBe(true);
    expect(consumer.rows()).toEqual(["good"]);
    expect(consumer.quarantined.map(({ error }) => String(error))).toEqual([
      expect.stringContaining("no copy of it is kept"),
    ]);
    expect(copiesIn(slot)).toHaveLength(copiesMax);
  });

  test("starts with a new SQLite file in the place of a damaged one, which is not kept, and says so", async () => {
    await using folder = await spoolFolder();
    await (await folder.open()).close();
    const slot = join(folder.directory, "0");
    fillWithCopies(slot, copiesMax);
    writeFileSync(join(slot, "spool.db"), "this is not a database".repeat(1_000));
    const spool = await folder.open();
    await appendNotes(spool, ["row"]);
    const detail = expect.objectContaining({ folder: slot, movedTo: null });
    expect(folder.warnings).toEqual([{ event: "spool.corrupt", detail }]);
    expect(copiesIn(slot)).toHaveLength(copiesMax);
  });
});
