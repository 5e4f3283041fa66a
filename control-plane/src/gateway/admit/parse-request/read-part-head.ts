/** The head of a part: the name of its field and, for a file, what is known about the file. */
export type PartHead = {
  readonly name: string;
  readonly file: { readonly name: string; readonly type: string } | null;
};

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/**
 * A header line has no control characters except tabs, and is not a continuation line, which would begin with a space.
 */
const linePattern = /^([!#$%&'*+.^`|~\w-]+):[ \t]*([^\p{Cc}]*(?:\t[^\p{Cc}]*)*)$/u;
const parameter = /[ \t]*;[ \t]*([\w!#$&+.^`|~*-]+)=(?:"((?:[^"\\]|\\.)*)"|([^\s";,\\]+))/y;
/** Names that every parser reads alike. */
const namePattern = /^[\w.[\]-]{1,128}$/;
const typePattern =
  /^(?!multipart\/|message\/)[\w!#$&^.+-]+\/[\w!#$&^.+-]+(?:[ \t]*;[ \t]*[\w-]+=(?:[\w.+-]+|"[\w .,+-]*"))*$/i;
/** Encodings that leave every byte unchanged. */
const plainEncoding = /^(?:7bit|8bit|binary)$/i;
const extendedPattern = /^utf-8'[\w-]*'((?:[\w!#$&+.^`|~-]|%[\da-f]{2})+)$/i;
/** Characters that some parser reads differently in a file name. */
const oddInFileName = /["\\;\p{Cc}\p{Zl}\p{Zp}]|%(?:22|0a|0d)/giu;
const fileNameLengthMax = 255;
const unknownType = "application/octet-stream";

/** Parses the lines of a head; null for one that is malformed, or that two parsers could read in two ways. */
export function readPartHead(bytes: Uint8Array): PartHead | null {
  const fields = readLines(bytes);
  const disposition = readDisposition(fields?.get("content-disposition") ?? "");
  if (fields === null || disposition === null) {
    return null;
  }
  const type = fields.get("content-type");
  const encoding = fields.get("content-transfer-encoding") ?? "binary";
  const name = disposition.get("name") ?? "";
  if (!(namePattern.test(name) && plainEncoding.test(encoding) && typePattern.test(type ?? unknownType))) {
    return null;
  }
  const fileName = readFileName(disposition);
  if (fileName === undefined) {
    return { name, file: null };
  }
  return fileName === null ? null : { name, file: { name: fileName, type: type ?? unknownType } };
}

function readLines(bytes: Uint8Array): Map<string, string> | null {
  const fields = new Map<string, string>();
  for (const line of decode(bytes)?.split("\r\n") ?? [""]) {
    const [, name = "", value = ""] = linePattern.exec(line) ?? [];
    if (name === "" || fields.has(name.toLowerCase())) {
      return null;
    }
    fields.set(name.toLowerCase(), value.trim());
  }
  return fields;
}

function decode(bytes: Uint8Array): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}

function readDisposition(value: string): Map<string, string> | null {
  const parameters = new Map<string, string>();
  const [word = ""] = /^form-data/i.exec(value) ?? [];
  let at = word.length;
  while (word !== "" && at < value.length) {
    parameter.lastIndex = at;
    const match = parameter.exec(value);
    const name = (match?.[1] ?? "").toLowerCase();
    const isStarred = name.includes("*") && name !== "filename*";
    if (match === null || isStarred || parameters.has(name)) {
      return null;
    }
    parameters.set(name, match[2]?.replace(/\\(["\\])/g, "$1") ?? match[3] ?? "");
    at += match[0].length;
  }
  return parameters;
}

/** The file name to forward, without folders; undefined for no file, null for an invalid name. */
function readFileName(parameters: ReadonlyMap<string, string>): string | null | undefined {
  const extended = parameters.get("filename*");
  const given = extended === undefined ? parameters.get("filename") : fromExtended(extended);
  if (given === undefined || given === null) {
    return given;
  }
  const name = given
    .replace(/^.*[/\\]/s, "")
    .replace(oddInFileName, "_")
    .trim();
  return name === "" || name.length > fileNameLengthMax ? null : name;
}

/** RFC 8187, in UTF-8 only. */
function fromExtended(value: string): string | null {
  try {
    return decodeURIComponent(extendedPattern.exec(value)?.[1] ?? "%");
  } catch {
    return null;
  }
}
