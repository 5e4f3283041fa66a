export const cr = 13;
export const lf = 10;
const space = 32;
const tab = 9;

/** Per byte: whether names of fields may contain it; for capitals it is `capital`. */
export const nameBytes = new Uint8Array(256);
for (const letter of "!#$%&'*+-.^_`|~0123456789abcdefghijklmnopqrstuvwxyz") {
  nameBytes[letter.charCodeAt(0)] = 1;
}
export const capital = 2;
nameBytes.fill(capital, 65, 91);

/** Per byte: whether values may contain it and every parser reads it alike, so only ASCII. */
const valueBytes = new Uint8Array(256);
valueBytes.fill(1, space, 127);
valueBytes[tab] = 1;

/** The offset of the first byte that is not part of a name. */
export function endOfName(bytes: Uint8Array, from: number, limit: number): number {
  let at = from;
  while (at < limit && nameBytes[bytes[at] as number] !== 0) {
    at += 1;
  }
  return at;
}

/** The offset of the first byte that is not part of a value. */
export function endOfValue(bytes: Uint8Array, from: number, limit: number): number {
  let at = from;
  while (at < limit && valueBytes[bytes[at] as number] !== 0) {
    at += 1;
  }
  return at;
}

/** The offset of the first byte that is neither a space nor a tab. */
export function skipBlanks(bytes: Uint8Array, from: number, limit: number): number {
  let at = from;
  while (at < limit && (bytes[at] === space || bytes[at] === tab)) {
    at += 1;
  }
  return at;
}

/** The end of a value without the spaces and tabs after it. */
export function trimEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = end;
  while (at > from && (bytes[at - 1] === space || bytes[at - 1] === tab)) {
    at -= 1;
  }
  return at;
}
