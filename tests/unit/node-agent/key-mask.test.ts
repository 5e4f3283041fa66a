import { expect, test } from "bun:test";
import { KeyMask } from "@sluice/node-agent/key-mask.ts";
import fc from "fast-check";

const key = "sk-sssk-sk1";

function maskPieces(pieces: readonly string[]): string {
  const mask = new KeyMask(Buffer.from(key));
  const out = pieces.map((piece) => Buffer.from(mask.push(Buffer.from(piece))).toString());
  return out.join("") + Buffer.from(mask.finish() ?? []).toString();
}

test("bytes that are not the key come out as they went in, however they are split", () => {
  const part = fc.constantFrom("s", "k", "-", "sk-", "sk-s", "1", "x", "");
  fc.assert(
    fc.property(fc.array(part), (pieces) => {
      const text = pieces.join("");
      return maskPieces(pieces) === text.replaceAll(key, "*".repeat(key.length));
    }),
    { numRuns: 2_000 },
  );
});

test("the key is masked at every split", () => {
  const text = `a${key}b${key}${key}c`;
  const masked = text.replaceAll(key, "*".repeat(key.length));
  for (let first = 0; first <= text.length; first += 1) {
    for (let second = first; second <= text.length; second += 1) {
      expect(maskPieces([text.slice(0, first), text.slice(first, second), text.slice(second)])).toBe(masked);
    }
  }
});

test("only the beginning of a key is held back", () => {
  const mask = new KeyMask(Buffer.from(key));
  expect(Buffer.from(mask.push(Buffer.from("data: hello\n\nsk"))).toString()).toBe("data: hello\n\n");
  expect(Buffer.from(mask.push(Buffer.from("y"))).toString()).toBe("sky");
  expect(mask.finish()).toBeNull();
});

test("received bytes are not modified in place", () => {
  const piece = Buffer.from(`x${key}`);
  new KeyMask(Buffer.from(key)).push(piece);
  expect(piece.toString()).toBe(`x${key}`);
});
