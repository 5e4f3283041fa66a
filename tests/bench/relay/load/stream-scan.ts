import { CHUNKS_PER_STREAM, SEND_TIME_DIGITS } from "./answers.ts";
import { chatCall, type StreamMarks } from "./call.ts";

const NEW_LINE = 10;

/**
 * Finds the send time of every event of a stream, even if an event spans packets, and requires a complete stream: all
 * events, and the one that ends a stream of its dialect at the very end.
 */
export class StreamScan {
  readonly #onSendTime: (sentNs: number) => void;
  readonly #mark: Buffer;
  readonly #lastEvent: Buffer;
  #eventCount = 0;
  #hasEnded = false;
  /** The beginning of an event whose end is still to come. */
  #carry: Buffer | null = null;

  constructor(onSendTime: (sentNs: number) => void, { sendTime, lastEvent }: StreamMarks = chatCall.marks) {
    this.#onSendTime = onSendTime;
    this.#mark = Buffer.from(sendTime);
    this.#lastEvent = Buffer.from(lastEvent);
  }

  /** Takes a part of the body without transfer coding. */
  take(bytes: Buffer): void {
    const text = this.#carry === null ? bytes : Buffer.concat([this.#carry, bytes]);
    const end = endOfWholeEvents(text);
    let mark = text.indexOf(this.#mark);
    while (mark !== -1 && mark < end) {
      this.#eventCount += 1;
      this.#onSendTime(readDigits(text, mark + this.#mark.byteLength));
      mark = text.indexOf(this.#mark, mark + this.#mark.byteLength + SEND_TIME_DIGITS);
    }
    if (end > 0) {
      const start = startOfLastEvent(text, end);
      this.#hasEnded = text.subarray(start, start + this.#lastEvent.byteLength).equals(this.#lastEvent);
    }
    this.#carry = end === text.byteLength ? null : Buffer.from(text.subarray(end));
  }

  /** Begins the next stream. @throws Error when the previous one was incomplete */
  finish(): void {
    if (this.#eventCount !== CHUNKS_PER_STREAM || !this.#hasEnded || this.#carry !== null) {
      throw new Error(
        `a stream with ${this.#eventCount} events ${this.#hasEnded ? "and" : "but no"} ${this.#lastEvent} at the end`,
      );
    }
    this.#eventCount = 0;
    this.#hasEnded = false;
  }
}

/** @param end the end of an event */
function startOfLastEvent(text: Buffer, end: number): number {
  const before = end < 3 ? -1 : text.lastIndexOf("\n\n", end - 3);
  return before === -1 ? 0 : before + 2;
}

function endOfWholeEvents(text: Buffer): number {
  const { byteLength } = text;
  if (text[byteLength - 1] === NEW_LINE && text[byteLength - 2] === NEW_LINE) {
    return byteLength;
  }
  const last = text.lastIndexOf("\n\n");
  return last === -1 ? 0 : last + 2;
}

function readDigits(text: Buffer, start: number): number {
  let value = 0;
  for (let index = start; index < start + SEND_TIME_DIGITS; index++) {
    value = value * 10 + ((text[index] ?? 0) - 48);
  }
  return value;
}
