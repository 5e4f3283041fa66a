import type { Surface } from "../../surfaces.ts";

/** What has to be known of one server-sent event on its way through. */
export type EventKind = "content" | "usage_only" | "done" | "error" | "terminal";

const doneMark = Buffer.from("[DONE]");
/** Every spelling of a usage object names counts that end in this; `"usage":null` does not. */
const usageMark = Buffer.from('_tokens"');
const errorMark = Buffer.from('"error"');
const terminalMarks = ["response.completed", "response.incomplete", "response.failed"].map((type) => Buffer.from(type));

/**
 * Whether any event in these bytes needs a closer look. Nearly none does, and looking for three marks in the bytes costs
 * a small part of what parsing each event would.
 */
export function needsLook(bytes: Buffer, kind: Surface["kind"]): boolean {
  return (
    bytes.indexOf(usageMark) !== -1 ||
    bytes.indexOf(doneMark) !== -1 ||
    bytes.indexOf(errorMark) !== -1 ||
    (kind === "responses" && terminalMarks.some((mark) => bytes.indexOf(mark) !== -1))
  );
}

/** Where the last complete event ends, or 0. Events end with an empty line, after LF or CRLF. */
export function completeEventsEnd(bytes: Buffer): number {
  const length = bytes.length;
  if (length >= 2 && bytes[length - 1] === 0x0a) {
    if (bytes[length - 2] === 0x0a || (bytes[length - 2] === 0x0d && bytes[length - 3] === 0x0a)) {
      return length;
    }
  }
  const lf = bytes.lastIndexOf("\n\n");
  const crlf = bytes.lastIndexOf("\n\r\n");
  return Math.max(lf === -1 ? 0 : lf + 2, crlf === -1 ? 0 : crlf + 3);
}

/** Where the first event in the bytes ends. The bytes end with a complete event. */
export function firstEventEnd(bytes: Buffer, from: number): number {
  const lf = bytes.indexOf("\n\n", from);
  const crlf = bytes.indexOf("\n\r\n", from);
  const lfEnd = lf === -1 ? bytes.length : lf + 2;
  const crlfEnd = crlf === -1 ? bytes.length : crlf + 3;
  return Math.min(lfEnd, crlfEnd);
}

/** The joined `data` lines of one event. */
export function eventData(event: Buffer): string {
  const lines: string[] = [];
  for (const line of event.toString("utf8").split(/\r?\n/)) {
    if (line.startsWith("data:")) {
      lines.push(line.startsWith("data: ") ? line.slice(6) : line.slice(5));
    }
  }
  return lines.join("\n");
}

/** What one event is. */
export function classifyEvent(event: Buffer, kind: Surface["kind"]): EventKind {
  const data = eventData(event);
  if (data.trim() === "[DONE]") {
    return "done";
  }
  if (!data.startsWith("{")) {
    return "content";
  }
  let parsed: Record<string, unknown>;
  try {
    parsed = JSON.parse(data);
  } catch {
    // Not for us to judge: the client gets what the provider sent.
    return "content";
  }
  if (kind === "responses") {
    return responsesEventKind(parsed["type"]);
  }
  if (parsed["error"] !== undefined && parsed["error"] !== null) {
    return "error";
  }
  const choices = parsed["choices"];
  const isUsageOnly = Array.isArray(choices) && choices.length === 0 && parsed["usage"] != null;
  return isUsageOnly ? "usage_only" : "content";
}

function responsesEventKind(type: unknown): EventKind {
  if (type === "error" || type === "response.failed") {
    return "error";
  }
  return type === "response.completed" || type === "response.incomplete" ? "terminal" : "content";
}
