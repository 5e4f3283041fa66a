import type { PeerCode } from "../model.ts";
import type { Note, Row } from "./model.ts";
import { instantOf, lineOf, textOf, wholeOf } from "./read-values.ts";

const [open, disabled, used] = [1n, 2n, 3n];
const codeText = /^[0-9a-f]{32}$/i;

/** A row of `redemptions`; null for a code that was used, switched off or deleted, and with a note for an odd one. */
export function readCode(row: Row, note: Note): PeerCode | null {
  const status = wholeOf(row["status"]);
  if (textOf(row["deleted_at"]) !== "" || status === disabled || status === used) {
    return null;
  }
  const code = textOf(row["key"]).trim();
  if (status !== open || !codeText.test(code)) {
    note("lost", status === open ? "It is not 32 hexadecimal digits." : `Its status ${status} is unknown.`);
    return null;
  }
  const end = wholeOf(row["expired_time"]);
  return {
    id: textOf(row["id"]),
    name: lineOf(row["name"]),
    code,
    quota: wholeOf(row["quota"]),
    expiresAt: end === 0n ? null : instantOf(end),
  };
}
