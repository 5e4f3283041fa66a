import { accountPaths } from "@sluice/contracts/account-paths";
import { type operations as described, type OperationName, operationEntries } from "@sluice/contracts/operations";
import { findPassThrough } from "@sluice/contracts/pass-through";
import { geminiOperation } from "./gemini-operations.ts";
import { geminiModelsPath, readGeminiPath } from "./gemini-path.ts";
import type { BodyRules, Operation, OperationRules } from "./model.ts";
import { plain, written } from "./plain-rules.ts";
import {
  chatBounds,
  cohereRerankBounds,
  completionBounds,
  countBounds,
  imageBounds,
  imageFormBounds,
  inputBounds,
  messageBounds,
  recordingBounds,
  rerankBounds,
  responseBounds,
  speechBounds,
} from "./read-bounds.ts";

const drawn: OperationRules = { ...plain, optionPlace: "images", isReadOn: true, resultList: "data", output: "images" };
const ranked: OperationRules = { ...plain, output: "ranks" };
/** Audio counted by time is charged by tokens if only these have a price, and vice versa; with neither it would be free. */
export const transcribed = {
  ...plain,
  soldBy: ["audio", "input", "output", "request"],
  isReadOn: true,
  answers: "media",
  output: "transcript",
} as const satisfies OperationRules;

type Row<Name extends OperationName> = OperationRules & Omit<BodyRules[(typeof described)[Name]["body"]], "body">;

/** What the gateway does with each operation. Path, form of the body and description are in `@sluice/contracts/operations`. */
const rows: { readonly [Name in OperationName]: Row<Name> } = {
  chat: {
    ...written,
    isConvertible: true,
    isRepeatable: true,
    readBounds: chatBounds,
    optionPlace: "chat",
    tools: "checked",
    freeTexts: ["messages"],
    takesUsageOption: true,
    resultList: "choices",
    stream: "choices",
    telemetryName: "chat",
  },
  completions: {
    ...written,
    readBounds: completionBounds,
    takesUsageOption: true,
    resultList: "choices",
    stream: "choices",
    telemetryName: "text_completion",
  },
  responses: {
    ...written,
    dialect: "responses",
    isConvertible: true,
    isRepeatable: true,
    readBounds: responseBounds,
    optionPlace: "responses",
    tools: "search_dropped",
    freeTexts: ["instructions", "input"],
    isSilentWhileThinking: true,
    resultList: "output",
    stream: "responses",
    telemetryName: "chat",
  },
  messages: {
    ...written,
    dialect: "messages",
    isConvertible: true,
    isRepeatable: true,
    readBounds: messageBounds,
    optionPlace: "messages",
    tools: "typed",
    freeTexts: ["system", "messages"],
    isSilentWhileThinking: true,
    resultList: "content",
    stream: "messages",
    telemetryName: "chat",
  },
  message_counts: {
    ...plain,
    dialect: "messages",
    handling: "count",
    readBounds: countBounds,
    optionPlace: "messages",
    output: "nothing",
  },
  embeddings: {
    ...plain,
    isRepeatable: true,
    readBounds: inputBounds,
    resultList: "data",
    telemetryName: "embeddings",
  },
  image_generations: { ...drawn, readBounds: imageBounds },
  image_edits: { ...drawn, readBounds: imageFormBounds },
  image_variations: { ...drawn, readBounds: imageFormBounds },
  speech: { ...plain, readBounds: speechBounds, soldBy: ["input", "request"], answers: "media", output: "speech" },
  transcriptions: { ...transcribed, readBounds: recordingBounds },
  translations: { ...transcribed, readBounds: recordingBounds },
  rerank: { ...ranked, readBounds: rerankBounds },
  cohere_rerank: { ...ranked, dialect: "cohere", readBounds: cohereRerankBounds, resultList: "results" },
  moderations: { ...plain, readBounds: inputBounds },
};

const modelsPath = "/v1/models";
const modelPrefix = `${modelsPath}/`;
const bodiless = { body: "none", defaultModel: null } as const;

const listOfModels: Operation = { ...plain, ...bodiless, handling: "list", methods: ["GET", "HEAD"] };
const figuresOfAccount: Operation = { ...listOfModels, handling: "account" };

const byPath: ReadonlyMap<string, Operation> = new Map([
  ...operationEntries.map(([name, { path, body, defaultModel = null }]): [string, Operation] => [
    path,
    // The type of `rows` has made sure that the reader of each row is for this form.
    { ...rows[name], body, defaultModel } as Operation,
  ]),
  [modelsPath, listOfModels],
  ...Object.keys(accountPaths).map((path): [string, Operation] => [path, figuresOfAccount]),
]);

/** A path without rules of its own: the body is not parsed, and a call costs the pass-through price. */
const passThrough: OperationRules = {
  ...plain,
  handling: "pass",
  answers: "any",
  output: "unmeasured",
  stream: "raw",
};

/** How a path passes through the gateway; no methods for one that does not. */
export function findOperation(path: string): Operation {
  const known = byPath.get(path);
  if (known !== undefined) {
    return known;
  }
  const gemini = readGeminiPath(path);
  if (gemini !== null) {
    return geminiOperation(gemini);
  }
  return isModelPath(path) ? listOfModels : { ...passThrough, ...bodiless, methods: [...findPassThrough(path).keys()] };
}

/** Batches are kept in the account at a provider, which all users of a channel share, and are charged later. */
const notOffered = /^\/v1\/messages\/batches(?:\/|$)/;

/** Whether a path belongs to an API that is served here, but is deliberately not. */
export function isNotOffered(path: string): boolean {
  return notOffered.test(path);
}

function isModelPath(path: string): boolean {
  return path.startsWith(modelPrefix) || path === geminiModelsPath || geminiModelPath.test(path);
}

const geminiModelPath = /^\/v1beta\/models\/[A-Za-z0-9._~@%-]+$/;
const plainPath = /^\/(?:v1|v2)(\/[A-Za-z0-9._-]+)+$/;
/** Model names may contain a maker, a variant or a tuning, which clients encode. None of it is sent to a provider. */
const modelPath = /^\/v1\/models\/[A-Za-z0-9._~:@%/-]+$/;

/** Whether a path may be called at all: plain segments, nothing encoded, no `..`, no case variant of a known path. */
export function isPlainPath(path: string): boolean {
  if (byPath.has(path)) {
    return true;
  }
  const isLiteral = plainPath.test(path) || modelPath.test(path) || isModelPath(path) || readGeminiPath(path) !== null;
  const hasParentSegment = path.includes("/..") || path.includes("/./");
  return isLiteral && !hasParentSegment && !isKnownInOtherCase(path);
}

/** A provider that ignores case would treat it as the known path, while the gateway would not count its tokens. */
function isKnownInOtherCase(path: string): boolean {
  if (path.startsWith(modelPrefix)) {
    return false;
  }
  const lower = path.toLowerCase();
  return byPath.has(lower) || lower.startsWith(modelPrefix);
}
