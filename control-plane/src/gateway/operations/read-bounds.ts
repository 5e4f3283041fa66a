import { countedBytesMax } from "@sluice/contracts/operations";
import { AppError } from "../../platform/errors.ts";
import type { RequestBounds } from "../model.ts";
import { outputLimits, thinkingLimit } from "../options/known-names.ts";
import type { FormCounts, JsonObject, RefusalNote } from "./model.ts";
import type { Attachments } from "./read-bounds/attachments.ts";
import { checkBlocks } from "./read-bounds/check-blocks.ts";
import { checkContents } from "./read-bounds/check-contents.ts";
import { checkDocuments, type Documents } from "./read-bounds/check-documents.ts";
import { checkEmbeddings } from "./read-bounds/check-embeddings.ts";
import { checkItems } from "./read-bounds/check-items.ts";
import { checkMessages } from "./read-bounds/check-messages.ts";
import { countedRequest } from "./read-bounds/counted-request.ts";
import { readCount } from "./read-bounds/read-count.ts";
import { readSearches } from "./read-bounds/read-searches.ts";

const choicesMax = 128;
/**
 * Audio is assumed to have at least this many bytes per second, 4 kbit/s: less than any speech codec is used with. A
 * file of compressed silence can last longer than that; what the provider counts beyond the bound is charged anyway,
 * and shows in the row.
 */
const soundBytesPerSecond = 500;

/** Bounds from the body alone: a token is at least one of its bytes. */
const bodyAlone: Omit<RequestBounds, "inputTokensMax"> = {
  isOneContext: true,
  inputImages: 0,
  inputPages: 0,
  fileLetters: 0,
  outputTokensMax: null,
  choices: 1,
  outputImages: 0,
  audioMs: 0,
  characters: 0,
};

/** The bounds of a call whose body is not parsed: it costs the price of a request and nothing else. */
export const passThroughBounds: RequestBounds = { ...bodyAlone, inputTokensMax: 0, outputTokensMax: 0 };

/*
 * The cost bounds of each operation. Only fields that its path knows count: a provider would ignore any other, and
 * respond at full length.
 */

/** Input that is embedded, moderated or ranked: nothing is written. */
export function inputBounds(_fields: JsonObject, bodyBytes: number): RequestBounds {
  return { ...bodyAlone, inputTokensMax: bodyBytes, isOneContext: false, outputTokensMax: 0 };
}

const chatLimits = ["max_tokens", "max_completion_tokens"] as const;

export function chatBounds(fields: JsonObject, bodyBytes: number): RequestBounds {
  const { inputTokensMax, inputImages, inputPages, fileLetters } = inputOf(checkMessages(fields), bodyBytes);
  const { isOneContext, outputImages, audioMs, characters } = bodyAlone;
  return {
    inputTokensMax,
    isOneContext,
    inputImages,
    inputPages,
    fileLetters,
    outputTokensMax: readOutputLimit(fields, chatLimits),
    choices: readCount(fields, "n", 1, choicesMax) ?? 1,
    outputImages,
    audioMs,
    characters,
  };
}

export function responseBounds(fields: JsonObject, bodyBytes: number): RequestBounds {
  return {
    ...bodyAlone,
    ...inputOf(checkItems(fields["input"]), bodyBytes),
    outputTokensMax: readOutputLimit(fields, ["max_output_tokens"]),
  };
}

/** Thinking is part of `max_tokens`; 0 only puts the prompt into the provider's cache. */
export function messageBounds(fields: JsonObject, bodyBytes: number, refusals: RefusalNote): RequestBounds {
  const outputTokensMax = readOutputLimit(fields, ["max_tokens"], 0);
  if (outputTokensMax === null) {
    throw new AppError("missing_field", { message: "max_tokens: Field required", param: "max_tokens" });
  }
  const { inputTokensMax, inputImages, inputPages, fileLetters } = inputOf(checkBlocks(fields, refusals), bodyBytes);
  const searches = countSearches(fields["tools"], refusals);
  const isSummarized = asksForSummary(fields);
  const { outputImages, audioMs, characters } = bodyAlone;
  return {
    // What a search finds is read, too.
    inputTokensMax: searches > 0 ? null : isSummarized ? twice(inputTokensMax) : inputTokensMax,
    // A provider may read everything and write a summary first, which is billed besides the message.
    isOneContext: !isSummarized,
    inputImages,
    inputPages,
    fileLetters,
    outputTokensMax,
    choices: isSummarized ? 2 : 1,
    outputImages,
    audioMs,
    characters,
    searches,
  };
}

/** A conversion leaves searches out, so that their limits concern no other channel. */
function countSearches(tools: unknown, refusals: RefusalNote): number {
  try {
    return readSearches(tools);
  } catch (thrown) {
    refusals.note(thrown);
    return 0;
  }
}

