import { isJsonObject, type JsonObject } from "../json.ts";
import { JsonObjectScanner } from "./json-object-scanner.ts";

/** Texts shorter than this can't be nested too deeply. */
const scannedLengthMin = 2_048;

/**
 * The arguments of a tool call as an object, even if the upstream sent something else; a client accepts nothing else.
 * @param isTruncated the response ended at its limit, so that the text may be incomplete
 */
export function toToolInput(raw: unknown, isTruncated: boolean): JsonObject {
  if (isJsonObject(raw)) {
    return raw;
  }
  if (raw === undefined || raw === null) {
    return {};
  }
  return typeof raw === "string" ? readText(raw, isTruncated).input : { _raw: JSON.stringify(raw) };
}

/** The arguments as JSON text. Valid text stays unchanged, so that its numbers keep their notation. */
export function toToolInputJson(text: string, isTruncated: boolean): string {
  const { input, json } = readText(text, isTruncated);
  return json ?? JSON.stringify(input);
}

function readText(text: string, isTruncated: boolean): { input: JsonObject; json: string | null } {
  const trimmed = text.trim();
  if (trimmed === "") {
    return { input: {}, json: null };
  }
  const parsed = parse(trimmed);
  if (isJsonObject(parsed)) {
    return { input: parsed, json: trimmed };
  }
  if (parsed === null) {
    return { input: {}, json: null };
  }
  const repaired = typeof parsed === "string" ? parse(parsed) : mend(trimmed, isTruncated);
  return { input: isJsonObject(repaired) ? repaired : { _raw: text }, json: null };
}

/** Undefined for invalid JSON, or when nested too deeply to be serialised again. */
function parse(text: string): unknown {
  if (text.length >= scannedLengthMin && text.startsWith("{") && scan(text).state === "invalid") {
    return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Some upstreams repeat the whole text, and a limit can cut it anywhere. */
function mend(text: string, isTruncated: boolean): unknown {
  const scanner = scan(text);
  if (scanner.state === "complete") {
    const first = text.slice(0, scanner.validLength);
    const rest = text.slice(scanner.validLength);
    return rest.replaceAll(first, "").trim() === "" ? parse(first) : undefined;
  }
  if (isTruncated && scanner.state !== "empty") {
    return parse(text.slice(0, scanner.cutLength) + scanner.closers) ?? {};
  }
  return isTruncated ? {} : undefined;
}

function scan(text: string): JsonObjectScanner {
  const scanner = new JsonObjectScanner();
  scanner.feed(text);
  return scanner;
}
