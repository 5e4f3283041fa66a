import { expect, test } from "bun:test";
import { KnownBytes } from "@sluice/control-plane/platform/known-bytes.ts";

const own = ',"what each has of its own"';
/** What some calls have in common, and how long that is. */
function lineOf(name: string): { readonly line: Buffer; readonly length: number } {
  const shared = `1,"2026-11-30",${name},"default","/v1/chat/completions","a model"`;
  return { line: Buffer.from(shared + own), length: shared.length };
}

const viewOf = ({ buffer, byteOffset, length }: Buffer): DataView => new DataView(buffer, byteOffset, length);

test("each of many pieces in turn is found again without making its text, those that begin alike included", () => {
  const known = new KnownBytes<string>();
  const names = Array.from({ length: 100 }, (_, index) => `${index}`);
  const alike = ["a", "b", "c", "d"].map((end) => `${"x".repeat(80)}${end}`);
  for (const name of [...names, ...alike]) {
    const { line, length } = lineOf(name);
    expect(known.foundAt(viewOf(line), 0, line.length)).toBe(null);
    known.learn(line, 0, length, () => name);
  }
  for (const name of [...names, ...alike, ...names.toReversed(), ...alike.toReversed()]) {
    const { line, length } = lineOf(name);
    const padded = Buffer.concat([Buffer.from("before"), line]);
    const found = known.foundAt(viewOf(padded), 6, padded.length);
    expect([found?.value, found?.bytes.length]).toEqual([name, length]);
  }
});

test("a piece that differs from a known one anywhere is another", () => {
  const known = new KnownBytes<string>();
  const { line, length } = lineOf("7");
  known.learn(line, 0, length, () => "known");
  for (let at = 0; at < length; at += 1) {
    const other = Buffer.from(line);
    other[at] = (other[at] as number) ^ 1;
    expect(known.foundAt(viewOf(other), 0, other.length)).toBe(null);
  }
  expect(known.foundAt(viewOf(line), 0, length - 1)).toBe(null);
  expect(known.foundAt(viewOf(line), 0, length)?.value).toBe("known");
});

test("pieces whose beginnings have the same hash are never taken for each other, however many are known", () => {
  const known = new KnownBytes<string>();
  // Found by trying: the first two have the same hash. The others begin alike up to where it ends.
  const names = ["100136070", "170144085", ...["a", "b", "c", "d", "e", "f"].map((end) => `${"y".repeat(80)}${end}`)];
  let made = 0;
  for (const name of [...names, ...names.toReversed(), ...names]) {
    const { line, length } = lineOf(name);
    const found = known.foundAt(viewOf(line), 0, line.length);
    const { value, bytes } =
      found ??
      known.learn(line, 0, length, () => {
        made += 1;
        return name;
      });
    expect([value, bytes.length]).toEqual([name, length]);
  }
  expect(made).toBe(names.length);
});

test("what is kept is bounded, and what was forgotten is learned again", () => {
  const known = new KnownBytes<number>();
  let made = 0;
  const learn = (name: string) => {
    const { line, length } = lineOf(name);
    return (known.foundAt(viewOf(line), 0, line.length) ?? known.learn(line, 0, length, () => ++made)).value;
  };
  for (let index = 0; index < 2_000; index += 1) {
    learn(`${index}`);
  }
  expect([learn("0"), made]).toEqual([1, 2_000]);
  expect(learn("one more")).toBe(2_001);
  expect(learn("0")).toBe(2_002);
});
