import { AppError } from "../../../platform/errors.ts";
import { checkImageUrl } from "./check-image-url.ts";

const roles = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/** Parts that are no larger for a model than their bytes are, and pictures, which are counted. */
const plainParts = new Set(["text", "refusal", "image_url", "input_audio"]);

/** What messages carry beside their text. */
export type Attachments = {
  images: number;
  /** Something is only named, or packed, so that the bytes of the body say nothing of its size. */
  hasMore: boolean;
};

type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Checks what would certainly be wrong at every provider, so that it costs nobody a call; leaves the rest to them.
 * @returns how many images the messages carry, and whether they point to more than they hold
 * @throws AppError `missing_field`, `invalid_type`, `invalid_value` with the path of the field
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
  const attachments: Attachments = { images: 0, hasMore: false };
  for (let index = 0; index < messages.length; index += 1) {
    checkMessage(messages[index], index, attachments);
  }
  return attachments;
}

function checkMessage(message: unknown, index: number, attachments: Attachments): void {
  const param = `messages[${index}]`;
  if (!isObject(message)) {
    throw new AppError("invalid_type", { message: `'${param}' must be an object.`, param });
  }
  const role = message["role"];
  if (typeof role !== "string" || !roles.has(role)) {
    throw new AppError("invalid_value", { message: `'${param}.role' is not a known role.`, param: `${param}.role` });
  }
  // An assistant's sound of an earlier turn is named by its id and read again.
  attachments.hasMore ||= isObject(message["audio"]);
  const content = message["content"];
  if (Array.isArray(content)) {
    countParts(content, param, attachments);
    return;
  }
  if (typeof content !== "string" && !(role === "assistant" && carriesMoreThanText(message))) {
    throw new AppError("invalid_value", {
      message: `'${param}.content' must be a string or an array of parts.`,
      param: `${param}.content`,
    });
  }
}

/** An assistant turn without text is right when it called tools, refused, or spoke. */
function carriesMoreThanText(message: JsonObject): boolean {
  return ["tool_calls", "function_call", "refusal", "audio"].some(
    (field) => message[field] !== undefined && message[field] !== null,
  );
}

function countParts(parts: readonly unknown[], param: string, attachments: Attachments): void {
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    const type = isObject(part) ? part["type"] : "text";
    if (isObject(part) && type === "image_url") {
      const image = part["image_url"];
      attachments.images += 1;
      checkImageUrl(isObject(image) ? image["url"] : image, `${param}.content[${index}].image_url`);
    }
    // Files may be packed and are read as pictures too; what other parts are, only the provider knows.
    attachments.hasMore ||= !plainParts.has(String(type));
  }
}
