import { defaultSseLimits, type SseEvent, SseLimitError, type SseLimits } from "./model.ts";

/**
 * Reads a `text/event-stream` body packet by packet. Packets may end anywhere, also inside a character or between CR and
 * LF; lines may end in LF, CR or CRLF; a byte order mark at the very beginning and comments are passed over. What was
 * read of an unfinished event is kept until the rest comes, within the limits.
 */
export class SseParser {
  readonly #decoder = new TextDecoder();
  readonly #limits: SseLimits;
  /** The unfinished last line of what came so far. */
  #line = "";
  /** The last packet ended in CR, so that an LF at the head of the next one belongs to it. */
  #isAfterReturn = false;
  #event = "";
  #data: string | null = null;
  #id = "";
  #retryMs: number | null = null;
  #failure: SseLimitError | null = null;

  constructor(limits: Partial<SseLimits> = {}) {
    this.#limits = { ...defaultSseLimits, ...limits };
  }

  /** The reconnection time that the stream asked for last, or null. */
  get retryMs(): number | null {
    return this.#retryMs;
  }

  /**
   * Takes the next packet.
   * @returns the events that it completed, in order
   * @throws SseLimitError when a line or an event outgrows its limit, and again on every later call
   */
  push(packet: Uint8Array): SseEvent[] {
    const events: SseEvent[] = [];
    this.#readText(this.#decoder.decode(packet, { stream: true }), events);
    return events;
  }

  /**
   * The stream is over.
   * @returns the last event if its closing empty line never came; the format says to drop it, but some senders omit
   * that line, and a caller can recognize a torn event by its data
   * @throws SseLimitError as push does
   */
  end(): SseEvent[] {
    const events: SseEvent[] = [];
    this.#readText(this.#decoder.decode(), events);
    if (this.#line !== "") {
      this.#takeLine("", events);
    }
    this.#dispatch(events);
    return events;
  }

  #readText(text: string, events: SseEvent[]): void {
    if (this.#failure !== null) {
      throw this.#failure;
    }
    if (text === "") {
      return;
    }
    let start = 0;
    if (this.#isAfterReturn) {
      this.#isAfterReturn = false;
      start = text.charCodeAt(0) === lineFeed ? 1 : 0;
    }
    start = text.includes("\r", start)
      ? this.#readMixedLines(text, start, events)
      : this.#readLines(text, start, events);
    if (start < text.length) {
      this.#line += start === 0 ? text : text.slice(start);
      this.#checkLength("line", this.#line.length);
    }
  }

  /** The usual case: only line feeds. Returns where the unfinished line begins. */
  #readLines(text: string, from: number, events: SseEvent[]): number {
    let start = from;
    for (let end = text.indexOf("\n", start); end !== -1; end = text.indexOf("\n", start)) {
      this.#takeLine(text.slice(start, end), events);
      start = end + 1;
    }
    return start;
  }

  #readMixedLines(text: string, from: number, events: SseEvent[]): number {
    let start = from;
    for (let at = from; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (unit !== lineFeed && unit !== carriageReturn) {
        continue;
      }
      this.#takeLine(text.slice(start, at), events);
      if (unit === carriageReturn) {
        if (at + 1 === text.length) {
          this.#isAfterReturn = true;
        } else if (text.charCodeAt(at + 1) === lineFeed) {
          at += 1;
        }
      }
      start = at + 1;
    }
    return start;
  }

  #takeLine(tail: string, events: SseEvent[]): void {
    const line = this.#line === "" ? tail : this.#line + tail;
    this.#line = "";
    if (line === "") {
      this.#dispatch(events);
      return;
    }
    this.#checkLength("line", line.length);
    const colon = line.indexOf(":");
    if (colon === 0) {
      return;
    }
    const name = colon === -1 ? line : line.slice(0, colon);
    const hasSpace = colon !== -1 && line.charCodeAt(colon + 1) === space;
    this.#takeField(name, colon === -1 ? "" : line.slice(colon + (hasSpace ? 2 : 1)));
  }

  #takeField(name: string, value: string): void {
    if (name === "data") {
      this.#data = this.#data === null ? value : `${this.#data}\n${value}`;
      this.#checkLength("event", this.#data.length);
    } else if (name === "event") {
      this.#event = value;
    } else if (name === "id" && !value.includes("\0")) {
      this.#id = value;
    } else if (name === "retry" && /^\d{1,15}$/.test(value)) {
      this.#retryMs = Number(value);
    }
  }

  /** An event without data is none; its name is forgotten with it. */
  #dispatch(events: SseEvent[]): void {
    if (this.#data !== null) {
      events.push({ event: this.#event, data: this.#data, id: this.#id });
    }
    this.#data = null;
    this.#event = "";
  }

  #checkLength(limit: "line" | "event", length: number): void {
    const lengthMax = limit === "line" ? this.#limits.lineLengthMax : this.#limits.eventLengthMax;
    if (length > lengthMax) {
      this.#failure = new SseLimitError(limit, lengthMax);
      this.#line = "";
      this.#data = null;
      throw this.#failure;
    }
  }
}

const lineFeed = 10;
const carriageReturn = 13;
const space = 32;
