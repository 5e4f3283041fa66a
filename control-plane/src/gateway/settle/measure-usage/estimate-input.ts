import { viewOf } from "@sluice/http-client/packet-part";
import type { ParsedRequest } from "../../model.ts";
import { countText, toTokens } from "../../usage-count/text-tokens.ts";

/** This much of a request is sampled; the rest is assumed to be similar. */
const sampleBytesMax = 65_536;
/** These marks precede a file, which is not text and whose size does not indicate tokens. */
const fileMarks = [";base64,", '"data":"', '"data": "'].map((mark) => Buffer.from(mark));
const quote = 0x22;
const backslash = 0x5c;
const formType = /^multipart\//i;
/** The fewest tokens for an image, and for a page of a document. */
const pictureTokensMin = 85;
const pageTokensMin = 258;

/**
 * The minimum that a provider has read once it begins to respond: the text of the request, its images and documents.
 */
export function estimateInput(request: ParsedRequest): number {
  const { body, contentType, bounds, inputBytes } = request;
  const pictures = bounds.inputImages * pictureTokensMin;
  const attached = pictures + bounds.inputPages * pageTokensMin;
  // A form consists of files and a few words beside them.
  return formType.test(contentType ?? "")
    ? attached
    : attached + textTokens(viewOf(body), inputBytes, bounds.fileLetters);
}

/**
 * @param bytesMax how much of the body the client sent: an option may have been added to it
 * @param fileLettersMax how much of it is files; whatever else looks like a file is text
 */
function textTokens(body: Uint8Array, bytesMax: number, fileLettersMax: number | null): number {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const marks = fileLettersMax === 0 ? [] : fileMarks.map((mark) => new MarkSearch(bytes, mark));
  const sample: Buffer[] = [];
  let [sampled, text, fileLetters] = [0, 0, 0];
  for (let at = 0; at < bytes.length; ) {
    const start = marks.reduce((least, mark) => Math.min(least, mark.endAfter(at)), bytes.length);
    const close = start === bytes.length ? -1 : bytes.indexOf(quote, start);
    const end = close === -1 ? bytes.length : close;
    const piece = bytes.subarray(at, Math.min(start, at + sampleBytesMax - sampled));
    sample.push(piece);
    sampled += piece.length;
    text += start - at;
    fileLetters += fileLettersMax === null ? 0 : countLetters(bytes, start, end);
    at = end;
  }
  if (sampled === 0) {
    return 0;
  }
  text += Math.max(0, fileLetters - (fileLettersMax ?? 0));
  return Math.ceil(
    (toTokens(countText(Buffer.concat(sample).toString("utf8")), 0) * Math.min(text, bytesMax)) / sampled,
  );
}

/** Some encoders escape each slash of base64 with a backslash, which does not count as a letter. */
function countLetters(bytes: Buffer, start: number, end: number): number {
  const file = bytes.subarray(start, end);
  let letters = file.length;
  for (let at = file.indexOf(backslash); at !== -1; at = file.indexOf(backslash, at + 1)) {
    letters -= 1;
  }
  return letters;
}

/** Finds the places of a mark, in one pass over the text however many other marks it has. */
class MarkSearch {
  readonly #bytes: Buffer;
  readonly #mark: Buffer;
  #next = 0;

  constructor(bytes: Buffer, mark: Buffer) {
    this.#bytes = bytes;
    this.#mark = mark;
    this.#next = bytes.indexOf(mark);
  }

  /** The end of the first mark at this position or later; the length of the text if there is none. */
  endAfter(from: number): number {
    if (this.#next !== -1 && this.#next < from) {
      this.#next = this.#bytes.indexOf(this.#mark, from);
    }
    return this.#next === -1 ? this.#bytes.length : this.#next + this.#mark.length;
  }
}
