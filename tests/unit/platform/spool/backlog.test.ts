import { describe, expect, spyOn, test } from "bun:test";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ApiKeyId, BudgetId, GatewayUserId } from "@sluice/contracts/ids";
import type { Quota } from "@sluice/contracts/money";
import { type CallRows, type CallsSummary, callForms } from "@sluice/control-plane/compose/call-rows.ts";
import type { BacklogBounds } from "@sluice/control-plane/platform/spool/backlog.ts";
import type { DrainOptions } from "@sluice/control-plane/platform/spool/drain.ts";
import { GroupLog } from "@sluice/control-plane/platform/spool/group-log.ts";
import { linesOf, type RowSummaries, type SpoolEntry } from "@sluice/control-plane/platform/spool/model.ts";
import { openSpool, type SpoolOptions } from "@sluice/control-plane/platform/spool/spool.ts";
import fc from "fast-check";
import { traceOfCall } from "../../../support/trace/trace-of-call.ts";
import { recordedRows } from "../../../support/usage/recorded-calls.ts";
import {
  appendNotes,
  type NoteRows,
  noteCodecs,
  notes,
  type SpoolFolder,
  sink,
  spoolFolder,
} from "../../../support/usage/spool-fixture.ts";
import { usageRow } from "../../../support/usage/usage-rows.ts";

const numRuns = process.env["TEST_FULL"] === "1" ? 500 : 30;
const flushMs = 60_000;

const customer = {
  gatewayUserId: 1n as GatewayUserId,
  apiKeyId: 1n as ApiKeyId,
  userBudgetId: 1n as BudgetId,
  keyBudgetId: 2n as BudgetId,
};

/** Counts the letters of notes. */
const letters: RowSummaries<NoteRows, { count: number }> = {
  begin: () => ({ count: 0 }),
  add: (summary, { row }) => {
    summary.count += String(row).length;
  },
  merge: (summary, { count }) => {
    summary.count += count;
  },
};

/** How often rows of a spool were converted. */
function countedCodecs() {
  const counts = { encoded: 0, decoded: 0 };
  const { note, count } = noteCodecs;
  const codecs: SpoolOptions<NoteRows>["codecs"] = {
    count,
    note: {
      encode: (row) => {
        counts.encoded += 1;
        return note.encode(row);
      },
      decode: (value) => {
        counts.decoded += 1;
        return note.decode(value);
      },
    },
  };
  return { counts, codecs };
}

type Taken<Summary> = { readonly lines: string[]; readonly memories: ArrayBufferLike[]; readonly summary: Summary };

/** A consumer that does not ask for rows, as that of calls does not. */
function textSink<Rows, Summary>(changes: Partial<DrainOptions<Rows, Summary>> = {}) {
  const batches: Taken<Summary>[] = [];
  const options: DrainOptions<Rows, Summary> = {
    commit: async ({ texts, count, summary }) => {
      const lines = linesOf(texts);
      expect(count).toBeGreaterThan(0);
      batches.push({ lines, memories: texts.map(({ buffer }) => buffer), summary });
    },
    isPoison: () => false,
    onQuarantine: ({ error }) => {
      throw error;
    },
    intervalMs: 1,
    ...changes,
  };
  return { batches, options, lines: () => batches.flatMap(({ lines }) => lines) };
}

/** Changes the first byte of a text in the log of a spool. */
async function damage({ directory }: SpoolFolder, text: string): Promise<void> {
  const slot = join(directory, "0");
  for (const name of (await readdir(slot)).filter((each) => each.endsWith(".log"))) {
    const path = join(slot, name);
    const bytes = await readFile(path);
    const at = bytes.indexOf(text);
    if (at !== -1) {
      bytes[at] = 1;
      await writeFile(path, bytes);
    }
  }
}

