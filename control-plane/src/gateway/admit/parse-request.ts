import { type Bytes, viewOf } from "@sluice/http-client/packet-part";
import { applyEdit, type Edit, movedBy, trimmed } from "../../platform/edit-json.ts";
import { AppError } from "../../platform/errors.ts";
import { type ReadObject, readJsonObject } from "../../platform/read-json.ts";
import { topLevelOf } from "../../platform/scan-json.ts";
import type { TextOutline } from "../../platform/text-outline.ts";
import type { CallHeaders, ParsedRequest } from "../model.ts";
import type { JsonObject, Operation } from "../operations/model.ts";
import { checkMessageFields } from "../operations/read-bounds/check-message-fields.ts";
import { passThroughBounds } from "../operations/read-bounds.ts";
import { checkOptions } from "../options/check-options.ts";
import { checkTools, checkTypedTools } from "../options/check-tools.ts";
import { refuseInnerDisguise } from "../options/known-names.ts";
import { jsonContentType } from "../upstreams/edit-body.ts";
import { bodyLabels } from "./parse-request/body-labels.ts";
import { checkForm } from "./parse-request/check-form.ts";
import { dropSearch } from "./parse-request/drop-search.ts";
import { findPictureOption } from "./parse-request/find-picture-option.ts";
import { keepable, withTexts } from "./parse-request/known-request.ts";
import { readMultipart } from "./parse-request/read-multipart.ts";
import { nothingKept, Refusals } from "./parse-request/refusals.ts";
import { writeForm } from "./parse-request/write-form.ts";

export type OperationWith<Body extends Operation["body"]> = Extract<Operation, { readonly body: Body }>;

const modelNameLengthMax = 256;
const jsonType = /^application\/(json|[a-z0-9.+-]+\+json)\s*(;|$)/i;
const multipartType = /^multipart\/form-data\s*;/i;

const toolChecks: Readonly<Record<Operation["tools"], (tools: unknown) => void>> = {
  unread: () => undefined,
  checked: checkTools,
  search_dropped: checkTools,
  typed: checkTypedTools,
};

/**
 * Checks the content type before the body is read.
 * @throws AppError `unsupported_media_type`, `unsupported_encoding`
 */
export function checkContentType(headers: CallHeaders, operation: Operation): void {
  const encoding = headers.get("content-encoding");
  if (encoding !== null && encoding.toLowerCase() !== "identity") {
    throw new AppError("unsupported_encoding");
  }
  const contentType = headers.get("content-type") ?? "";
  if (operation.body === "json" && contentType !== jsonContentType && !jsonType.test(contentType)) {
    throw new AppError("unsupported_media_type", { message: "Send the body as application/json." });
  }
  if (operation.body === "multipart" && !multipartType.test(contentType)) {
    throw new AppError("unsupported_media_type", { message: "Send the body as multipart/form-data." });
  }
}

/**
 * What the gateway needs to know about a body. JSON bytes stay unchanged, except that the usage option of a stream is
 * added and a search that is only offered to the model is removed. A form is rewritten from its parsed parts, so that
 * no provider can read it differently.
 * @param readObject reads a JSON body
 * @throws AppError `invalid_json`, `missing_field`, `invalid_type`, `invalid_value`, `unknown_field`,
 * `unpriced_option`, `provider_object`, `model_not_found`
 */
export function parseRequest(
  received: Bytes,
  contentType: string | null,
  operation: Operation,
  readObject: (bytes: Bytes) => ReadObject = readJsonObject,
): ParsedRequest {
  const { byteLength: inputBytes } = received;
  switch (operation.body) {
    case "none":
      return { ...unread, model: null, inputBytes, bounds: passThroughBounds, body: received, contentType };
    case "multipart":
      return parseForm(viewOf(received), contentType ?? "", operation);
    case "json":
      return parseJson(received, readObject(received), operation);
  }
}

/**
 * The same for a JSON body with a known outline. The first one is read by the rules; the next ones differ from it in nothing
 * that these look at.
 * @throws AppError as `parseRequest` does
 */
export function parseOutlined(
  received: Bytes,
  operation: OperationWith<"json">,
  outline: TextOutline<ParsedRequest>,
): ParsedRequest {
  if (outline.made !== null) {
    return withTexts(outline.made, received);
  }
  const request = parseJson(received, outline.read, operation);
  outline.made = keepable(request, received);
  return request;
}

/** What is true of a body until something else is read in it. */
const unread = {
  ...{ isStream: false, wantsUsage: false, plainBody: null, modelPlace: null, cacheKey: null },
  ...{ pictureOption: null, dropped: null },
};

function parseForm(bytes: Buffer, contentType: string, operation: OperationWith<"multipart">): ParsedRequest {
  const parts = readMultipart(bytes, contentType);
  const { fields, files } = checkForm(parts, operation.optionPlace);
  return {
    ...unread,
    ...writeForm(parts, crypto.getRandomValues(new Uint8Array(16))),
    inputBytes: bytes.length,
    model: readModelName(fields["model"] ?? operation.defaultModel),
    isStream: fields["stream"]?.toLowerCase() === "true",
    bounds: operation.readBounds({ count: fields["n"] ?? null, files }, bytes.length),
    pictureOption: operation.output === "images" ? findPictureOption(fields) : null,
    labels: bodyLabels(fields),
  };
}

