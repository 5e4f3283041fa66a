import type { StreamForm } from "../../operations/model.ts";
import { firstOfList, hasFailedChoice } from "../../usage-count/reported-errors.ts";

/** What needs to be known about a server-sent event on its way through; one without data is a comment. */
export type EventKind = "content" | "comment" | "usage_only" | "done" | "error" | "terminal" | "broken";

/** An inspected event: its kind, and its payload if that is a JSON object. */
export type SeenEvent = { readonly kind: EventKind; readonly payload: Record<string, unknown> | null };

const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const space = 0x20;
const dataMark = "data:";
/** The `e` of `event:`. No other name with this letter is data either. */
const nameStart = 0x65;

/**
 * Where the last complete event ends, or 0. Events end with an empty line; lines end with LF or CRLF, and with CR alone
 * only if there is no LF at all.
 */
export function completeEventsEnd(bytes: Buffer): number {
  if (endsWithEvent(bytes, 0, bytes.length)) {
    return bytes.length;
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

/** Whether a part of a packet ends with a complete event, as nearly every one does. It only looks at the end: false for the rare CR. */
export function endsWithEvent(packet: Buffer, start: number, end: number): boolean {
  if (end - start < 2 || packet[end - 1] !== lineFeed) {
    return false;
  }
  const isAfterLine = packet[end - 2] === lineFeed;
  return isAfterLine || (end - start > 2 && packet[end - 2] === carriageReturn && packet[end - 3] === lineFeed);
}

/** Adds the last empty line to an event that has none; line ends alone stay as they are. */
export function withEnd(rest: Buffer): Buffer {
  const isBlank = rest.every((byte) => byte === lineFeed || byte === carriageReturn);
  return isBlank ? rest : Buffer.concat([rest, Buffer.from("\n\n")]);
}

/** Where the first event in a part of a packet ends. The part ends with a complete event. */
export function firstEventEnd(bytes: Buffer, from: number, to = bytes.length): number {
  for (let at = bytes.indexOf(lineFeed, from); at !== -1 && at < to; at = bytes.indexOf(lineFeed, at + 1)) {
    if (bytes[at + 1] === lineFeed) {
      return Math.min(at + 2, to);
    }
    if (bytes[at + 1] === carriageReturn && bytes[at + 2] === lineFeed) {
      return Math.min(at + 3, to);
    }
  }
  const cr = bytes.indexOf("\r\r", from);
  return cr === -1 ? to : Math.min(cr + 2, to);
}

/** The joined `data` lines of one event: the bytes from `start` to `end`. No view is made of them, which is slow. */
export function eventData(bytes: Buffer, start = 0, end = bytes.length): string {
  // Nearly every event is a single line, after its name or alone, followed by an empty one.
  const dataStart = isData(bytes, start) ? start : afterName(bytes, start, end);
  if (isData(bytes, dataStart) && bytes.indexOf(lineFeed, dataStart) === end - 2) {
    const from = dataStart + dataMark.length;
    const line = bytes.toString("utf8", bytes[from] === space ? from + 1 : from, end - 2);
    if (!line.includes("\r")) {
      return line;
    }
  }
  const text = bytes.toString("utf8", start, end);
  const lines: string[] = [];
  for (const line of text.split(text.includes("\r") ? /\r\n|\n|\r/ : "\n")) {
    if (line.startsWith(dataMark)) {
      lines.push(line.slice(line.startsWith("data: ") ? dataMark.length + 1 : dataMark.length));
    }
  }
  return lines.join("\n");
}

/** Where the line after an event's name begins; `start` if the event has no name first, or a CR might end it. */
function afterName(bytes: Buffer, start: number, end: number): number {
  if (bytes[start] !== nameStart) {
    return start;
  }
  for (let at = start; at < end; at += 1) {
    if (bytes[at] === lineFeed) {
      return at + 1;
    }
    if (bytes[at] === carriageReturn) {
      return start;
    }
  }
  return start;
}

function isData(bytes: Buffer, at: number): boolean {
  return (
    bytes[at] === 0x64 &&
    bytes[at + 1] === 0x61 &&
    bytes[at + 2] === 0x74 &&
    bytes[at + 3] === 0x61 &&
    bytes[at + 4] === 0x3a
  );
}

const doneText = "[DONE]";

/** The end mark of chat completions means nothing in a stream of the Messages or the Gemini API. */
const doneKinds: Readonly<Record<StreamForm, EventKind>> = {
  choices: "done",
  responses: "done",
  messages: "comment",
  candidates: "comment",
  framed: "done",
  raw: "done",
};

/**
 * Inspects one event: the bytes from `start` to `end`. One whose data is not JSON is broken: clients differ in what they
 * make of it.
 */
export function seeEvent(bytes: Buffer, form: StreamForm, start = 0, end = bytes.length): SeenEvent {
  const data = eventData(bytes, start, end);
  if (data === doneText) {
    return { kind: doneKinds[form], payload: null };
  }
  let sent: unknown;
  try {
    sent = JSON.parse(data);
  } catch {
    const text = data.trim();
    return { kind: text === doneText ? doneKinds[form] : text === "" ? "comment" : "broken", payload: null };
  }
  // Some providers send an error as a list.
  const payload = firstOfList(sent);
  if (typeof payload !== "object" || payload === null || (payload !== sent && !("error" in payload))) {
    // The gateway does not judge such data: the client gets what the provider sent.
    return { kind: "content", payload: null };
  }
  const fields = payload as Record<string, unknown>;
  return { kind: kindOf(fields, form), payload: fields };
}

function kindOf(payload: Record<string, unknown>, form: StreamForm): EventKind {
  switch (form) {
    case "responses":
      return responsesEventKind(payload["type"]);
    case "messages":
      return payload["type"] === undefined ? chatEventKind(payload) : (messagesKinds.get(payload["type"]) ?? "content");
    default:
      return chatEventKind(payload);
  }
}

function chatEventKind(payload: Record<string, unknown>): EventKind {
  // Some providers send an empty error in every chunk: null, false, an empty string.
  if (payload["error"] || payload["object"] === "error") {
    return "error";
  }
  const choices = payload["choices"];
  if (hasFailedChoice(choices)) {
    return "error";
  }
  const isUsageOnly = Array.isArray(choices) && choices.length === 0 && payload["usage"] != null;
  return isUsageOnly ? "usage_only" : "content";
}

function responsesEventKind(type: unknown): EventKind {
  if (type === "error" || type === "response.failed") {
    return "error";
  }
  return type === "response.completed" || type === "response.incomplete" ? "terminal" : "content";
}

const messagesKinds: ReadonlyMap<unknown, EventKind> = new Map([
  ["error", "error"],
  ["message_stop", "terminal"],
  ["ping", "comment"],
]);