/** A count is free, but files of the provider's account can't be counted either. */
export function countBounds(fields: JsonObject, bodyBytes: number, refusals: RefusalNote): RequestBounds {
  checkCountedBytes(bodyBytes);
  const { images, pages, fileLetters } = checkBlocks(fields, refusals);
  return { ...passThroughBounds, inputImages: images, inputPages: pages, fileLetters };
}

export function geminiBounds(fields: JsonObject, bodyBytes: number): RequestBounds {
  const { attachments, maxOutputTokens, candidateCount } = checkContents(fields);
  const settings = { maxOutputTokens, candidateCount };
  return {
    ...bodyAlone,
    ...inputOf(attachments, bodyBytes),
    outputTokensMax: readCount(settings, "maxOutputTokens", 1),
    choices: readCount(settings, "candidateCount", 1, choicesMax) ?? 1,
  };
}

/** A count of tokens of the Gemini API: of contents, or of a whole request. */
export function geminiCountBounds(fields: JsonObject, bodyBytes: number, model: string): RequestBounds {
  checkCountedBytes(bodyBytes);
  const { images, pages, fileLetters } = checkContents(countedRequest(fields, model)).attachments;
  return { ...passThroughBounds, inputImages: images, inputPages: pages, fileLetters };
}

export function embeddingBounds(fields: JsonObject, bodyBytes: number, model: string): RequestBounds {
  return { ...inputBounds(fields, bodyBytes), countedTokens: checkEmbeddings(fields, model, false) };
}

export function embeddingsBounds(fields: JsonObject, bodyBytes: number, model: string): RequestBounds {
  return { ...inputBounds(fields, bodyBytes), countedTokens: checkEmbeddings(fields, model, true) };
}

export function completionBounds(fields: JsonObject, bodyBytes: number): RequestBounds {
  return { ...bodyAlone, inputTokensMax: bodyBytes, isOneContext: false, ...completionsOutput(fields) };
}

/** Source images have many names, and the prompt beside them is short: whatever looks like a file is one. */
export function imageBounds(fields: JsonObject, bodyBytes: number): RequestBounds {
  const counts = pictures(readCount(fields, "n", 1, choicesMax) ?? 1);
  return { ...bodyAlone, inputTokensMax: bodyBytes, fileLetters: null, ...counts };
}

export function imageFormBounds({ count: text, files }: FormCounts, bodyBytes: number): RequestBounds {
  const count = readCount({ n: text === null ? null : toNumber(text) }, "n", 1, choicesMax) ?? 1;
  return { ...bodyAlone, inputTokensMax: bodyBytes, inputImages: files, ...pictures(count) };
}

export function speechBounds(fields: JsonObject, bodyBytes: number): RequestBounds {
  const characters = countCharacters(fields["input"]);
  return { ...bodyAlone, inputTokensMax: bodyBytes, isOneContext: false, characters };
}

export function recordingBounds(_form: FormCounts, bodyBytes: number): RequestBounds {
  const audioMs = Math.ceil((bodyBytes * 1000) / soundBytesPerSecond);
  return { ...bodyAlone, inputTokensMax: bodyBytes, audioMs };
}

/** Documents may be objects with a text. */
export function rerankBounds(fields: JsonObject, bodyBytes: number): RequestBounds {
  return ranksOf(checkDocuments(fields, true), fields, bodyBytes);
}

export function cohereRerankBounds(fields: JsonObject, bodyBytes: number): RequestBounds {
  return ranksOf(checkDocuments(fields, false), fields, bodyBytes);
}

/** The query is read again with each document. */
function ranksOf({ documents, queryBytes, searchUnitsMax }: Documents, fields: JsonObject, bodyBytes: number) {
  return { ...inputBounds(fields, bodyBytes + documents * queryBytes), ranks: { documents, searchUnitsMax } };
}

function checkCountedBytes(bodyBytes: number): void {
  if (bodyBytes > countedBytesMax) {
    throw new AppError("request_too_large", {
      message: `Tokens are counted in bodies of at most ${countedBytesMax / 1024 / 1024} MiB.`,
    });
  }
}

const twice = (tokens: number | null): number | null => (tokens === null ? null : tokens * 2);

function asksForSummary({ compaction, context_management: management }: JsonObject): boolean {
  const edits = (management as JsonObject | null | undefined)?.["edits"];
  return (compaction ?? null) !== null || (Array.isArray(edits) && edits.some(isCompaction));
}

/** A type that is not a string may mean anything to a provider. */
function isCompaction(edit: JsonObject | null): boolean {
  const type = edit?.["type"] ?? "";
  return typeof type !== "string" || type.startsWith("compact");
}

/** Digits only: parsers disagree on other notations. */
function toNumber(text: string): number {
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : Number.NaN;
}

function inputOf({ images, pages, fileLetters, hasMore }: Attachments, bodyBytes: number) {
  return { inputTokensMax: hasMore ? null : bodyBytes, inputImages: images, inputPages: pages, fileLetters };
}

function pictures(count: number) {
  return { choices: count, outputImages: count };
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
