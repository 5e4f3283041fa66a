import { AppError } from "../../../platform/errors.ts";

const boundaryPattern = /boundary=(?:"([^"]{1,70})"|([^;\s"]{1,70}))/i;
const partsMax = 1_000;
const headBytesMax = 8_192;
const valueBytesMax = 1_024;
const dash = 0x2d;
const dispositionPattern =
  /^content-disposition:[ \t]*form-data((?:[ \t]*;[ \t]*[\w*-]+=(?:"(?:[^"\\]|\\.)*"|[^;"\s]*))*)[ \t]*$/i;
const parameterPattern = /([\w*-]+)=("(?:[^"\\]|\\.)*"|[^;"\s]*)/g;
/** A name that every reader reads alike. */
const plainNamePattern = /^"?[^"\\%]*"?$/;

/**
 * The value of a plain field of a multipart form, without taking the files apart; null when there is none. What the
 * provider might read otherwise than we do is refused, because the call is priced by what is found here.
 * Format: RFC 7578.
 * @throws AppError `invalid_value` for a form that is malformed or names the field twice
 */
export function readMultipartField(bytes: Buffer, contentType: string, name: string): string | null {
  const match = boundaryPattern.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  if (boundary === undefined) {
    return null;
  }
  let value: string | null = null;
  for (const part of readParts(bytes, Buffer.from(`--${boundary}`))) {
    if (part.name === name) {
      if (value !== null || part.isFile) {
        throw new AppError("invalid_value", { message: `The form must have one plain field '${name}'.`, param: name });
      }
      value = bytes.toString("utf8", part.start, Math.min(part.end, part.start + valueBytesMax)).replace(/\r\n$/, "");
    }
  }
  return value;
}

type Part = { readonly name: string; readonly isFile: boolean; readonly start: number; readonly end: number };

function* readParts(bytes: Buffer, delimiter: Buffer): Iterable<Part> {
  let at = bytes.indexOf(delimiter);
  for (let count = 1; at !== -1; count += 1) {
    const headStart = at + delimiter.length;
    if (bytes[headStart] === dash && bytes[headStart + 1] === dash) {
      return;
    }
    const head = count > partsMax ? null : readHead(bytes, headStart);
    if (head === null) {
      throw new AppError("invalid_value", { message: "The form is not well-formed multipart/form-data." });
    }
    at = bytes.indexOf(delimiter, head.start);
    yield { ...head, end: at === -1 ? bytes.length : at };
  }
}

/** Name and kind of the part whose delimiter ends at `headStart`, and where its content begins; null when it has no form. */
function readHead(bytes: Buffer, headStart: number): Omit<Part, "end"> | null {
  const window = bytes.subarray(headStart, headStart + headBytesMax);
  const length = window.indexOf("\r\n\r\n");
  const [first, ...lines] = window.toString("utf8", 0, Math.max(0, length)).split("\r\n");
  const dispositions = lines.filter((line) => /^content-disposition/i.test(line));
  const isFolded = lines.some((line) => /^[ \t]/.test(line));
  if (length === -1 || first?.trim() !== "" || dispositions.length > 1 || isFolded) {
    return null;
  }
  const parameters = dispositionPattern.exec(dispositions[0] ?? "")?.[1] ?? "";
  const pairs = [...parameters.matchAll(parameterPattern)].map(([, key = "", value = ""]) => [
    key.toLowerCase(),
    value,
  ]);
  const names = pairs.filter(([key]) => key === "name" || key === "name*");
  const [word, name] = names[0] ?? [];
  if (names.length !== 1 || word !== "name" || name === undefined || !plainNamePattern.test(name)) {
    return null;
  }
  const isFile = pairs.some(([key]) => key?.startsWith("filename"));
  return { name: name.replaceAll('"', ""), isFile, start: headStart + length + "\r\n\r\n".length };
}
