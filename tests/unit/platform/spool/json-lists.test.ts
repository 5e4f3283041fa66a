import { expect, test } from "bun:test";
import { type JsonList, jsonLists, toJsonList } from "@sluice/control-plane/platform/spool/json-lists.ts";
import { RowCollector, type SpoolEntry } from "@sluice/control-plane/platform/spool/model.ts";
import { SharedTexts, TextPieces } from "@sluice/control-plane/platform/spool/shared-texts.ts";
import { asBuffer } from "@sluice/http-client/as-buffer";
import fc from "fast-check";
import { type NoteRows, noteCodecs } from "../../../support/usage/spool-fixture.ts";
import { anyCharacter } from "../../../support/values/any-character.ts";

const entries: fc.Arbitrary<SpoolEntry<NoteRows>[]> = fc.array(
  fc.oneof(
    fc.string({ unit: anyCharacter }).map((row) => ({ kind: "note" as const, row: row.toWellFormed() })),
    fc.bigInt().map((row) => ({ kind: "count" as const, row })),
  ),
  { minLength: 1 },
);
const summaries = { begin: () => null, add: () => undefined, merge: () => undefined };

/** The rows of groups as a batch has them: in memory that threads share. */
function textsOf(groups: readonly SpoolEntry<NoteRows>[][]): readonly Uint8Array[] {
  const texts = new SharedTexts();
  const pieces = new TextPieces();
  for (const rows of groups) {
    const collector = new RowCollector({ codecs: noteCodecs, summaries });
    for (const entry of rows) {
      collector.add(entry);
    }
    pieces.add(texts.keep(collector.text));
  }
  return pieces.end();
}

const valuesOf = ({ json, count }: JsonList): unknown[] => {
  const values = JSON.parse(asBuffer(json).toString("utf8")) as unknown[];
  expect(values).toHaveLength(count);
  return values;
};

test("the rows of each kind are a JSON list without the others, in the order in which they were recorded", () => {
  fc.assert(
    fc.property(fc.array(entries), (groups) => {
      const lists = jsonLists(textsOf(groups), ["count", "note", "other"]);
      const all = groups.flat();
      expect(valuesOf(lists.note)).toEqual(all.flatMap(({ kind, row }) => (kind === "note" ? [row] : [])));
      expect(valuesOf(lists.count)).toEqual(all.flatMap(({ kind, row }) => (kind === "count" ? [String(row)] : [])));
      expect(valuesOf(lists.other)).toEqual([]);
      expect(valuesOf(jsonLists(textsOf(groups), ["note"]).note)).toEqual(valuesOf(lists.note));
    }),
  );
});

test("a kind that begins like another one, and a line that is cut off in its kind, are not mistaken for it", () => {
  const text = Buffer.from('["notes",1]\n["note",2]\n["no\n\n["note",3]');
  expect(valuesOf(jsonLists([text], ["note"]).note)).toEqual([2, 3]);
});

test("values are a list as they are", () => {
  expect(valuesOf(toJsonList([]))).toEqual([]);
  expect(valuesOf(toJsonList(['"é"', "[1,2]"]))).toEqual(["é", [1, 2]]);
});
