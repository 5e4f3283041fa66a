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

/** What of a form the price of a call depends on. */
export type Form = { readonly fields: Readonly<Record<string, string>>; readonly files: number };

/**
 * The values of these plain fields of a multipart form, as far as they are there, and how many files it has, without
 * taking the files apart. What the provider might read otherwise than we do is refused, because the call is priced by
 * what is found here. Format: RFC 7578.
 * @throws AppError `invalid_value` for a form that is malformed or has one of the fields twice
 */
export function readForm(bytes: Buffer, contentType: string, names: readonly string[]): Form {
  const match = boundaryPattern.exec(contentType);
  const boundary = match?.[1] ?? match?.[2];
  const fields: Record<string, string> = {};
  let files = 0;
  for (const part of boundary === undefined ? [] : readParts(bytes, Buffer.from(`--${boundary}`))) {
    files += part.isFile ? 1 : 0;
    if (!names.includes(part.name)) {
      continue;
    }
    if (part.isFile || part.name in fields) {
      const message = `The form must have one plain field '${part.name}'.`;
      throw new AppError("invalid_value", { message, param: part.name });
    }
    const end = Math.min(part.end, part.start + valueBytesMax);
    fields[part.name] = bytes.toString("utf8", part.start, end).replace(/\r\n$/, "");
  }
  return { fields, files };
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
