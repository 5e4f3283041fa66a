const carriageReturn = 13;
const lineFeed = 10;
export const lineEndBytes = 2;
/** A larger chunk does not come in one packet. */
const sizeDigitsMax = 6;

/**
 * Where the bytes of a chunk begin, if a packet from `from` on is exactly one chunk, as most packets of a stream are. The packet
 * ends with its line end. 0 for anything else, the last chunk included.
 */
export function onlyChunkStart(packet: Buffer, from: number): number {
  const last = from + sizeDigitsMax;
  let size = 0;
  let at = from;
  for (let digit = hexDigit(packet[at]); digit !== -1 && at <= last; digit = hexDigit(packet[at])) {
    size = size * 16 + digit;
    at += 1;
  }
  const start = at + lineEndBytes;
  const end = start + size;
  const isOnly = size > 0 && at <= last && end + lineEndBytes === packet.length;
  return isOnly && isLineEnd(packet, at) && isLineEnd(packet, end) ? start : 0;
}

export function isLineEnd(bytes: Buffer, at: number): boolean {
  return bytes[at] === carriageReturn && bytes[at + 1] === lineFeed;
}

/** -1 for anything else, and after the last byte. */
export function hexDigit(byte = 0): number {
  if (byte >= 48 && byte <= 57) {
    return byte - 48;
  }
  const letter = byte | 32;
  return letter >= 97 && letter <= 102 ? letter - 87 : -1;
}
