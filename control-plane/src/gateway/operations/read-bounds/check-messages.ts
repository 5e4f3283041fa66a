import { AppError } from "../../../platform/errors.ts";
import { refuseDisguisesIn } from "../../options/known-names.ts";
import { refuseObjects, refuseObjectsWithin } from "../../options/refuse-objects.ts";
import type { JsonObject } from "../model.ts";
import { type Attachments, countFile, noAttachments } from "./attachments.ts";
import { checkImageUrl } from "./check-image-url.ts";

const roles = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** Parts whose size for a model is bounded by their bytes, and images, which are counted. */
const plainParts: ReadonlySet<unknown> = new Set(["text", "refusal", "image_url"]);

/** Fields of parts that contain a file, or its address. */
const fileFields = ["image_url", "video_url", "audio_url", "file"];

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Checks what every provider would certainly refuse, so that it costs nobody a call; leaves the rest to them.
 * @returns how many images the messages contain, and whether they refer to content that they do not include
 * @throws AppError `missing_field`, `invalid_type`, `invalid_value`, `unknown_field`, `unpriced_option`,
 * `provider_object` with the path of the field
 */
export function checkMessages(fields: JsonObject): Attachments {
  const messages = fields["messages"];
  if (messages === undefined) {
    throw new AppError("missing_field", { message: "The field 'messages' is missing.", param: "messages" });
  }
  if (!Array.isArray(messages)) {
    throw new AppError("invalid_type", { message: "The field 'messages' must be an array.", param: "messages" });
  }
  if (messages.length === 0) {
    throw new AppError("invalid_value", { message: "The field 'messages' must not be empty.", param: "messages" });
  }
  const attachments = noAttachments();
  for (let index = 0; index < messages.length; index += 1) {
    checkMessage(messages[index], index, attachments);
  }
  return attachments;
}

function checkMessage(message: unknown, index: number, attachments: Attachments): void {
  if (!isObject(message)) {
    const param = placeOf(index);
    throw new AppError("invalid_type", { message: `'${param}' must be an object.`, param });
  }
  const role = message["role"];
  if (typeof role !== "string" || !roles.has(role)) {
    const param = `${placeOf(index)}.role`;
    throw new AppError("invalid_value", { message: `'${param}' is not a known role.`, param });
  }
  refuseDisguisesIn(message, "messages", index);
  if (message["audio"] !== undefined && message["audio"] !== null) {
    // It is referenced by its id in the account at the provider, and read again.
    throw new AppError("provider_object", {
      message: "Audio of an earlier turn can't be referenced here.",
      param: `${placeOf(index)}.audio`,
    });
  }
  const content = message["content"];
  if (Array.isArray(content)) {
    countParts(content, placeOf(index), attachments);
  } else if (typeof content !== "string" && !(role === "assistant" && carriesMoreThanText(message))) {
    const param = `${placeOf(index)}.content`;
    throw new AppError("invalid_value", { message: `'${param}' must be a string or an array of parts.`, param });
  }
}

const placeOf = (index: number): string => `messages[${index}]`;

/** An assistant turn without text is valid if it called tools or refused. */
function carriesMoreThanText(message: JsonObject): boolean {
  return ["tool_calls", "function_call", "refusal"].some(
    (field) => message[field] !== undefined && message[field] !== null,
  );
}

function countParts(parts: readonly unknown[], param: string, attachments: Attachments): void {
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    if (isObject(part)) {
      countPart(part, `${param}.content[${index}]`, attachments);
    }
  }
}

function countPart(part: JsonObject, param: string, attachments: Attachments): void {
  const { type, image_url: image, file } = part;
  if (type === "image_url") {
    attachments.images += 1;
    checkImageUrl(isObject(image) ? image["url"] : image, `${param}.image_url`);
  }
  if (type === "input_audio" || (part["input_audio"] ?? null) !== null) {
    throw new AppError("unpriced_option", { message: "Audio has no separate price here.", param });
  }
  if (isObject(file)) {
    refuseObjects(file, `${param}.file`);
  }
  for (const field of fileFields) {
    countFile(part[field], attachments);
  }
  refuseObjectsWithin(part, param);
  // Files may be compressed, and images may be sent as files; only the provider knows what other parts are.
  attachments.hasMore ||= !plainParts.has(type);
}
