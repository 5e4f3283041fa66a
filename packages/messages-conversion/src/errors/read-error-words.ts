import { isJsonObject, type JsonObject, textOf } from "../json.ts";

/** An upstream's error message, in any of the usual formats. */
export type ErrorWords = {
  readonly message: string | null;
  readonly type: string | null;
  readonly code: string | null;
  /** The field of the request at fault. */
  readonly param: string | null;
  /** The HTTP status that the body names, for bodies without a status of their own. */
  readonly status: number | null;
};

const noWords: ErrorWords = { message: null, type: null, code: null, param: null, status: null };
const messageLengthMax = 2_000;

/** @param body the parsed body, or its text when it was not JSON or not parsed; HTML is ignored */
export function readErrorWords(body: unknown): ErrorWords {
  const parsed = typeof body === "string" ? parse(body) : body;
  const [first]: unknown[] = Array.isArray(parsed) ? parsed : [parsed];
  if (!isJsonObject(first)) {
    return noWords;
  }
  const { error, detail, errors } = first;
  if (isJsonObject(error)) {
    return wordsOf(error);
  }
  if (typeof error === "string") {
    return { ...wordsOf(first), message: clip(error) };
  }
  const words = wordsOf(first);
  if (words.message !== null) {
    return words;
  }
  return { ...words, message: clip(detailText(detail ?? errors)) };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function wordsOf(error: JsonObject): ErrorWords {
  const { code, status, details } = error;
  const numbered = [code, status]
    .filter(isWord)
    .map(Number)
    .find((value) => Number.isInteger(value) && value >= 400 && value < 600);
  return {
    message: clip(textOf(error["message"])),
    type: textOf(error["type"]),
    code: textOf(code) ?? (isJsonObject(details) ? textOf(details["error_code"]) : null),
    param: textOf(error["param"]),
    status: numbered ?? null,
  };
}

/** Validation errors of some servers are a list of problems with their locations. */
function detailText(detail: unknown): string | null {
  if (!Array.isArray(detail)) {
    return textOf(detail) ?? (isJsonObject(detail) ? textOf(detail["message"]) : null);
  }
  const lines = detail.flatMap((entry) => {
    const message = isJsonObject(entry) ? (textOf(entry["msg"]) ?? textOf(entry["message"])) : textOf(entry);
    const place =
      isJsonObject(entry) && Array.isArray(entry["loc"]) ? `${entry["loc"].filter(isWord).join(".")}: ` : "";
    return message === null ? [] : [place + message];
  });
  return textOf(lines.join("; "));
}

/** Neither `Number` nor `join` takes every object: one may have a `toString` of its own. */
function isWord(value: unknown): value is string | number {
  return typeof value === "string" || typeof value === "number";
}

function clip(text: string | null): string | null {
  return text === null ? null : text.slice(0, messageLengthMax);
}
