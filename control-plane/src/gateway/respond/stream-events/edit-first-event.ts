import { firstEventEnd } from "./event-scan.ts";

/** The events with the first of them changed; the same bytes without an edit. */
export function editFirstEvent(bytes: Buffer, edit: ((event: Buffer) => Buffer) | null): Buffer {
  if (edit === null) {
    return bytes;
  }
  const end = firstEventEnd(bytes, 0);
  return Buffer.concat([edit(bytes.subarray(0, end)), bytes.subarray(end)]);
}
