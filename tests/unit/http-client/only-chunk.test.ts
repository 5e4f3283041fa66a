import { expect, test } from "bun:test";
import { Http1ChunkedDecoder } from "@sluice/http-client/chunked-decoder";
import { onlyChunkStart } from "@sluice/http-client/only-chunk";
import fc from "fast-check";

/** What a decoder makes of a packet that comes between two chunks. */
function decoded(packet: Buffer): { parts: [number, number][]; isBetweenChunks: boolean } {
  const parts: [number, number][] = [];
  const decoder = new Http1ChunkedDecoder({ onBody: (_packet, start, end) => parts.push([start, end]) });
  try {
    decoder.decode(packet, 0);
  } catch {
    return { parts, isBetweenChunks: false };
  }
  return { parts, isBetweenChunks: decoder.isBetweenChunks };
}

const line = fc.constantFrom("\r\n", "\n", "\r", " \r\n", ";a=b\r\n", "");
const size = fc.oneof(fc.nat({ max: 40 }), fc.constantFrom(0, 1, 15, 16, 17, 255, 256, 4_096, 65_536, 1_048_575));
const digits = fc.tuple(fc.constantFrom("", "0", "00", "0000", "g", "-"), fc.boolean());
/** One chunk or something close to it. */
const packets = fc
  .tuple(size, digits, line, fc.constantFrom(0, 0, 0, -1, 1), line, fc.constantFrom("", "", "", "0", "1\r\na\r\n"))
  .map(([bytes, [before, isUpper], sizeEnd, more, end, after]) => {
    const hex = isUpper ? bytes.toString(16).toUpperCase() : bytes.toString(16);
    return Buffer.from(
      `${before}${hex}${sizeEnd}${"\r\na1".repeat(bytes).slice(0, Math.max(0, bytes + more))}${end}${after}`,
    );
  });

test("a packet that is read as one chunk is one for the decoder, with the same bytes and nothing left over", () => {
  fc.assert(
    fc.property(packets, (packet) => {
      const start = onlyChunkStart(packet, 0);
      if (start > 0) {
        expect(decoded(packet)).toEqual({ parts: [[start, packet.length - 2]], isBetweenChunks: true });
        expect(onlyChunkStart(Buffer.concat([Buffer.from("1\r\n"), packet]), 3)).toBe(start + 3);
      }
    }),
    { numRuns: 2_000 },
  );
});

test.each([1, 9, 10, 335, 4_096, 65_535, 1_048_576, 16_777_215])("a chunk of %d bytes is recognised", (bytes) => {
  const hex = bytes.toString(16);
  const packet = Buffer.from(`${hex}\r\n${"x".repeat(bytes)}\r\n`);
  expect(onlyChunkStart(packet, 0)).toBe(hex.length + 2);
  expect(onlyChunkStart(packet.subarray(0, -1), 0)).toBe(0);
  expect(onlyChunkStart(Buffer.concat([packet, Buffer.from("0")]), 0)).toBe(0);
});

test.each([
  "",
  "0\r\n\r\n",
  "1",
  "1\r\n",
  "\r\n",
  "1\r\na",
  "1\r\na\r",
  "1;a\r\na\r\n",
  "1 \r\na\r\n",
  "0000001\r\na\r\n",
  "1\na\n",
])("what is not simply one chunk is left to the decoder: %j", (packet) => {
  expect(onlyChunkStart(Buffer.from(packet), 0)).toBe(0);
});

test("a decoder within a chunk, a line or trailers, or after much framing, is not between chunks", () => {
  const after = (bytes: string): boolean => decoded(Buffer.from(bytes)).isBetweenChunks;
  expect(["", "1\r\na\r\n", "1;x\r\na\r\n"].map(after)).toEqual([true, true, true]);
  const within = [
    "1",
    "1\r",
    "1\r\n",
    "1\r\na",
    "1\r\na\r",
    "1;x",
    "0\r\n",
    "0\r\n\r\n",
    `1;${"x".repeat(40)}\r\na\r\n`,
  ];
  expect(within.map(after)).toEqual(within.map(() => false));
});
