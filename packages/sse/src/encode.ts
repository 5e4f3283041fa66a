/** What can be written as one event. An absent field is left out. */
export type SseFields = {
  readonly data: string;
  readonly event?: string;
  readonly id?: string;
  /** Milliseconds, a whole number. */
  readonly retryMs?: number;
};

const lineBreak = /\r\n|\r|\n/;
const everyLineBreak = /\r\n|\r|\n/g;

/**
 * One event in the text of the format, closed by its empty line. Data of several lines becomes several `data` lines,
 * so that every kind of line break in it arrives as a line feed.
 * @throws RangeError when the name or the id holds a line break, or the id a NUL, or the retry time is not a whole
 * number
 */
export function encodeSseEvent(fields: SseFields): string {
  const { data, event, id, retryMs } = fields;
  let text = "";
  if (event !== undefined && event !== "") {
    text += `event: ${oneLine(event)}\n`;
  }
  if (id !== undefined) {
    if (id.includes("\0")) {
      throw new RangeError("an event id holds a NUL");
    }
    text += `id: ${oneLine(id)}\n`;
  }
  if (retryMs !== undefined) {
    if (!Number.isSafeInteger(retryMs) || retryMs < 0) {
      throw new RangeError(`not a time in milliseconds: ${retryMs}`);
    }
    text += `retry: ${retryMs}\n`;
  }
  return `${text}data: ${lineBreak.test(data) ? data.replace(everyLineBreak, "\ndata: ") : data}\n\n`;
}

/** A comment that keeps a connection awake and that no reader sees. */
export function encodeSseComment(text: string): string {
  return `: ${text.replace(everyLineBreak, " ")}\n\n`;
}

function oneLine(value: string): string {
  if (lineBreak.test(value)) {
    throw new RangeError("a field of one line holds a line break");
  }
  return value;
}
