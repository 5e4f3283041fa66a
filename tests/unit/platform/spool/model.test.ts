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

const entries: fc.Arbitrary<SpoolEntry<NoteRows>[]> = fc.array(
  fc.oneof(
    fc.string({ unit: "binary" }).map((row) => ({ kind: "note" as const, row: row.toWellFormed() })),
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
});
