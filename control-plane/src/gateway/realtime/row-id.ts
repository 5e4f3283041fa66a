import type { RequestId } from "@sluice/contracts/ids";

const ordinalMax = 0x3ff_ffff;

/**
 * The id of the session's charge number `ordinal`: a UUID of version 7 derived from its time, its number and the
 * session. Its last 12 digits are those of the session's own id, so that `right(request_id::text, 12)` joins the rows
 * of a session with its trace; the 26 bits of the number are between the two.
 * @param startedAtMs milliseconds since 1970
 */
export function rowId(sessionId: RequestId, startedAtMs: number, ordinal: number): RequestId {
  if (!Number.isInteger(ordinal) || ordinal < 0 || ordinal > ordinalMax) {
    throw new RangeError(`a session has no ${ordinal}th row`);
  }
  const time = hex(startedAtMs, 12);
  const high = hex(0x7000 | (ordinal >>> 14), 4);
  const low = hex(0x8000 | (ordinal & 0x3fff), 4);
  return `${time.slice(0, 8)}-${time.slice(8)}-${high}-${low}-${sessionId.slice(-12)}` as RequestId;
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, "0");
}
