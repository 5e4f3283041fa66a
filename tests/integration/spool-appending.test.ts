import { describe, expect, test } from "bun:test";
import { StorageUnavailableError } from "@sluice/control-plane/platform/spool/errors.ts";
import { appendNotes, noteCodecs, notes, sink, spoolFolder } from "../support/usage/spool-fixture.ts";
import { groupsOnDisk } from "../support/usage/spool-on-disk.ts";

const flushMs = 60_000;

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

  test("tells the one who waits if not even a group can be begun, and records what comes next", async () => {
    await using folder = await spoolFolder();
    let isBroken = true;
    const begin = () => {
      if (isBroken) {
        throw new RangeError("broken");
      }
      return null;
    };
    const summaries = { begin, add: () => undefined, merge: () => undefined };
    const spool = await folder.open({ summaries });
    const lost: unknown[] = [];
    spool.appendFor(
      { kind: "note", row: "first" },
      { onWritten: () => lost.push("none"), onLost: (error) => lost.push(error) },
    );
    await Promise.resolve();
    expect(lost).toEqual([new RangeError("broken")]);
    isBroken = false;
    await spool.append({ kind: "note", row: "second" });
    expect((await groupsOnDisk(folder)).map(({ body }) => body)).toEqual(['["note","second"]']);
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
