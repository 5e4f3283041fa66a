import { Database } from "bun:sqlite";
import { afterEach, describe, expect, mock, spyOn, test } from "bun:test";
import { cpSync, readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { UnreadableGroupError } from "@sluice/control-plane/platform/spool/errors.ts";
import { GroupLog } from "@sluice/control-plane/platform/spool/group-log.ts";
import { SpoolStore } from "@sluice/control-plane/platform/spool/spool-store.ts";
import { appendNotes, type SpoolFolder, sink, spoolFolder } from "../../../support/usage/spool-fixture.ts";

const bad = "bad";
const line = `["note","${bad}"]`;

/** A consumer whose database refuses one row. */
const refusing = () =>
  sink(({ entries }) => {
    if (entries.some(({ row }) => row === bad)) {
      throw new Error("poison");
    }
  });

/** What a start reports and counts, until what an earlier process left is committed. */
async function replay(folder: SpoolFolder, consumer = refusing()) {
  const spool = await folder.open();
  spool.drain(consumer);
  await spool.replayed;
  const rows = spool.readQuarantined().map(({ row }) => row);
  const counts = [spool.depth().quarantined, spool.quarantinedBeside("count"), consumer.quarantined.length];
  await spool.close();
  return { rows, counts, bytes: spool.depth().bytes };
}

const once = { rows: [bad], counts: [1, 1, 1], bytes: line.length };

afterEach(() => {
  mock.restore();
});

describe("a row that the database refuses again after a crash is quarantined and counted once", () => {
  test("if a group before it was set aside, so that it was not noted as committed", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open({ cachedEntriesMax: 0 });
    for (const row of ["unreadable", bad, "good"]) {
      await appendNotes(spool, [row]);
    }
    const { read, readOne } = GroupLog.prototype;
    const check = (id: number): void => {
      if (id === 1) {
        throw new UnreadableGroupError("the log", { id, count: 1, bytes: 10 }, new Error("EIO"));
      }
    };
    spyOn(GroupLog.prototype, "readOne").mockImplementation(function (this: GroupLog, id) {
      check(id);
      return readOne.call(this, id);
    });
    // When it is read again, which is soon.
    spyOn(GroupLog.prototype, "read").mockImplementation(function (this: GroupLog, fromId, ...rest) {
      check(fromId);
      return read.call(this, fromId, ...rest);
    });
    const isQuarantined = Promise.withResolvers<void>();
    spool.drain({ ...refusing(), onQuarantine: () => isQuarantined.resolve() });
    await isQuarantined.promise;
    await using crashed = await spoolFolder();
    cpSync(join(folder.directory, "0"), join(crashed.directory, "0"), { recursive: true });
    mock.restore();
    const consumer = refusing();
    expect(await replay(crashed, consumer)).toEqual(once);
    expect(consumer.rows()).toEqual(["unreadable", "good"]);
  });

  test("if the process ended while it took it out of quarantine", async () => {
    await using folder = await spoolFolder();
    await (await folder.open()).close();
    const store = new SpoolStore(join(folder.directory, "0"));
    store.insert({ id: 1, count: 1, body: Buffer.from(line) }, 1_000);
    store.complete(0, [{ text: line, error: "refused" }], 1_000);
    await store.close();
    expect(await replay(folder)).toEqual(once);
  });

  test("if an earlier version quarantined it twice", async () => {
    await using folder = await spoolFolder();
    await (await folder.open()).close();
    const database = new Database(join(folder.directory, "0", "spool.db"));
    for (const atMs of [1, 2]) {
      database.run("insert into quarantine (at_ms, reason, text) values (?, 'refused', ?)", [atMs, line]);
    }
    database.close();
    const consumer = sink();
    expect(await replay(folder, consumer)).toEqual({ rows: [], counts: [0, 0, 0], bytes: 0 });
    expect(consumer.rows()).toEqual([bad]);
  });

  test("if it is in no group that can be read", async () => {
    await using folder = await spoolFolder();
    await (await folder.open()).close();
    const store = new SpoolStore(join(folder.directory, "0"));
    const lost = { text: "row 1 of 1 of group 2, which could not be read", error: new Error("see a file") };
    expect(store.complete(0, [lost], 1_000)).toEqual([lost]);
    expect(store.complete(0, [{ ...lost, error: new Error("see another file") }], 2_000)).toEqual([]);
    await store.close();
  });
});

test("rows of a group that was given up and can be read at the next start are committed, and are not in quarantine", async () => {
  await using folder = await spoolFolder();
  await (await folder.open()).close();
  const store = new SpoolStore(join(folder.directory, "0"));
  for (const [id, row] of ["refused", "before", "back"].entries()) {
    store.insert({ id: id + 1, count: 1, body: Buffer.from(`["note","${row}"]`) }, 1_000);
  }
  const lost = [1, 3].map((id) => `row 1 of 1 of group ${id}, which could not be read`);
  // The third was given up while the second was set aside.
  store.complete(
    1,
    lost.map((text) => ({ text, error: new Error("EIO") })),
    1_000,
  );
  await store.close();
  const consumer = sink();
  expect(await replay(folder, consumer)).toMatchObject({ rows: [], counts: [1, 1, 1] });
  expect(consumer.rows()).toEqual(["before", "back"]);
  expect(consumer.quarantined.map(({ text }) => text)).toEqual(lost.slice(0, 1));
});

test("a row of a lost group stays in quarantine if a start ends before all lines of it are tried again", async () => {
  await using folder = await spoolFolder();
  await (await folder.open()).close();
  const slot = join(folder.directory, "0");
  const store = new SpoolStore(slot);
  store.insert({ id: 1, count: 1, body: Buffer.from(`["note","before"]`) }, 1_000);
  const file = join(slot, readdirSync(slot).find((name) => name.startsWith("groups-")) ?? "");
  const { size } = statSync(file);
  store.insert({ id: 2, count: 1, body: Buffer.from(`["note","lost"]`) }, 1_000);
  const lost = "row 1 of 1 of group 2, which could not be read";
  const error = new Error("EIO");
  store.complete(
    0,
    [line, lost].map((text) => ({ text, error })),
    1_000,
  );
  await store.close();
  // As if it had never been there.
  truncateSync(file, size);
  const { append } = GroupLog.prototype;
  spyOn(GroupLog.prototype, "append").mockImplementation(function (this: GroupLog, group, atMs) {
    if (Buffer.from(group.body).toString() === lost) {
      throw error;
    }
    append.call(this, group, atMs);
  });
  const ended = new SpoolStore(slot);
  expect(() => ended.requeueQuarantined(2_000)).toThrow(error);
  await ended.close();
  mock.restore();
  const consumer = refusing();
  await replay(folder, consumer);
  expect(consumer.rows()).toEqual(["before"]);
  expect(consumer.quarantined.map(({ text }) => text).toSorted()).toEqual([line, lost].toSorted());
});
