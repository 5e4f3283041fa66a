import { AppError } from "../../../platform/errors.ts";
import type { RequestBounds } from "../../model.ts";
import { outputLimits, thinkingLimit } from "../../options/known-names.ts";
import type { SurfaceKind } from "../../surfaces.ts";
import { checkItems } from "./check-items.ts";
import { type Attachments, checkMessages } from "./check-messages.ts";
import { type JsonObject, readCount } from "./read-count.ts";

const choicesMax = 128;
/**
 * Audio is assumed to have at least this many bytes per second, 4 kbit/s: less than any speech codec is used with. A
 * file of compressed silence can last longer than that; what the provider counts beyond the bound is charged anyway,
 * and shows in the row.
 */
const soundBytesPerSecond = 500n;

/** Bounds from the body alone: a token is at least one of its bytes. */
const bodyAlone = {
  isOneContext: true,
  inputImages: 0,
  outputTokensMax: null,
  choices: 1,
  outputImages: 0,
  audioMs: 0n,
  characters: 0,
} as const;

/** The bounds of a call whose body is not parsed: it costs the price of a request and nothing else. */
export const passThroughBounds: RequestBounds = { ...bodyAlone, inputTokensMax: 0, outputTokensMax: 0 };

/**
 * The cost bounds of a JSON request, by the dialect of its path. Only fields that the path knows count: a provider
 * would ignore any other, and respond at full length.
 * @throws AppError `missing_field`, `invalid_type`, `invalid_value`, `unknown_field`, `unpriced_option`,
 * `provider_object`
 */
export function readBounds(fields: JsonObject, kind: SurfaceKind, bodyBytes: number): RequestBounds {
  switch (kind) {
    case "chat":
      return { ...bodyAlone, ...inputOf(checkMessages(fields), bodyBytes), ...chatOutput(fields) };
    case "responses":
      return {
        ...bodyAlone,
        ...inputOf(checkItems(fields["input"]), bodyBytes),
        outputTokensMax: readOutputLimit(fields, ["max_output_tokens"]),
      };
    case "completions":
      return { ...bodyAlone, inputTokensMax: bodyBytes, isOneContext: false, ...completionsOutput(fields) };
    case "images":
      return { ...bodyAlone, inputTokensMax: bodyBytes, ...pictures(readCount(fields, "n", 1, choicesMax) ?? 1) };
    case "speech":
      return {
        ...bodyAlone,
        inputTokensMax: bodyBytes,
        isOneContext: false,
        characters: countCharacters(fields["input"]),
      };
    case "rerank":
      return { ...bodyAlone, inputTokensMax: rerankTokens(fields, bodyBytes), isOneContext: false, outputTokensMax: 0 };
    default:
      return { ...bodyAlone, inputTokensMax: bodyBytes, isOneContext: false, outputTokensMax: 0 };
  }
}

/** The cost bounds of a form. @throws AppError `invalid_value` */
export function readFormBounds(
  form: { readonly count: string | null; readonly files: number },
  kind: SurfaceKind,
  bodyBytes: number,
): RequestBounds {
  if (kind === "images") {
    const count = readCount({ n: form.count === null ? null : toNumber(form.count) }, "n", 1, choicesMax) ?? 1;
    return { ...bodyAlone, inputTokensMax: bodyBytes, inputImages: form.files, ...pictures(count) };
  }
  const audioMs = (BigInt(bodyBytes) * 1000n + soundBytesPerSecond - 1n) / soundBytesPerSecond;
  return { ...bodyAlone, inputTokensMax: bodyBytes, audioMs };
}

/** Digits only: parsers disagree on other notations. */
function toNumber(text: string): number {
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : Number.NaN;
}

function inputOf({ images, hasMore }: Attachments, bodyBytes: number) {
  return { inputTokensMax: hasMore ? null : bodyBytes, inputImages: images };
}

function pictures(count: number) {
  return { choices: count, outputImages: count };
}

function chatOutput(fields: JsonObject) {
  return {
    outputTokensMax: readOutputLimit(fields, ["max_tokens", "max_completion_tokens"]),
    choices: readCount(fields, "n", 1, choicesMax) ?? 1,
  };
}

/**
 * The most tokens of a response. Providers differ in which of its names they know, so the largest number applies; a
 * provider may know only the dialect's own names, so without one of these nothing is limited. Thinking comes on top
 * where it has a budget of its own.
 */
function readOutputLimit(fields: JsonObject, own: readonly (typeof outputLimits)[number][], min = 1): number | null {
  let most: number | null = null;
  let isLimited = false;
  for (const name of outputLimits) {
    const limit = readCount(fields, name, min);
    if (limit !== null) {
      most = Math.max(most ?? 0, limit);
      isLimited ||= own.includes(name);
    }
  }
  const thinking = readCount(fields, thinkingLimit, 0) ?? 0;
  return isLimited && most !== null ? most + thinking : null;
}

/**
 * Each prompt of a list is answered separately, and all of the `best_of` choices are generated, whatever is returned.
 */
function completionsOutput(fields: JsonObject) {
  const { prompt } = fields;
  const isList = Array.isArray(prompt) && prompt.length > 0 && typeof prompt[0] !== "number";
  const shown = readCount(fields, "n", 1, choicesMax) ?? 1;
  const written = readCount(fields, "best_of", 1, choicesMax) ?? 1;
  return {
    outputTokensMax: readOutputLimit(fields, ["max_tokens"], 0),
    choices: Math.max(shown, written) * (isList ? prompt.length : 1),
  };
}

/** The query is read again with each document. */
function rerankTokens(fields: JsonObject, bodyBytes: number): number {
  const documents = Array.isArray(fields["documents"]) ? fields["documents"].length : 1;
  return bodyBytes + documents * Buffer.byteLength(typeof fields["query"] === "string" ? fields["query"] : "");
}

/** Speech is sold by the character: a provider might speak a value that is not text, and it would cost nothing. */
function countCharacters(text: unknown): number {
  if (text === undefined || text === null || text === "") {
    throw new AppError("missing_field", { message: "The field 'input' is missing.", param: "input" });
  }
  if (typeof text !== "string") {
    throw new AppError("invalid_type", { message: "The field 'input' must be a string.", param: "input" });
  }
  let characters = 0;
  for (const _ of text) {
    characters += 1;
  }
  return characters;
}
