import { AppError } from "../../../platform/errors.ts";

const fieldsMax = 64;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const formType = /^application\/x-www-form-urlencoded\s*(;|$)/i;
const jsonType = /^application\/json\s*(;|$)/i;

const literal = String.raw`"[^"\\]*(?:\\.[^"\\]*)*"`;
const opening = /\s*\{\s*/y;
const member = new RegExp(String.raw`(${literal})\s*:\s*(${literal})\s*([,}])\s*`, "y");

/**
 * The fields of a notification, each of which must occur once: with two of the same name, the signature may cover the
 * first and the parser use the second.
 * @throws AppError `unsupported_media_type`, `invalid_json`, `invalid_value`
 */
export function readWalletFields(bytes: Uint8Array, contentType: string | null): Map<string, string> {
  const type = contentType ?? "";
  if (formType.test(type)) {
    return collect(new URLSearchParams(decode(bytes)));
  }
  if (jsonType.test(type)) {
    return collect(readFlatObject(decode(bytes)));
  }
  throw new AppError("unsupported_media_type", { message: "Send a form or JSON." });
}

function collect(pairs: Iterable<readonly [string, string]>): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of pairs) {
    if (fields.has(name)) {
      throw new AppError("invalid_value", { message: "A field was sent twice." });
    }
    fields.set(name, value);
    if (fields.size > fieldsMax) {
      throw new AppError("invalid_value", { message: "There are too many fields." });
    }
  }
  return fields;
}

/**
 * An object of strings, and nothing else, member by member: `JSON.parse` silently keeps the last of two equal names.
 */
function* readFlatObject(text: string): Generator<readonly [string, string]> {
  opening.lastIndex = 0;
  if (!opening.test(text)) {
    throw new AppError("invalid_json");
  }
  let position = opening.lastIndex;
  for (let end = ","; end === ","; ) {
    member.lastIndex = position;
    const found = member.exec(text);
    if (found === null) {
      throw new AppError("invalid_json");
    }
    const [, name = "", value = "", mark = ""] = found;
    yield [readLiteral(name), readLiteral(value)];
    position = member.lastIndex;
    end = mark;
  }
  if (position !== text.length) {
    throw new AppError("invalid_json");
  }
}

function readLiteral(text: string): string {
  try {
    return JSON.parse(text) as string;
  } catch {
    throw new AppError("invalid_json");
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw new AppError("invalid_json", { message: "The body is not UTF-8." });
  }
}
