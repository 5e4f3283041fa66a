import { describe, expect, test } from "bun:test";
import {
  type JoinedRows,
  linesOf,
  parseLine,
  RowCollector,
  type SpoolEntry,
} from "@sluice/control-plane/platform/spool/model.ts";
import fc from "fast-check";
import { type NoteRows, noteCodecs } from "../../../support/usage/spool-fixture.ts";
import { anyCharacter } from "../../../support/values/any-character.ts";

const entries: fc.Arbitrary<SpoolEntry<NoteRows>[]> = fc.array(
  fc.oneof(
    fc.string({ unit: anyCharacter }).map((row) => ({ kind: "note" as const, row: row.toWellFormed() })),
    fc.bigInt().map((row) => ({ kind: "count" as const, row })),
  ),
);

const summaries = {
  begin: () => ({ notes: 0 }),
  add: (summary: { notes: number }, { kind }: SpoolEntry<NoteRows>) => {
    summary.notes += kind === "note" ? 1 : 0;
  },
  merge: () => undefined,
};

/** Notes that follow a note are added to its line. */
const sharedLines: JoinedRows<NoteRows> = {
  kind: "both",
  begin: ({ row }, out) => {
    out.text(String(row));
    return true;
  },
  add: ({ kind, row }, _first, out) => {
    out.ascii(",");
    out.text(String(row));
    return kind === "note";
  },
  read: () => [],
};

describe("collected rows", () => {
  test("are one line each and read back as they were, whatever they contain", () => {
    fc.assert(
      fc.property(entries, (rows) => {
        const collector = new RowCollector({ codecs: noteCodecs, summaries });
        for (const entry of rows) {
          collector.add(entry);
        }
        const { text, count, summary } = collector;
        const lines = rows.length === 0 ? [] : linesOf([text]);
        expect(count).toBe(rows.length);
        expect(summary.notes).toBe(rows.filter(({ kind }) => kind === "note").length);
        expect(
          lines.flatMap((line) => parseLine({ codecs: noteCodecs }, line)).map(({ kind, row }) => ({ kind, row })),
        ).toEqual(rows);
      }),
    );
  });

  test("that their codec refuses leave nothing behind", () => {
    const refusing = {
      ...noteCodecs,
      note: {
        ...noteCodecs.note,
        encode: () => {
          throw new Error("a bad note");
        },
      },
    };
    const collector = new RowCollector({ codecs: refusing, summaries });
    collector.add({ kind: "count", row: 1n });
    expect(() => collector.add({ kind: "note", row: "bad" })).toThrow("a bad note");
    collector.add({ kind: "count", row: 2n });
    const { text, count, summary } = collector;
    expect([text.toString(), count, summary.notes]).toEqual(['["count","1"]\n["count","2"]', 2, 0]);
  });

  test("that fail while they are added to the line of another one leave that as it was", () => {
    const joined: JoinedRows<NoteRows> = {
      kind: "both",
      begin: ({ kind, row }, out) => {
        out.text(String(row));
        return kind === "count";
      },
      add: (_entry, _first, out) => {
        out.ascii(',"half');
        throw new Error("a bad note");
      },
      read: () => [],
    };
    const collector = new RowCollector({ codecs: noteCodecs, summaries, joined });
    collector.add({ kind: "count", row: 1n });
    expect(() => collector.add({ kind: "note", row: "bad" })).toThrow("a bad note");
    collector.add({ kind: "count", row: 2n });
    expect([collector.text.toString(), collector.count]).toEqual(['["both",["1"]]\n["both",["2"]]', 2]);
  });

  test.each([
    ["in lines of their own", undefined, '["note","good"]\n["count","2"]'],
    ["in the line of another one", sharedLines, '["both",["good"]]\n["both",["2"]]'],
  ])("that can't be summarized leave nothing behind, %s", (_, joined, text) => {
    const refusing = {
      ...summaries,
      add: (summary: { notes: number }, entry: SpoolEntry<NoteRows>) => {
        if (entry.row === "bad") {
          throw new Error("a bad note");
        }
        summaries.add(summary, entry);
      },
    };
    const collector = new RowCollector({ codecs: noteCodecs, summaries: refusing, joined });
    for (const row of ["good", "bad"]) {
      try {
        collector.add({ kind: "note", row });
      } catch (error) {
        expect([row, String(error)]).toEqual(["bad", "Error: a bad note"]);
      }
    }
    collector.add({ kind: "count", row: 2n });
    expect([collector.text.toString(), collector.count, collector.summary.notes]).toEqual([text, 2, 1]);
  });
});
