/** The text of a response, produced in the pieces in which a stream sends it; it may be longer than memory. */
export type TextSource = {
  readonly pieces: () => Iterable<string>;
  /** The length in UTF-8; Infinity for an endless text. */
  readonly bytes: number;
};

const pieceBytesDefault = 4;

/** A text in pieces that each hold one word with the space after it. */
export function wordsOf(text: string): TextSource {
  return { pieces: () => text.match(/\S+\s*|\s+/g) ?? [], bytes: Buffer.byteLength(text) };
}

/** `count` equal pieces (Infinity is allowed) of ASCII filler. */
export function fillerText(count: number, pieceBytes = pieceBytesDefault): TextSource {
  const piece = "tok ".repeat(Math.ceil(pieceBytes / pieceBytesDefault)).slice(0, pieceBytes);
  function* pieces(): Iterable<string> {
    for (let index = 0; index < count; index += 1) {
      yield piece;
    }
  }
  return { pieces, bytes: count * pieceBytes };
}

/** The beginning of a text, at most this many bytes long and without a broken character. */
export function limitText(source: TextSource, bytesMax: number): TextSource {
  if (source.bytes <= bytesMax) {
    return source;
  }
  if (Number.isFinite(source.bytes)) {
    const kept = Array.from(takeBytes(source.pieces(), bytesMax));
    return { pieces: () => kept, bytes: Buffer.byteLength(kept.join("")) };
  }
  return { pieces: () => takeBytes(source.pieces(), bytesMax), bytes: bytesMax };
}

export function wholeText(source: TextSource): string {
  return Array.from(source.pieces()).join("");
}

function* takeBytes(pieces: Iterable<string>, bytesMax: number): Iterable<string> {
  let left = bytesMax;
  for (const piece of pieces) {
    const bytes = Buffer.byteLength(piece);
    if (bytes > left) {
      const fitting = [...piece].filter((character) => {
        left -= Buffer.byteLength(character);
        return left >= 0;
      });
      if (fitting.length > 0) {
        yield fitting.join("");
      }
      return;
    }
    left -= bytes;
    yield piece;
  }
}