function parseJson(received: Bytes, read: ReadObject, operation: OperationWith<"json">): ParsedRequest {
  const { fields } = read;
  const { byteLength: inputBytes } = received;
  const refusals = checkFields(fields, operation);
  const offered = operation.tools === "search_dropped" ? dropSearch(viewOf(received), read) : null;
  try {
    toolChecks[operation.tools](offered === null ? fields["tools"] : offered.tools);
  } catch (thrown) {
    refusals.note(thrown);
  }
  const isStream = readIsStream(fields, operation);
  const wantsUsage = isStream && readWantsUsage(fields);
  const asksForUsage = isStream && !wantsUsage && operation.takesUsageOption;
  // An API with fields of its own has the model in its path; the reader of the bounds compares a body that repeats it.
  const named = operation.hasOwnFields ? null : fields["model"];
  const model = readModelName(named ?? operation.defaultModel);
  const bounds = operation.readBounds(fields, inputBytes, refusals);
  const edit = asksForUsage ? usageOption(viewOf(received), read) : (offered?.edit ?? null);
  const request = {
    model,
    isStream,
    wantsUsage,
    bounds,
    inputBytes,
    body: edit === null ? received : applyEdit(viewOf(received), edit),
    plainBody: asksForUsage ? received : null,
    modelPlace: modelPlaceAfter(received, read, edit),
    // The client's own header is not forwarded: another charset would give the same bytes another meaning.
    contentType: jsonContentType,
    cacheKey: readCacheKey(fields),
    pictureOption: operation.output === "images" ? findPictureOption(fields) : null,
    dropped: offered?.dropped ?? null,
    labels: operation.hasOwnFields ? null : bodyLabels(fields),
  };
  const { found } = refusals;
  return found === null ? request : { ...request, refusal: found };
}

/** Checks the outermost fields; a conversion of a Messages request may leave out what is wrong. */
function checkFields(fields: JsonObject, operation: Operation): Refusals {
  const isMessages = operation.dialect === "messages";
  if (isMessages) {
    checkMessageFields(fields, operation.handling !== "count");
  }
  const refusals = isMessages ? new Refusals(true) : nothingKept;
  if (!operation.hasOwnFields) {
    try {
      checkOptions(fields, operation.optionPlace);
    } catch (thrown) {
      refusals.note(thrown);
    }
  }
  return refusals;
}

function readModelName(value: unknown): string {
  if (value === undefined || value === null || value === "") {
    throw new AppError("missing_field", { message: "The field 'model' is missing.", param: "model" });
  }
  if (typeof value !== "string") {
    throw new AppError("invalid_type", { message: "The field 'model' must be a string.", param: "model" });
  }
  if (value.length > modelNameLengthMax) {
    throw new AppError("model_not_found", { param: "model" });
  }
  return value;
}

function readIsStream(fields: JsonObject, { streams }: Pick<Operation, "streams">): boolean {
  return streams === "by_field" ? readBoolean(fields, "stream") : streams === "always";
}

function readCacheKey({ prompt_cache_key: key }: JsonObject): string | null {
  return typeof key === "string" ? key : null;
}

function readBoolean(fields: JsonObject, name: string): boolean {
  const value = fields[name];
  if (value === undefined || value === null) {
    return false;
  }
  if (typeof value !== "boolean") {
    throw new AppError("invalid_type", { message: `The field '${name}' must be true or false.`, param: name });
  }
  return value;
}

function readWantsUsage(fields: JsonObject): boolean {
  const options = fields["stream_options"];
  if (options === undefined || options === null) {
    return false;
  }
  if (typeof options !== "object" || Array.isArray(options)) {
    throw new AppError("invalid_type", { message: "'stream_options' must be an object.", param: "stream_options" });
  }
  for (const name of Object.keys(options)) {
    refuseInnerDisguise(name, "stream_options");
  }
  return (options as JsonObject)["include_usage"] === true;
}

const usageText = Buffer.from('"stream_options":{"include_usage":true},');

/** Switches `stream_options.include_usage` on, and changes nothing else. */
function usageOption(bytes: Buffer, { fields, topLevel }: ReadObject): Edit {
  const isNamed = Object.hasOwn(fields, "stream_options");
  const place = isNamed ? (topLevel ?? topLevelOf(bytes)).get("stream_options") : undefined;
  if (place === undefined) {
    const open = bytes.indexOf(0x7b) + 1;
    return { place: [open, open], text: usageText };
  }
  const options = { ...(fields["stream_options"] as JsonObject | null), include_usage: true };
  return { place: trimmed(bytes, place), text: Buffer.from(JSON.stringify(options)) };
}

/** Where the model of a body is after an edit. */
function modelPlaceAfter(
  received: Bytes,
  { fields, topLevel }: ReadObject,
  edit: Edit | null,
): ParsedRequest["modelPlace"] {
  if (topLevel === null) {
    return Object.hasOwn(fields, "model") ? "to_be_found" : null;
  }
  const found = topLevel.get("model");
  const place = found === undefined ? null : trimmed(viewOf(received), found);
  return place === null || edit === null ? place : movedBy(place, edit);
}
