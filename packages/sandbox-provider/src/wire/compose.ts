/** Turns a response and a behaviour into the pieces to send. */
import { STATUS_CODES } from "node:http";
import type { Behaviour } from "../script/behaviour.ts";
import { encodeEvent, plainForm, shapeEvents } from "./events.ts";
import { corruptTransport } from "./faults.ts";
import {
  type Answer,
  type AnswerHeader,
  type Ending,
  latin1,
  type Piece,
  type Plan,
  type SseEvent,
  type StreamForm,
} from "./plan.ts";

export type ComposeInput = {
  readonly answer: Answer;
  readonly behaviour: Behaviour;
  /** False when the client asked to close the connection, or speaks HTTP/1.0. */
  readonly isKeepAlive: boolean;
  readonly canChunk: boolean;
  /** The response to HEAD has all the headers and no body. */
  readonly isHeadOnly: boolean;
};

type Framing = "chunked" | "content-length" | "close" | "none";

const fillerBytes = 65_536;
const lingerMsDefault = 10;
const terminator = latin1("0\r\n\r\n");

/** The whole plan of one response; its pieces are computed while they are sent. */
export function composePlan(input: ComposeInput): Plan {
  const { answer, behaviour } = input;
  if (behaviour.raw !== undefined) {
    const pieces: Piece[] = [{ bytes: latin1(behaviour.raw), delayMs: behaviour.delayHeadMs ?? 0, chunks: 1 }];
    return { status: null, pieces: corruptTransport(pieces, behaviour), ending: endingOf(behaviour, true) };
  }
  const framing = framingOf(input);
  let payload = payloadOf(answer, behaviour);
  let contentLength: number | null = null;
  if (framing === "content-length") {
    contentLength = lengthOf(answer, behaviour);
    if (contentLength === null) {
      const whole = Array.from(payload);
      payload = whole;
      contentLength = whole.reduce((sum, piece) => sum + piece.bytes.length, 0);
    }
  }
  const willClose = framing === "close" || !input.isKeepAlive || behaviour.closeAfter === true;
  const lengthHeaders = framingHeaders(framing, contentLength, behaviour.contentLengthLie ?? 0);
  const head = headOf(answer, behaviour, willClose ? [...lengthHeaders, ["Connection", "close"]] : lengthHeaders);
  const body = framing === "chunked" ? chunkFrames(payload, behaviour.malformedFraming) : payload;
  const pieces = framing === "none" || input.isHeadOnly ? [head] : prepend(head, body);
  const ending = endingOf(behaviour, !willClose && (behaviour.contentLengthLie ?? 0) <= 0);
  return { status: answer.status, pieces: corruptTransport(pieces, behaviour), ending };
}

function framingOf({ answer, behaviour, canChunk }: ComposeInput): Framing {
  if (answer.status === 101 || answer.status === 204 || answer.status === 304) {
    return "none";
  }
  const wanted = behaviour.framing ?? (answer.body.kind === "events" ? "chunked" : "content-length");
  return wanted === "chunked" && !canChunk ? "close" : wanted;
}

function endingOf(behaviour: Behaviour, isKeptAlive: boolean): Ending {
  if (behaviour.cut?.with === "rst") {
    return { kind: "rst", lingerMs: behaviour.cut.lingerMs ?? lingerMsDefault };
  }
  if (behaviour.cut !== undefined) {
    return { kind: "fin", isCut: true };
  }
  return isKeptAlive
    ? { kind: "keep-alive" }
    : { kind: "fin", isCut: false, isEarly: behaviour.answersBeforeBody === true };
}

function framingHeaders(framing: Framing, length: number | null, lie: number): AnswerHeader[] {
  if (framing === "chunked") {
    return [["Transfer-Encoding", "chunked"]];
  }
  return framing === "content-length" ? [["Content-Length", String((length ?? 0) + lie)]] : [];
}

function headOf(answer: Answer, behaviour: Behaviour, last: readonly AnswerHeader[]): Piece {
  const interim = (behaviour.informational ?? []).map((status) => `HTTP/1.1 ${reasoned(status)}\r\n\r\n`).join("");
  const headers = overrideHeaders([...answer.headers, ...last], behaviour.headers ?? {});
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const bytes = latin1(`${interim}HTTP/1.1 ${reasoned(answer.status)}\r\n${lines}\r\n`);
  return { bytes, delayMs: behaviour.delayHeadMs ?? 0, chunks: 0 };
}

function reasoned(status: number): string {
  return `${status} ${STATUS_CODES[status] ?? "Sandbox"}`;
}

function overrideHeaders(
  headers: readonly AnswerHeader[],
  overrides: Readonly<Record<string, string | readonly string[] | null>>,
): AnswerHeader[] {
  const replaced = new Set(Object.keys(overrides).map((name) => name.toLowerCase()));
  const kept = headers.filter(([name]) => !replaced.has(name.toLowerCase()));
  for (const [name, value] of Object.entries(overrides)) {
    for (const single of value === null ? [] : [value].flat()) {
      kept.push([name, single]);
    }
  }
  return kept;
}

/** The length of the payload if it is known without producing it. */
function lengthOf(answer: Answer, behaviour: Behaviour): number | null {
  if (behaviour.hugeBodyBytes !== undefined) {
    return behaviour.hugeBodyBytes;
  }
  return answer.body.kind === "whole" ? answer.body.bytes.length : null;
}

function payloadOf(answer: Answer, behaviour: Behaviour): Iterable<Piece> {
  if (behaviour.hugeBodyBytes !== undefined) {
    return filler(behaviour.hugeBodyBytes, behaviour);
  }
  if (answer.body.kind === "events") {
    const form = answer.form ?? plainForm;
    return paceEvents(shapeEvents(answer.body.events, behaviour, form), behaviour, form);
  }
  return [{ bytes: answer.body.bytes, delayMs: behaviour.firstTokenDelayMs ?? 0, chunks: 1 }];
}

function* filler(length: number, behaviour: Behaviour): Iterable<Piece> {
  const block = Buffer.alloc(fillerBytes, "sandbox ");
  for (let sent = 0; sent < length; sent += block.length) {
    const delayMs = (sent === 0 ? behaviour.firstTokenDelayMs : behaviour.chunkDelayMs) ?? 0;
    yield { bytes: block.subarray(0, length - sent), delayMs, chunks: 1 };
  }
}

/** The end mark follows the last chunk without a pause, as with real providers. */
function* paceEvents(events: Iterable<SseEvent>, behaviour: Behaviour, form: StreamForm): Iterable<Piece> {
  let index = 0;
  for (const event of events) {
    const between = form.isEnd(event) ? 0 : (behaviour.chunkDelayMs ?? 0);
    const delayMs = index === 0 ? (behaviour.firstTokenDelayMs ?? 0) : between;
    yield { bytes: encodeEvent(event, index, behaviour), delayMs, chunks: 1 };
    index += 1;
  }
}

function* chunkFrames(payload: Iterable<Piece>, malformedIndex: number | undefined): Iterable<Piece> {
  let index = 0;
  for (const piece of payload) {
    const size = index === malformedIndex ? "zz" : piece.bytes.length.toString(16);
    index += 1;
    if (piece.bytes.length > 0) {
      yield { ...piece, bytes: Buffer.concat([latin1(`${size}\r\n`), piece.bytes, latin1("\r\n")]) };
    }
  }
  yield { bytes: terminator, delayMs: 0, chunks: 0 };
}

function* prepend(first: Piece, rest: Iterable<Piece>): Iterable<Piece> {
  yield first;
  yield* rest;
}
