import type { SurfaceKind } from "../../surfaces.ts";

/** What has to be known of one server-sent event on its way through. */
export type EventKind = "content" | "usage_only" | "done" | "error" | "terminal";

/** An event that was looked into: what it is, and its payload where that is a JSON object. */
export type SeenEvent = { readonly kind: EventKind; readonly payload: Record<string, unknown> | null };

const doneMark = Buffer.from("[DONE]");
/** Every spelling of a usage object names counts that end in this; `"usage":null` does not. */
const usageMark = Buffer.from('_tokens"');
const errorMark = Buffer.from('"error"');
const terminalMarks = ["response.completed", "response.incomplete", "response.failed"].map((type) => Buffer.from(type));

/** A picture that is done: the events before it carry drafts. */
const pictureMark = Buffer.from('.completed"');

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/**
 * Whether any event in these bytes needs a closer look. Nearly none does, and looking for three marks in the bytes costs
 * a small part of what parsing each event would.
 */
export function needsLook(bytes: Buffer, kind: SurfaceKind): boolean {
  return (
    bytes.indexOf(usageMark) !== -1 ||
    bytes.indexOf(doneMark) !== -1 ||
    bytes.indexOf(errorMark) !== -1 ||
    (kind === "responses" && terminalMarks.some((mark) => bytes.indexOf(mark) !== -1)) ||
    (kind === "images" && bytes.indexOf(pictureMark) !== -1)
  );
}

/**
 * Where the last complete event ends, or 0. Events end with an empty line; lines end with LF or CRLF, and with CR alone
 * only where there is no LF at all.
 */
export function completeEventsEnd(bytes: Buffer): number {
  const length = bytes.length;
  if (length >= 2 && bytes[length - 1] === lineFeed) {
    if (bytes[length - 2] === lineFeed || (bytes[length - 2] === carriageReturn && bytes[length - 3] === lineFeed)) {
      return length;
    }
  }
  const lf = bytes.lastIndexOf("\n\n");
  const crlf = bytes.lastIndexOf("\n\r\n");
  const end = Math.max(lf === -1 ? 0 : lf + 2, crlf === -1 ? 0 : crlf + 3);
  if (end > 0) {
    return end;
  }
  const cr = bytes.lastIndexOf("\r\r");
  return cr === -1 ? 0 : cr + 2;
}

/** Where the first event in the bytes ends. The bytes end with a complete event. */
export function firstEventEnd(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(lineFeed, from); at !== -1; at = bytes.indexOf(lineFeed, at + 1)) {
    if (bytes[at + 1] === lineFeed) {
      return at + 2;
    }
    if (bytes[at + 1] === carriageReturn && bytes[at + 2] === lineFeed) {
      return at + 3;
    }
  }
  const cr = bytes.indexOf("\r\r", from);
  return cr === -1 ? bytes.length : cr + 2;
}

/** The joined `data` lines of one event. */
export function eventData(event: Buffer): string {
  const lines: string[] = [];
  for (const line of event.toString("utf8").split(/\r\n|\n|\r/)) {
    if (line.startsWith("data:")) {
      lines.push(line.startsWith("data: ") ? line.slice(6) : line.slice(5));
    }
  }
  return lines.join("\n");
}

/** Looks into one event. */
export function seeEvent(event: Buffer, kind: SurfaceKind): SeenEvent {
  const data = eventData(event).trim();
  if (data === "[DONE]") {
    return { kind: "done", payload: null };
  }
  const payload = data.startsWith("{") ? parseObject(data) : null;
  if (payload === null) {
    // Not for us to judge: the client gets what the provider sent.
    return { kind: "content", payload };
  }
  return { kind: kind === "responses" ? responsesEventKind(payload["type"]) : chatEventKind(payload), payload };
}

function parseObject(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function chatEventKind(payload: Record<string, unknown>): EventKind {
  // Some providers say in every chunk that there is none: null, false, an empty text.
  if (payload["error"] || payload["object"] === "error") {
    return "error";
  }
  const choices = payload["choices"];
  const isUsageOnly = Array.isArray(choices) && choices.length === 0 && payload["usage"] != null;
  return isUsageOnly ? "usage_only" : "content";
}

function responsesEventKind(type: unknown): EventKind {
  if (type === "error" || type === "response.failed") {
    return "error";
  }
  return type === "response.completed" || type === "response.incomplete" ? "terminal" : "content";
}
