import { inflateSync } from "node:zlib";

const headerBytes = 44;
const entryBytes = 20;
const sfntHeaderBytes = 12;
const sfntEntryBytes = 16;
const signature = 0x774f4646;
/** No font that is shipped is larger. */
const bytesMax = 32 * 1024 * 1024;

/**
 * A WOFF file as the plain font that it packs. The library for fonts inflates a table of a WOFF file for each glyph
 * that it reads of it, which takes seconds for a text in Chinese.
 */
export function unpackWoff(woff: Buffer): Buffer {
  if (woff.readUInt32BE(0) !== signature) {
    throw new Error("the font is not a WOFF file");
  }
  const count = woff.readUInt16BE(12);
  const tables = Array.from({ length: count }, (_, index) => {
    const at = headerBytes + index * entryBytes;
    const [tag, offset, packed, length, sum] = [0, 4, 8, 12, 16].map((field) => woff.readUInt32BE(at + field));
    const bytes = woff.subarray(offset ?? 0, (offset ?? 0) + (packed ?? 0));
    const isPacked = packed !== length;
    return { tag: tag ?? 0, sum: sum ?? 0, data: isPacked ? inflateSync(bytes, { maxOutputLength: bytesMax }) : bytes };
  });
  const head = Buffer.alloc(sfntHeaderBytes + count * sfntEntryBytes);
  const widest = 2 ** Math.floor(Math.log2(count));
  head.writeUInt32BE(woff.readUInt32BE(4), 0);
  head.writeUInt16BE(count, 4);
  head.writeUInt16BE(widest * sfntEntryBytes, 6);
  head.writeUInt16BE(Math.log2(widest), 8);
  head.writeUInt16BE((count - widest) * sfntEntryBytes, 10);
  const parts: Buffer[] = [head];
  let offset = head.length;
  for (const [index, { tag, sum, data }] of tables.entries()) {
    const at = sfntHeaderBytes + index * sfntEntryBytes;
    for (const [field, value] of [tag, sum, offset, data.length].entries()) {
      head.writeUInt32BE(value, at + field * 4);
    }
    const padded = Buffer.alloc(Math.ceil(data.length / 4) * 4);
    data.copy(padded);
    parts.push(padded);
    offset += padded.length;
  }
  return Buffer.concat(parts);
}
