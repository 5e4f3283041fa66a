import { isPrivateAddress } from "../../../platform/address-list.ts";
import { AppError } from "../../../platform/errors.ts";

const roles = new Set(["system", "developer", "user", "assistant", "tool", "function"]);
const dataImagePattern = /^data:[a-z0-9.+-]+\/[a-z0-9.+-]+[;,]/i;

type JsonObject = Record<string, unknown>;

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Checks what would certainly be wrong at every provider, so that it costs nobody a call; leaves the rest to them.
 * @returns how many images the messages carry
 * @throws AppError `missing_field`, `invalid_type`, `invalid_value` with the path of the field
 */
export function checkMessages(fields: JsonObject): number {
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
  let images = 0;
  for (let index = 0; index < messages.length; index += 1) {
    images += checkMessage(messages[index], index);
  }
  return images;
}

function checkMessage(message: unknown, index: number): number {
  const param = `messages[${index}]`;
  if (!isObject(message)) {
    throw new AppError("invalid_type", { message: `'${param}' must be an object.`, param });
  }
  const role = message["role"];
  if (typeof role !== "string" || !roles.has(role)) {
    throw new AppError("invalid_value", { message: `'${param}.role' is not a known role.`, param: `${param}.role` });
  }
  const content = message["content"];
  if (Array.isArray(content)) {
    return countImages(content, param);
  }
  if (typeof content !== "string" && !(role === "assistant" && carriesMoreThanText(message))) {
    throw new AppError("invalid_value", {
      message: `'${param}.content' must be a string or an array of parts.`,
      param: `${param}.content`,
    });
  }
  return 0;
}

/** An assistant turn without text is right when it called tools, refused, or spoke. */
function carriesMoreThanText(message: JsonObject): boolean {
  return ["tool_calls", "function_call", "refusal", "audio"].some(
    (field) => message[field] !== undefined && message[field] !== null,
  );
}

function countImages(parts: readonly unknown[], param: string): number {
  let images = 0;
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index];
    if (isObject(part) && part["type"] === "image_url") {
      images += 1;
      checkImageUrl(part["image_url"], `${param}.content[${index}].image_url`);
    }
  }
  return images;
}

/** We never fetch an image. A provider might, so an address that can only lead inside somebody's network is refused. */
function checkImageUrl(image: unknown, param: string): void {
  const url = isObject(image) ? image["url"] : image;
  if (typeof url !== "string" || !(dataImagePattern.test(url.slice(0, 128)) || isPublicHttpUrl(url))) {
    throw new AppError("invalid_value", {
      message: `'${param}' must be a data URL or a public http(s) URL.`,
      param,
    });
  }
}

function isPublicHttpUrl(text: string): boolean {
  const url = text.length <= 8_192 && URL.canParse(text) ? new URL(text) : null;
  if (url === null || (url.protocol !== "https:" && url.protocol !== "http:")) {
    return false;
  }
  const host = url.hostname.replace(/\.$/, "");
  return !isPrivateAddress(host) && host !== "localhost" && !host.endsWith(".localhost");
}
