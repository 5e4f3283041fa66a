import { CHUNKS_PER_STREAM, SEND_TIME_DIGITS, SEND_TIME_MARK } from "./answers.ts";

const NEW_LINE = 10;
const endOfStream = Buffer.from("data: [DONE]\n\n");

/**
 * Finds the send time of every event of a stream, even if an event spans packets, and requires a complete stream: all
 * events, and `[DONE]` at the very end.
 */
export class StreamScan {
  readonly #onSendTime: (sentNs: number) => void;
  #eventCount = 0;
  #hasEnded = false;
  /** The beginning of an event whose end is still to come. */
  #carry: Buffer | null = null;

  constructor(onSendTime: (sentNs: number) => void) {
    this.#onSendTime = onSendTime;
  }

  /** Takes a part of the body without transfer coding. */
  take(bytes: Buffer): void {
    const text = this.#carry === null ? bytes : Buffer.concat([this.#carry, bytes]);
    const end = endOfWholeEvents(text);
    let mark = text.indexOf(SEND_TIME_MARK);
    while (mark !== -1 && mark < end) {
      this.#eventCount += 1;
      this.#onSendTime(readDigits(text, mark + SEND_TIME_MARK.length));
      mark = text.indexOf(SEND_TIME_MARK, mark + SEND_TIME_MARK.length + SEND_TIME_DIGITS);
    }
    if (end > 0) {
      this.#hasEnded = text.subarray(Math.max(0, end - endOfStream.byteLength), end).equals(endOfStream);
    }
    this.#carry = end === text.byteLength ? null : Buffer.from(text.subarray(end));
  }

  /** Begins the next stream. @throws Error when the previous one was incomplete */
  finish(): void {
    if (this.#eventCount !== CHUNKS_PER_STREAM || !this.#hasEnded || this.#carry !== null) {
      throw new Error(
        `a stream with ${this.#eventCount} events ${this.#hasEnded ? "and" : "but no"} [DONE] at the end`,
      );
    }
    this.#eventCount = 0;
    this.#hasEnded = false;
  }
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
