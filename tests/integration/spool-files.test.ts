import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { readdir, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { appendNotes, notes, type SpoolFolder, sink, spoolFolder } from "../support/usage/spool-fixture.ts";

const flushMs = 60_000;

/** The files of the first slot as a crash at this moment would leave them. */
function slotCopy(folder: SpoolFolder): { readonly files: string } {
  const files = mkdtempSync(join(tmpdir(), "sluice-spool-copy-"));
  expect(Bun.spawnSync(["cp", "-r", `${join(folder.directory, "0")}/.`, files]).exitCode).toBe(0);
  return { files };
}

/** Up to which group everything is committed, according to the SQLite file of the first slot. */
function committedIn(folder: SpoolFolder): string | null {
  const { files } = slotCopy(folder);
  using database = new Database(join(files, "spool.db"));
  using query = database.query<{ value: string }, []>("select value from meta where name = 'committed_id'");
  const value = query.get()?.value ?? null;
  rmSync(files, { recursive: true });
  return value;
}

/** The size of the files of the first slot. */
async function bytesIn(folder: SpoolFolder): Promise<number> {
  const slot = join(folder.directory, "0");
  const sizes = await Promise.all((await readdir(slot)).map((name) => stat(join(slot, name))));
  return sizes.reduce((sum, { size }) => sum + size, 0);
}

describe("space", () => {
  test("of a long backlog is returned to the disk once it is committed", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open({ cachedEntriesMax: 10 });
    const row = "x".repeat(1_000_000);
    for (let count = 0; count < 100; count += 1) {
      await spool.append({ kind: "note", row });
    }
    await spool.close();
    expect(await bytesIn(folder)).toBeGreaterThan(100_000_000);
    const next = await folder.open();
    next.drain(sink());
    await next.replayed;
    await next.append({ kind: "note", row: "small" });
    await next.close();
    expect(await bytesIn(folder)).toBeLessThan(18_000_000);
  });

  test("is held in reserve, and recreated only when missing", async () => {
    await using folder = await spoolFolder();
    const reserve = join(folder.directory, "0", "reserve");
    const first = await folder.open({ reserveBytes: 3_000_000 });
    expect(first.isAccepting).toBe(true);
    const { size, ino } = await stat(reserve);
    expect(size).toBe(3_000_000);
    await first.close();
    await folder.open({ reserveBytes: 3_000_000 });
    expect((await stat(reserve)).ino).toBe(ino);
  });

  test("that can't be reserved keeps new work out", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open({ reserveBytes: 2 ** 50 });
    expect(spool.isAccepting).toBe(false);
    expect(folder.warnings.map(({ event }) => event)).toEqual(["spool.disk_full"]);
    await spool.append({ kind: "note", row: "of work that is under way" });
    expect(await readdir(join(folder.directory, "0"))).not.toContain("reserve");
  });
});

describe("what is committed", () => {
  test("is known after the process has ended, though most commits leave the SQLite file as it was", async () => {
    await using folder = await spoolFolder();
    const committed = () => committedIn(folder);
    const first = await folder.open({ cachedEntriesMax: 10 });
    first.drain(sink());
    for (const round of ["a", "b", "c"]) {
      await appendNotes(first, notes(round, 3));
      expect(await first.flush(flushMs)).toBe(true);
    }
    expect(committed()).toBeNull();
    // With this group, the file of the log is full. It goes when the group is committed, and with it what it says.
    const row = "x".repeat(9_000_000);
    await Promise.all([first.append({ kind: "note", row }), first.append({ kind: "note", row })]);
    expect(await first.flush(flushMs)).toBe(true);
    expect(committed()).toBe("4");
    await appendNotes(first, notes("d", 3));
    expect(await first.flush(flushMs)).toBe(true);
    expect(committed()).toBe("4");
    await first.close();
    const next = await folder.open();
    const heir = sink();
    next.drain(heir);
    await next.replayed;
    expect([heir.rows(), next.depth().entries]).toEqual([[], 0]);
  });

  test("is in the SQLite file before a file of the log is written over: an earlier version takes the rest of it for new", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open({ cachedEntriesMax: 10 });
    await spool.append({ kind: "note", row: "x".repeat(9_000_000) });
    await spool.append({ kind: "note", row: "in the next file" });
    expect(await readdir(join(folder.directory, "0"))).not.toContain("spare.log");
    spool.drain(sink());
    expect(await spool.flush(flushMs)).toBe(true);
    expect(await readdir(join(folder.directory, "0"))).toContain("spare.log");
    expect(committedIn(folder)).toBe("2");
    await spool.close();
  });
});

describe("a damaged file", () => {
  test("that says what is committed costs nothing but itself: committed rows do not come back", async () => {
    await using folder = await spoolFolder();
    const first = await folder.open();
    first.drain(sink());
    await appendNotes(first, notes("committed", 3));
    expect(await first.flush(flushMs)).toBe(true);
    await first.close();
    const second = await folder.open();
    await appendNotes(second, ["waits"]);
    await second.close();
    await writeFile(join(folder.directory, "0", "spool.db"), "this is not a database".repeat(1_000));
    for (const more of ["later", "last"]) {
      const spool = await folder.open();
      const consumer = sink();
      spool.drain(consumer);
      await spool.replayed;
      await appendNotes(spool, [more]);
      expect(await spool.flush(flushMs)).toBe(true);
      expect(consumer.rows()).toEqual(more === "later" ? ["waits", "later"] : ["last"]);
      await spool.close();
    }
  });

  test("is moved aside with a warning, and the slot continues as another replica", async () => {
    await using folder = await spoolFolder();
    const first = await folder.open();
    const { replicaId } = first;
    await first.close();
    await writeFile(join(folder.directory, "0", "spool.db"), "this is not a database".repeat(1_000));
    const spool = await folder.open();
    expect(spool.replicaId).not.toBe(replicaId);
    await spool.append({ kind: "note", row: "a" });
    expect(folder.warnings).toEqual([
      { event: "spool.corrupt", detail: expect.objectContaining({ movedTo: expect.stringContaining("corrupt") }) },
    ]);
    const movedTo = String(folder.warnings[0]?.detail["movedTo"]);
    expect(existsSync(join(folder.directory, "0", movedTo))).toBe(true);
  });
});
