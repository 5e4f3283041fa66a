import type { PeerCode } from "../model.ts";
import type { Row } from "./model.ts";
import { instantOf, textOf, wholeOf } from "./read-values.ts";

const open = 1n;
const codeText = /^[0-9a-f]{32}$/i;

/** A row of `redemptions`; null for a code that was used, switched off or deleted. */
export function readCode(row: Row): PeerCode | null {
  const code = textOf(row["key"]).trim();
  const isOpen = wholeOf(row["status"]) === open && textOf(row["deleted_at"]) === "";
  const end = wholeOf(row["expired_time"]);
  return isOpen && codeText.test(code)
    ? {
        id: textOf(row["id"]),
        name: textOf(row["name"]).trim(),
        code,
        quota: wholeOf(row["quota"]),
        expiresAt: end === 0n ? null : instantOf(end),
      }
    : null;
}
