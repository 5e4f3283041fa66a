import type { ErrorCode } from "@sluice/contracts/errors";

import { abnormalClosure } from "../../platform/websocket/model.ts";

/** The codes with which we end a session ourselves; a provider's are passed on, except for those that are ours. */
export const closeCodes = {
  normal: 1000,
  /** We are stopping, or the session has reached its time limit. */
  goingAway: 1001,
  /** The client sends faster than the provider reads, although we have stopped reading from it. */
  tooMuch: 1008,
  /** Something broke: the provider, or the connection to it. */
  internal: 1011,
  /** The gateway can't record or reserve anything right now. */
  tryAgainLater: 1013,
  quotaGone: 4001,
  keyInvalid: 4003,
} as const;

const noStatus = 1005;
const reasonBytesMax = 123;

/**
 * The code to pass on for a received one. 1005, 1006 and 1015 only describe what was seen and may never be sent; other
 * numbers outside the ranges for senders are not passed on either.
 * @param broken the code for a connection that just ended
 */
export function toSendableCode(code: number, broken: number): number {
  if (code === noStatus) {
    return closeCodes.normal;
  }
  const isSendable = (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999);
  return isSendable ? code : broken;
}

/** A provider's close frame as passed on to the client. The codes for a client's quota and key are ours alone. */
export function toProviderClose(code: number, reason: string): { readonly code: number; readonly reason: string } {
  const isOurs = code === closeCodes.quotaGone || code === closeCodes.keyInvalid;
  return isOurs
    ? { code: closeCodes.internal, reason: "upstream_error" satisfies ErrorCode }
    : { code: toSendableCode(code, closeCodes.internal), reason };
}

export function isOrderly(code: number): boolean {
  return code === closeCodes.normal || code === closeCodes.goingAway || code === noStatus;
}

/** Whether the connection ended without a close frame. */
export function isBroken(code: number): boolean {
  return code === abnormalClosure;
}

/** Truncates a reason to what a close frame can hold, never in the middle of a character. */
export function toSendableReason(reason: string): string {
  const bytes = Buffer.from(reason, "utf8");
  if (bytes.byteLength <= reasonBytesMax) {
    return reason;
  }
  let end = reasonBytesMax;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) {
    end -= 1;
  }
  return bytes.toString("utf8", 0, end);
}
