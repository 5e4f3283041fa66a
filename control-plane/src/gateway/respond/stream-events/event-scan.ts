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

/**
 * Where the last complete event ends, or 0. Events end with an empty line; lines end with LF or CRLF, and with CR alone
 * only if there is no LF at all.
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

/** A part of a packet. Nearly every packet is one event, and a view of all of it would be one more object. */
export function cutEvents(bytes: Buffer, start: number, end: number): Buffer {
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
}

/** The joined `data` lines of one event. */
export function eventData(event: Buffer): string {
  const end = event.length - 2;
  // Nearly every event is a single line followed by an empty one.
  if (event.indexOf(lineFeed) === end && isData(event) && event.indexOf(carriageReturn) === -1) {
    return event.toString("utf8", event[dataMark.length] === space ? dataMark.length + 1 : dataMark.length, end);
  }
  const text = event.toString("utf8");
  const lines: string[] = [];
  for (const line of text.split(text.includes("\r") ? /\r\n|\n|\r/ : "\n")) {
    if (line.startsWith(dataMark)) {
      lines.push(line.slice(line.startsWith("data: ") ? dataMark.length + 1 : dataMark.length));
    }
  }
  return lines.join("\n");
}

function isData(event: Buffer): boolean {
  return event[0] === 0x64 && event[1] === 0x61 && event[2] === 0x74 && event[3] === 0x61 && event[4] === 0x3a;
}

/** The end mark of chat completions means nothing in a stream of the Messages or the Gemini API. */
const doneKinds: Readonly<Record<StreamForm, EventKind>> = {
  choices: "done",
  responses: "done",
  messages: "comment",
  candidates: "comment",
  framed: "done",
  raw: "done",
};

/** Inspects one event. One whose data is not JSON is broken: clients differ in what they make of it. */
export function seeEvent(event: Buffer, form: StreamForm): SeenEvent {
  const data = eventData(event);
  let sent: unknown;
  try {
    sent = JSON.parse(data);
  } catch {
    const text = data.trim();
    return { kind: text === "[DONE]" ? doneKinds[form] : text === "" ? "comment" : "broken", payload: null };
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
