const boundaryPattern = /boundary=(?:"([^"]{1,70})"|([^;\s"]{1,70}))/i;
const fieldBytesMax = 1_024;

/**
 * The value of a plain field of a multipart form, without taking the files apart; null when there is none.
 * Format: RFC 7578.
 */
export function readMultipartField(bytes: Buffer, contentType: string, name: string): string | null {
  const match = boundaryPattern.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) {
    return null;
  }
  const delimiter = Buffer.from(`--${boundary}`);
  for (let at = bytes.indexOf(delimiter); at !== -1; at = bytes.indexOf(delimiter, at + delimiter.length)) {
    const headStart = at + delimiter.length;
    const headEnd = bytes.indexOf("\r\n\r\n", headStart);
    if (headEnd === -1) {
      return null;
    }
    const head = bytes.toString("utf8", headStart, Math.min(headEnd, headStart + fieldBytesMax));
    if (new RegExp(`[; ]name="?${name}"?(\\s*;|\\s*$|\\r)`, "im").test(head) && !/filename/i.test(head)) {
      const valueEnd = bytes.indexOf(delimiter, headEnd);
      return bytes
        .toString("utf8", headEnd + 4, Math.min(valueEnd === -1 ? bytes.length : valueEnd, headEnd + 4 + fieldBytesMax))
        .replace(/\r\n$/, "");
    }
  }
  return null;
}
