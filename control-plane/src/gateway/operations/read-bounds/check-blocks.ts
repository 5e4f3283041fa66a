import { AppError } from "../../../platform/errors.ts";
import { checkTypedTool } from "../../options/check-tools.ts";
import { refuseBlockDisguise } from "../../options/known-names.ts";
import { refuseObjects } from "../../options/refuse-objects.ts";
import type { JsonObject } from "../model.ts";
import { type Attachments, countLetters, noAttachments } from "./attachments.ts";
import { checkImageUrl } from "./check-image-url.ts";

const roles = new Set(["user", "assistant", "system"]);
/** Fields whose content a client or a model has named: nothing in them is a block. */
const freeFields = new Set(["input", "input_schema"]);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Checks the messages of a Messages request as far as every provider would, and counts what they contain besides text,
 * at any depth of their blocks.
 * @throws AppError `missing_field`, `invalid_type`, `invalid_value`, `unknown_field`; `provider_object` for files of
 * the account at the provider, `unpriced_option` for tools that a provider runs
 */
export function checkBlocks({ messages, system }: JsonObject): Attachments {
  if (messages === undefined || messages === null) {
    throw new AppError("missing_field", { message: "messages: Field required", param: "messages" });
  }
  if (!Array.isArray(messages)) {
    throw new AppError("invalid_type", { message: "The field 'messages' must be an array.", param: "messages" });
  }
  if (messages.length === 0) {
    throw new AppError("invalid_value", { message: "messages: at least one message is required", param: "messages" });
  }
  const attachments = noAttachments();
  for (let index = 0; index < messages.length; index += 1) {
    checkMessage(messages[index], attachments, `messages[${index}]`);
  }
  readBlocks(system, attachments, "system");
  return attachments;
}

function checkMessage(message: unknown, attachments: Attachments, param: string): void {
  if (!isObject(message)) {
    throw new AppError("invalid_type", { message: `'${param}' must be an object.`, param });
  }
  if (typeof message["role"] !== "string" || !roles.has(message["role"])) {
    throw new AppError("invalid_value", { message: `'${param}.role' is not a known role.`, param: `${param}.role` });
  }
  readBlocks(message, attachments, param);
}

/** The parser has already limited the depth of the text. */
function readBlocks(value: unknown, attachments: Attachments, param: string): void {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      readBlocks(value[index], attachments, `${param}[${index}]`);
    }
  } else if (isObject(value)) {
    readBlock(value, attachments, param);
  }
}

function readBlock(block: JsonObject, attachments: Attachments, param: string): void {
  refuseObjects(block, param);
  const { type, source } = block;
  if (type === "image") {
    attachments.images += 1;
    countSource(source, attachments, `${param}.source`);
  } else if (type === "document") {
    countDocument(source, attachments, `${param}.source`);
  }
  for (const name of Object.keys(block)) {
    const value = block[name];
    refuseBlockDisguise(name, param);
    if (name === "definition") {
      checkTypedTool(value, `${param}.${name}`);
    } else if (typeof value === "object" && !freeFields.has(name)) {
      readBlocks(value, attachments, `${param}.${name}`);
    }
  }
}

/** A document may be compressed, or be somewhere else; one that is text or blocks is as large as it looks. */
function countDocument(source: unknown, attachments: Attachments, param: string): void {
  const type = isObject(source) ? source["type"] : null;
  if (type !== "text" && type !== "content") {
    attachments.hasMore = true;
    attachments.pages += countSource(source, attachments, param);
  }
}

/** @returns the least number of pages that a document of this size has */
function countSource(source: unknown, attachments: Attachments, param: string): number {
  const { type, url, data } = isObject(source) ? source : ({} as JsonObject);
  if (type === "url" || url !== undefined) {
    checkImageUrl(url, `${param}.url`);
  }
  return typeof data === "string" ? countLetters(data.length, attachments) : 0;
}
