import fc from "fast-check";

const surrogates = { first: 0xd800, count: 0x800 };

/** Any character of Unicode. The unit "binary" of fast-check means the same, but takes a second to prepare. */
export const anyCharacter = fc
  .nat({ max: 0x10ffff - surrogates.count })
  .map((index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count));

/** An address of the web. Those of fast-check need its unit "binary". */
export const anyWebAddress = fc
  .tuple(fc.constantFrom("http", "https"), fc.domain(), fc.string({ unit: anyCharacter, maxLength: 8 }))
  .map(([scheme, host, path]) => `${scheme}://${host}/${encodeURIComponent(path)}`);
