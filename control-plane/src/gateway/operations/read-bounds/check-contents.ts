import { AppError } from "../../../platform/errors.ts";
import type { JsonObject } from "../model.ts";
import { type Attachments, countLetters, noAttachments } from "./attachments.ts";
import { fieldsOf, listOf, objectOf, readFields } from "./gemini-fields.ts";

const soundOrFilm = /^(?:audio|video)\//i;
const picture = /^image\//i;

/**
 * The known fields by their names in both spellings that the API accepts. What is not listed is refused: a provider
 * might charge for it, or read it as one of these.
 */
const requestFields = fieldsOf([
  ...["contents", "systemInstruction", "tools", "toolConfig", "generationConfig", "safetySettings", "labels"],
  ...["cachedContent", "serviceTier", "store"],
]);
const settingFields = fieldsOf([
  ...["maxOutputTokens", "candidateCount", "temperature", "topP", "topK", "seed", "stopSequences"],
  ...["presencePenalty", "frequencyPenalty", "responseMimeType", "responseSchema", "responseJsonSchema"],
  ...["responseLogprobs", "logprobs", "thinkingConfig", "mediaResolution", "responseModalities", "speechConfig"],
  ...["imageConfig", "enableEnhancedCivicAnswers", "audioTimestamp", "enableAffectiveDialog"],
]);
const toolFields = fieldsOf(["functionDeclarations"]);
export const contentFields = fieldsOf(["role", "parts"]);
const inlineFields = fieldsOf(["data", "mimeType", "displayName"]);
export const partFields = fieldsOf([
  ...["text", "thought", "thoughtSignature", "inlineData", "fileData", "functionCall", "functionResponse"],
  ...["videoMetadata", "mediaResolution", "executableCode", "codeExecutionResult", "partMetadata"],
]);

/** What a Gemini request asks for, as far as its cost depends on it. */
export type Contents = {
  readonly attachments: Attachments;
  readonly maxOutputTokens: unknown;
  readonly candidateCount: unknown;
};

/**
 * Checks a Gemini request as far as its cost depends on it.
 * @throws AppError `missing_field`, `invalid_type`, `unknown_field`, `unpriced_option`, `provider_object`
 */
export function checkContents(fields: JsonObject): Contents {
  const request = readFields(fields, requestFields, "");
  refuseSet(
    request["cachedContent"],
    "cachedContent",
    "provider_object",
    "Cached contents belong to the provider's shared account.",
  );
  refuseSet(
    request["serviceTier"],
    "serviceTier",
    "unpriced_option",
    "Only the standard service tier has a price here.",
  );
  refuseSet(request["store"], "store", "provider_object", "Nothing is stored at the provider.");
  const contents = request["contents"];
  if (contents === undefined) {
    throw new AppError("missing_field", { message: "The field 'contents' is missing.", param: "contents" });
  }
  const attachments = noAttachments();
  for (const [index, content] of listOf(contents, "contents").entries()) {
    checkParts(content, attachments, `contents[${index}]`);
  }
  if (request["systemInstruction"] !== undefined) {
    checkParts(request["systemInstruction"], attachments, "systemInstruction");
  }
  checkTools(request["tools"]);
  const settings = checkSettings(request["generationConfig"]);
  return {
    attachments,
    maxOutputTokens: settings["maxOutputTokens"],
    candidateCount: settings["candidateCount"],
  };
}

function checkSettings(value: unknown): JsonObject {
  if (value === undefined || value === null) {
    return {};
  }
  const settings = readFields(objectOf(value, "generationConfig"), settingFields, "generationConfig.");
  const modalities = settings["responseModalities"];
  const isText =
    Array.isArray(modalities) && modalities.every((one) => typeof one === "string" && one.toUpperCase() === "TEXT");
  if (modalities !== undefined && modalities !== null && !isText) {
    throw unpriced("generationConfig.responseModalities", "Only text has a price here.");
  }
  for (const name of ["speechConfig", "imageConfig"]) {
    if ((settings[name] ?? null) !== null) {
      throw unpriced(`generationConfig.${name}`, "Only text has a price here.");
    }
  }
  return settings;
}

function checkTools(tools: unknown): void {
  for (const [index, tool] of listOf(tools ?? [], "tools").entries()) {
    const param = `tools[${index}]`;
    for (const name of Object.keys(objectOf(tool, param))) {
      if (!toolFields.has(name)) {
        throw unpriced(`${param}.${name}`, "The provider runs this tool and charges for each use.");
      }
    }
  }
}

function checkParts(content: unknown, attachments: Attachments, param: string): void {
  const { parts = [] } = readFields(objectOf(content, param), contentFields, `${param}.`);
  for (const [index, value] of listOf(parts, `${param}.parts`).entries()) {
    const place = `${param}.parts[${index}]`;
    const { functionResponse } = countPart(value, attachments, place);
    for (const [at, inner] of listOf(innerParts(functionResponse), `${place}.functionResponse.parts`).entries()) {
      countPart(inner, attachments, `${place}.functionResponse.parts[${at}]`);
    }
  }
}

function countPart(value: unknown, attachments: Attachments, param: string): JsonObject {
  const part = readFields(objectOf(value, param), partFields, `${param}.`);
  refuseSet(
    part["fileData"],
    `${param}.fileData`,
    "provider_object",
    "Files are not fetched. Send the content itself.",
  );
  countInline(part["inlineData"], attachments, `${param}.inlineData`);
  return part;
}

function innerParts(response: unknown): unknown {
  return typeof response === "object" && response !== null ? ((response as JsonObject)["parts"] ?? []) : [];
}

function countInline(value: unknown, attachments: Attachments, param: string): void {
  if (value === undefined || value === null) {
    return;
  }
  const { data, mimeType } = readFields(objectOf(value, param), inlineFields, `${param}.`);
  const type = typeof mimeType === "string" ? mimeType : "";
  if (soundOrFilm.test(type)) {
    throw unpriced(param, "Audio and video have no separate price here.");
  }
  const letters = typeof data === "string" ? data.length : 0;
  const pages = countLetters(letters, attachments);
  if (picture.test(type)) {
    attachments.images += 1;
  } else {
    // A document may be compressed; only the provider knows what it contains.
    attachments.hasMore = true;
    attachments.pages += pages;
  }
}

/** Refuses a request with a value for something that is not offered. */
function refuseSet(value: unknown, param: string, code: "provider_object" | "unpriced_option", message: string): void {
  if (value !== undefined && value !== null && value !== false) {
    throw new AppError(code, { message, param });
  }
}

function unpriced(param: string, why: string): AppError {
  return new AppError("unpriced_option", { message: `The option '${param}' is not offered. ${why}`, param });
}
