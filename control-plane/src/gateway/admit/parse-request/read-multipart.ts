import { AppError } from "../../../platform/errors.ts";
import { readBoundary } from "./read-boundary.ts";
import { type PartHead, readPartHead } from "./read-part-head.ts";

/** One part of a form; its value is a view of the body, not a copy. */
export type FormPart = PartHead & { readonly value: Buffer };

const partsMax = 1_000;
const headBytesMax = 8_192;
/** What may follow the last delimiter: white space, up to this length. */
const blankBytesMax = 64;
const lineEnd = Buffer.from("\r\n");
const headEnd = Buffer.from("\r\n\r\n");
const dashes = Buffer.from("--");
const blankBytes = new Set(Buffer.from(" \t\r\n"));

/**
 * The parts of a form, in order. A delimiter counts only at the start of a line, and may occur nowhere else; the last
 * one is required, with nothing after it. Format: RFC 7578.
 * @throws AppError `invalid_value` for a form that is malformed, or ambiguous to other parsers
 */
export function readMultipart(bytes: Buffer, contentType: string): FormPart[] {
  const boundary = readBoundary(contentType);
  const parts = boundary === null ? null : readParts(bytes, Buffer.from(`--${boundary}`));
  if (parts === null) {
    throw new AppError("invalid_value", { message: "The form is not well-formed multipart/form-data." });
  }
  return parts;
}

function readParts(bytes: Buffer, delimiter: Buffer): FormPart[] | null {
  const parts: FormPart[] = [];
  let at = standsAt(bytes, 0, lineEnd) ? lineEnd.length : 0;
  if (!standsAt(bytes, at, delimiter)) {
    return null;
  }
  for (;;) {
    const headStart = at + delimiter.length;
    if (standsAt(bytes, headStart, dashes)) {
      return isBlank(bytes, headStart + dashes.length) ? parts : null;
    }
    const part = parts.length < partsMax ? readPart(bytes, headStart, delimiter) : null;
    if (part === null) {
      return null;
    }
    parts.push(part.part);
    at = part.end;
  }
}

/** The part whose delimiter ends at `headStart`, and the position of the next delimiter. */
function readPart(bytes: Buffer, headStart: number, delimiter: Buffer): { part: FormPart; end: number } | null {
  const headLength = bytes.subarray(headStart, headStart + headBytesMax).indexOf(headEnd);
  const start = headStart + headLength + headEnd.length;
  // The search starts at the head: a delimiter inside the head would go unnoticed otherwise.
  const end = bytes.indexOf(delimiter, headStart);
  const valueEnd = end - lineEnd.length;
  if (
    headLength < 0 ||
    !standsAt(bytes, headStart, lineEnd) ||
    valueEnd < start ||
    !standsAt(bytes, valueEnd, lineEnd)
  ) {
    return null;
  }
  const head = readPartHead(bytes.subarray(headStart + lineEnd.length, headStart + headLength));
  return head === null ? null : { part: { ...head, value: bytes.subarray(start, valueEnd) }, end };
}

function standsAt(bytes: Buffer, at: number, wanted: Buffer): boolean {
  return at >= 0 && bytes.subarray(at, at + wanted.length).equals(wanted);
}

function isBlank(bytes: Buffer, from: number): boolean {
  return bytes.length - from <= blankBytesMax && bytes.subarray(from).every((byte) => blankBytes.has(byte));
}
