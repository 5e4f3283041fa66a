import { describe, expect, test } from "bun:test";
import { linesOf } from "@sluice/control-plane/platform/spool/model.ts";
import { type SharedText, SharedTexts } from "@sluice/control-plane/platform/spool/shared-texts.ts";
import { appendNotes, notes, sink, spoolFolder } from "../../../support/usage/spool-fixture.ts";

const kilobytes = (count: number, filledWith: number) => new Uint8Array(count * 1024).fill(filledWith);
const isAll = ({ bytes }: SharedText, value: number) => Buffer.alloc(bytes.length, value).equals(bytes);

describe("texts in shared memory", () => {
  test("stay as they were while they are kept, and their memory is used again after that", () => {
    const texts = new SharedTexts();
    const kept: { readonly text: SharedText; readonly value: number }[] = [];
    const memories = new Set<ArrayBufferLike>();
    for (let value = 1; value <= 250; value += 1) {
      const text = texts.keep(kilobytes(1 + (value % 60), value));
      memories.add(text.bytes.buffer);
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

  test("of a commit that failed are never written over, as the thread that lost it may still read them", async () => {
    await using folder = await spoolFolder();
    const spool = await folder.open();
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