describe("a backlog that is longer than what is kept in memory", () => {
  test("goes from the disk as it was recorded: no row of this process is parsed or encoded again", async () => {
    await using folder = await spoolFolder();
    const { counts, codecs } = countedCodecs();
    const spool = await folder.open({ codecs, cachedEntriesMax: 20 });
    const all = Array.from({ length: 60 }, (_, group) => notes(`${group}.`, 1 + (group % 9)));
    for (const group of all) {
      await appendNotes(spool, group);
    }
    // Some groups are longer than a batch.
    const { options, lines } = textSink<NoteRows, null>({ batchMax: 8 });
    spool.drain(options);
    expect(await spool.flush(flushMs)).toBe(true);
    expect(lines()).toEqual(all.flat().map((note) => JSON.stringify(["note", note])));
    expect(counts).toEqual({ encoded: all.flat().length, decoded: 0 });
    expect(spool.depth()).toMatchObject({ entries: 0, bytes: 0 });
  });

  test("has the bytes, charges and days that it would have in memory, so that calls stay one record", async () => {
    const groups = Array.from({ length: 40 }, (_each, group) =>
      Array.from({ length: 1 + (group % 5) }, (_call, call) => {
        const usage = usageRow(customer, {
          day: group < 20 ? "2026-10-30" : "2026-10-31",
          quota: BigInt(group * call) as Quota,
        });
        return recordedRows(usage, traceOfCall(usage));
      }).flat(),
    );
    const commitAll = async (bounds: BacklogBounds) => {
      await using folder = await spoolFolder();
      const { onWarning } = folder.options();
      const spool = await openSpool<CallRows, CallsSummary>({
        ...{ directory: folder.directory, reserveBytes: 0, onWarning, ...bounds },
        ...callForms,
      });
      for (const rows of groups) {
        await Promise.all(rows.map((entry: SpoolEntry<CallRows>) => spool.append(entry)));
      }
      const { batches, options } = textSink<CallRows, CallsSummary>({ batchMax: 30 });
      spool.drain(options);
      expect(await spool.flush(flushMs)).toBe(true);
      await spool.close();
      return batches.map(({ lines, summary: { charges, usageDays, traceDays } }) => ({
        ...{ lines, usageDays, traceDays },
        charges: charges.list,
      }));
    };
    const fromDisk = await commitAll({ cachedEntriesMax: 0, summaryWeightMax: 10_000 });
    expect(fromDisk.flatMap(({ lines }) => lines)).toHaveLength(groups.flat().length / 2);
    expect(fromDisk).toEqual(await commitAll({ cachedEntriesMax: 1_000, summaryWeightMax: 10_000 }));
    const parsed = await commitAll({ cachedEntriesMax: 0, summaryWeightMax: 0 });
    expect(parsed.flatMap(({ lines }) => lines)).toHaveLength(groups.flat().length);
    expect(parsed.map(({ lines: _, ...summary }) => summary)).toEqual(
      fromDisk.map(({ lines: _, ...summary }) => summary),
    );
  });

  test("is read into a few pieces of memory that threads share, which are used again", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open({ cachedEntriesMax: 0 });
    const all = Array.from({ length: 150 }, (_, group) => notes(`${group} ${"long ".repeat(400)}`, 32));
    for (const group of all) {
      await appendNotes(spool, group);
    }
    const { batches, options, lines } = textSink<NoteRows, null>({ batchMax: 64 });
    spool.drain(options);
    expect(await spool.flush(flushMs)).toBe(true);
    expect(lines()).toEqual(all.flat().map((note) => JSON.stringify(["note", note])));
    const memories = new Set(batches.flatMap((batch) => batch.memories));
    expect([...memories].every((memory) => memory instanceof SharedArrayBuffer)).toBe(true);
    // 10 MB of rows, in two files.
    expect(memories.size).toBeLessThan(8);
  });

  test("is committed in shorter batches than rows in memory, because reading them holds calls up", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open({ cachedEntriesMax: 5_000 });
    for (let group = 0; group < 90; group += 1) {
      await appendNotes(spool, notes(`${group}.`, 100));
    }
    const { batches, options } = textSink<NoteRows, null>();
    spool.drain(options);
    expect(await spool.flush(flushMs)).toBe(true);
    expect(batches.map(({ lines }) => lines.length)).toEqual([5_000, 2_000, 2_000]);
  });

  test("is read once, and nothing is once it is short again", async () => {
    await using folder = await spoolFolder();
    using read = spyOn(GroupLog.prototype, "readOne");
    const spool = await folder.open({ cachedEntriesMax: 20 });
    for (let group = 0; group < 6; group += 1) {
      await appendNotes(spool, notes(`${group}.`, 10));
    }
    const { options, lines } = textSink<NoteRows, null>({ batchMax: 20 });
    spool.drain(options);
    expect(await spool.flush(flushMs)).toBe(true);
    for (let group = 0; group < 10; group += 1) {
      await appendNotes(spool, notes(`later ${group}.`, 10));
      expect(await spool.flush(flushMs)).toBe(true);
    }
    expect(lines()).toHaveLength(160);
    expect(read.mock.calls).toEqual([[3], [4], [5], [6]]);
    await spool.close();

    const usual = await folder.open();
    for (let group = 0; group < 6; group += 1) {
      await appendNotes(usual, notes(`${group}.`, 100));
    }
    usual.drain(textSink<NoteRows, null>().options);
    expect(await usual.flush(flushMs)).toBe(true);
    expect(read.mock.calls).toHaveLength(4);
  });

  test("has its poisonous rows quarantined, and all others committed", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open({ cachedEntriesMax: 0 });
    for (const prefix of ["a", "b", "c"]) {
      await appendNotes(spool, notes(prefix, 10));
    }
    const consumer = sink(({ texts }) => {
      if (linesOf(texts).some((line) => line === '["note","b4"]')) {
        throw new Error("poison");
      }
    });
    spool.drain(consumer);
    expect(await spool.flush(flushMs)).toBe(true);
    const all = ["a", "b", "c"].flatMap((prefix) => notes(prefix, 10));
    expect(consumer.rows()).toEqual(all.filter((note) => note !== "b4"));
    expect(consumer.quarantined.map(({ text }) => text)).toEqual(['["note","b4"]']);
  });

  test("of any length comes in order and with the right summaries, wherever its rows and summaries are", async () => {
    const step = fc.record({ rows: fc.integer({ min: 1, max: 9 }), commits: fc.integer({ min: 0, max: 2 }) });
    const bounds = fc.record({ cachedEntriesMax: fc.nat(40), summaryWeightMax: fc.nat(400), earlier: fc.nat(20) });
    await fc.assert(
      fc.asyncProperty(bounds, fc.array(step, { maxLength: 40 }), async ({ earlier, ...bound }, steps) => {
        await using folder = await spoolFolder();
        const open = async () =>
          openSpool<NoteRows, { count: number }>({ ...folder.options(), ...bound, summaries: letters });
        const expected: string[] = [];
        const record = async (to: Parameters<typeof appendNotes>[0], prefix: string, count: number) => {
          expected.push(...notes(prefix, count));
          await appendNotes(to, notes(prefix, count));
        };
        const first = await open();
        await record(first, "earlier", earlier);
        await first.close();
        const spool = await open();
        let allowed = 0;
        const seen: string[] = [];
        spool.drain({
          ...sink(),
          batchMax: 16,
          commit: async ({ texts, count, summary, entries, isReplay }) => {
            if (allowed === 0) {
              throw new Error("the database is away");
            }
            allowed -= 1;
            const rows = entries.map(({ row }) => String(row));
            expect(linesOf(texts)).toEqual(rows.map((row) => JSON.stringify(["note", row])));
            expect([count, summary.count]).toEqual([rows.length, rows.join("").length]);
            expect(rows.every((row) => row.startsWith("earlier") === isReplay)).toBe(true);
            seen.push(...rows);
          },
        });
        for (const [index, { rows, commits }] of steps.entries()) {
          allowed += commits;
          await record(spool, `${index}.`, rows);
          spool.wake();
        }
        allowed = Number.POSITIVE_INFINITY;
        expect(await spool.flush(flushMs)).toBe(true);
        await spool.close();
        expect(seen).toEqual(expected);
      }),
      { numRuns },
    );
  });

  test("is parsed when not even its summaries are kept in memory, and in memory again when it is short", async () => {
    await using folder = await spoolFolder();
    const { counts, codecs } = countedCodecs();
    const spool = await openSpool<NoteRows, { count: number }>({
      ...folder.options({ codecs, cachedEntriesMax: 0 }),
      summaries: letters,
      summaryWeightMax: 100,
    });
    for (let group = 0; group < 30; group += 1) {
      await appendNotes(spool, notes(`${group}.`, 10));
    }
    const { batches, options } = textSink<NoteRows, { count: number }>({ batchMax: 10 });
    spool.drain(options);
    expect(await spool.flush(flushMs)).toBe(true);
    // Five groups are kept: each weighs 10, and so do its rows.
    expect(counts.decoded).toBe(250);
    expect(batches.every(({ lines, summary }) => lines.join("").length === summary.count + lines.length * 11)).toBe(
      true,
    );
    for (let group = 0; group < 20; group += 1) {
      await appendNotes(spool, notes(`later ${group}.`, 10));
      expect(await spool.flush(flushMs)).toBe(true);
    }
    expect(counts.decoded).toBe(250);
    await spool.close();
  });

  test("is parsed a few rows in each turn of the event loop, also when a batch is refused and tried in halves", async () => {
    await using folder = await spoolFolder();
    const { counts, codecs } = countedCodecs();
    const spool = await folder.open({ codecs, cachedEntriesMax: 0, summaryWeightMax: 0 });
    const all = Array.from({ length: 40 }, (_, group) => notes(`${group}.`, 50));
    for (const group of all) {
      await appendNotes(spool, group);
    }
    let [most, before, isWatched] = [0, 0, true];
    const watch = () => {
      most = Math.max(most, counts.decoded - before);
      before = counts.decoded;
      if (isWatched) {
        setImmediate(watch);
      }
    };
    watch();
    const committed: string[] = [];
    spool.drain({
      ...sink(),
      commit: async ({ texts }) => {
        // The time until the database responds.
        await Bun.sleep(1);
        const lines = linesOf(texts);
        if (lines.includes('["note","20.7"]')) {
          throw new Error("poison");
        }
        committed.push(...lines);
      },
    });
    expect(await spool.flush(flushMs)).toBe(true);
    isWatched = false;
    expect(committed).toHaveLength(1_999);
    expect(most).toBeWithin(1, 2 * 128);
  });

  test("loses the group that can't be read and no other, wherever in a batch that is", async () => {
    const all = Array.from({ length: 40 }, (_, group) => notes(`${group}.`, 2));
    // The first that is not read at once with those before, if rows are parsed.
    const lost = 16;
    const drained = async (summaryWeightMax: number) => {
      await using folder = await spoolFolder();
      const spool = await folder.open({ cachedEntriesMax: 0, summaryWeightMax });
      for (const group of all) {
        await appendNotes(spool, group);
      }
      await damage(folder, `"${lost}.0"`);
      const consumer = sink(undefined, { batchMax: 1_000 });
      spool.drain(consumer);
      expect(await spool.flush(flushMs)).toBe(true);
      return [consumer.rows(), consumer.quarantined.length];
    };
    const expected = [all.filter((_, group) => group !== lost).flat(), 2];
    expect(await Promise.all([drained(0), drained(10_000)])).toEqual([expected, expected]);
  });

  test("takes no more memory while calls go on: rows that are read and rows that wait are in blocks of their own", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open({ cachedEntriesMax: 200 });
    for (let group = 0; group < 150; group += 1) {
      await appendNotes(spool, notes(`${group} ${"long ".repeat(400)}`, 32));
    }
    const memories = new Set<ArrayBufferLike>();
    spool.drain({
      ...sink(),
      batchMax: 128,
      commit: async ({ texts }) => {
        for (const { buffer } of texts) {
          memories.add(buffer);
        }
        if (spool.depth().entries > 128) {
          await appendNotes(spool, ["later"]);
        }
      },
    });
    expect(await spool.flush(flushMs)).toBe(true);
    // 10 MB of rows. A row that waits would keep a block of each of the 38 batches.
    expect(memories.size).toBeLessThan(12);
  });
});
