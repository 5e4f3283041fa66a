import type { ParsedRequest } from "../../model.ts";
import { countText, toTokens } from "../../usage-count/text-tokens.ts";

/** How much of a request is sampled; the rest is assumed to be alike. */
const sampleBytesMax = 65_536;
/** Precedes a file: it is not text, and its size does not indicate tokens. */
const fileMarks = [";base64,", '"data":"', '"data": "'].map((mark) => Buffer.from(mark));
const quote = 0x22;
const formType = /^multipart\//i;
/** The fewest tokens that an image is read as. */
const pictureTokensMin = 85;

/** What a provider that has begun to respond has read at least: the text of the request, and its images. */
export function estimateInput(request: ParsedRequest): number {
  const { body, contentType, bounds, inputBytes } = request;
  const pictures = bounds.inputImages * pictureTokensMin;
  // A form consists of files and a few words beside them.
  return formType.test(contentType ?? "") ? pictures : pictures + textTokens(body, inputBytes);
}

/** @param bytesMax how much of the body the client sent: an option may have been added to it */
function textTokens(body: Uint8Array, bytesMax: number): number {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const sample: Buffer[] = [];
  let [sampled, text] = [0, 0];
  for (let at = 0; at < bytes.length; ) {
    const [start, end] = nextFile(bytes, at);
    const piece = bytes.subarray(at, Math.min(start, at + sampleBytesMax - sampled));
    sample.push(piece);
    sampled += piece.length;
    text += start - at;
    at = end;
  }
  if (sampled === 0) {
    return 0;
  }
  return Math.ceil(
    (toTokens(countText(Buffer.concat(sample).toString("utf8")), 0) * Math.min(text, bytesMax)) / sampled,
  );
}

/** Where the next file in the text begins, and where the text continues after it. */
function nextFile(bytes: Buffer, from: number): [start: number, end: number] {
  let start = bytes.length;
  for (const mark of fileMarks) {
    const at = bytes.indexOf(mark, from);
    start = at === -1 ? start : Math.min(start, at + mark.length);
  }
  const end = start === bytes.length ? -1 : bytes.indexOf(quote, start);
  return [start, end === -1 ? bytes.length : end];
}
