import { describe, expect, test } from "bun:test";
import { linesOf } from "@sluice/control-plane/platform/spool/model.ts";
import { type SharedText, SharedTexts, TextPieces } from "@sluice/control-plane/platform/spool/shared-texts.ts";
import { appendNotes, notes, sink, spoolFolder } from "../../../support/usage/spool-fixture.ts";

const kilobytes = (count: number, filledWith: number) => new Uint8Array(count * 1024).fill(filledWith);

function piecesOf(...texts: readonly SharedText[]): readonly Uint8Array[] {
  const pieces = new TextPieces();
  for (const text of texts) {
    pieces.add(text);
  }
  return pieces.end();
}

const bytesOf = (text: SharedText): Uint8Array => piecesOf(text)[0] as Uint8Array;

function isAll(text: SharedText, value: number): boolean {
  const bytes = bytesOf(text);
  return Buffer.alloc(bytes.length, value).equals(bytes);
}

describe("texts in shared memory", () => {
  test("stay as they were while they are kept, and their memory is used again after that", () => {
    const texts = new SharedTexts();
    const kept: { readonly text: SharedText; readonly value: number }[] = [];
    const memories = new Set<ArrayBufferLike>();
    for (let value = 1; value <= 250; value += 1) {
      const text = texts.keep(kilobytes(1 + (value % 60), value));
      memories.add(bytesOf(text).buffer);
      kept.push({ text, value });
      expect(kept.every((each) => isAll(each.text, each.value))).toBe(true);
      if (kept.length > 10) {
        texts.release(kept.shift()?.text as SharedText);
      }
    }
    // 7 MB of texts went through a few blocks.
    expect(memories.size).toBeLessThan(8);
    expect([...memories].every((memory) => memory instanceof SharedArrayBuffer)).toBe(true);
  });

  test("that follow one another are one piece of memory with a line for each, and others are pieces of their own", () => {
    const texts = new SharedTexts();
    const [first, second, third] = ["a\nb", "c", "d"].map((text) => texts.keep(Buffer.from(text))) as [
      SharedText,
      SharedText,
      SharedText,
    ];
    const large = texts.keep(kilobytes(300, 1));
    const last = texts.keep(Buffer.from("e"));
    const read = (...kept: readonly SharedText[]) => piecesOf(...kept).map((piece) => Buffer.from(piece).toString());
    expect(read(first, second, third)).toEqual(["a\nb\nc\nd"]);
    expect(read(second, third)).toEqual(["c\nd"]);
    expect(read(first, third)).toEqual(["a\nb", "d"]);
    expect(piecesOf(third, large, last).map(({ length }) => length)).toEqual([1, 300 * 1024, 1]);
    expect(piecesOf()).toEqual([]);
  });

  test("larger than any block have one of their own", () => {
    const texts = new SharedTexts();
    const small = texts.keep(kilobytes(1, 1));
    const large = texts.keep(kilobytes(900, 2));
    const next = texts.keep(kilobytes(1, 3));
    expect([isAll(small, 1), isAll(large, 2), isAll(next, 3)]).toEqual([true, true, true]);
  });

  test("are never written over when a thread may read them late", () => {
    const texts = new SharedTexts();
    const late = [texts.keep(kilobytes(200, 1)), texts.keep(kilobytes(200, 1)), texts.keep(kilobytes(20, 1))];
    texts.spare();
    for (const text of late) {
      texts.release(text);
    }
    for (let each = 0; each < 20; each += 1) {
      texts.release(texts.keep(kilobytes(200, 2)));
    }
    expect(late.map((text) => isAll(text, 1))).toEqual([true, true, true]);
  });

  test.each([
    ["recorded", 1_000],
    ["read from the disk", 0],
  ])("of a commit that failed are never written over if %s, as the lost thread may read them", async (_, cached) => {
    await using folder = await spoolFolder();
    const spool = await folder.open({ cachedEntriesMax: cached });
    let sent: readonly Uint8Array[] | null = null;
    let lines: string[] = [];
    spool.drain(
      sink(({ texts }) => {
        if (sent === null) {
          sent = texts;
          lines = linesOf(texts);
          throw new Error("the thread is lost");
        }
      }),
    );
    for (let round = 0; round < 3; round += 1) {
      await appendNotes(spool, notes(`round ${round}, note `, 50));
      expect(await spool.flush(10_000)).toBe(true);
    }
    expect(lines.length).toBeGreaterThan(0);
    expect(linesOf(sent ?? [])).toEqual(lines);
  });
});
