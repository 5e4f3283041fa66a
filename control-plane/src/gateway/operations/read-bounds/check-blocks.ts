import { AppError } from "../../../platform/errors.ts";
import { checkTypedTool } from "../../options/check-tools.ts";
import { refuseBlockDisguise } from "../../options/known-names.ts";
import { refuseObjects } from "../../options/refuse-objects.ts";
import type { JsonObject, RefusalNote } from "../model.ts";
import { type Attachments, countLetters, noAttachments } from "./attachments.ts";
import { checkImageUrl } from "./check-image-url.ts";

const roles = new Set(["user", "assistant", "system"]);
/** Fields whose content a client or a model has named: nothing in them is a block. */
const freeFields = new Set(["input", "input_schema"]);

const isObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What has been found in the blocks so far. */
type Reading = { readonly attachments: Attachments; readonly refusals: RefusalNote };

/**
 * Checks the messages of a Messages request as far as every provider would, and counts what they contain besides text,
 * at any depth of their blocks. Kept as a refusal are `provider_object` for files of the account at the provider, and
 * `unpriced_option` for tools that a provider runs.
 * @throws AppError `invalid_type`, `invalid_value`, `unknown_field`
 */
export function checkBlocks({ messages, system }: JsonObject, refusals: RefusalNote): Attachments {
  const attachments = noAttachments();
  const reading = { attachments, refusals };
  const list = messages as readonly unknown[];
  for (let index = 0; index < list.length; index += 1) {
    checkMessage(list[index], reading, `messages[${index}]`);
  }
  readBlocks(system, reading, "system");
  return attachments;
}

function checkMessage(message: unknown, reading: Reading, param: string): void {
  if (!isObject(message)) {
    throw new AppError("invalid_type", { message: `'${param}' must be an object.`, param });
  }
  if (typeof message["role"] !== "string" || !roles.has(message["role"])) {
    throw new AppError("invalid_value", { message: `'${param}.role' is not a known role.`, param: `${param}.role` });
  }
  readBlocks(message, reading, param);
}

/** The parser has already limited the depth of the text. */
function readBlocks(value: unknown, reading: Reading, param: string): void {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      readBlocks(value[index], reading, `${param}[${index}]`);
    }
  } else if (isObject(value)) {
    readBlock(value, reading, param);
  }
}

function readBlock(block: JsonObject, reading: Reading, param: string): void {
  const { attachments, refusals } = reading;
  try {
    checkBlock(block, param);
  } catch (thrown) {
    refusals.note(thrown);
  }
  const { type, source } = block;
  if (type === "image") {
    attachments.images += 1;
    countSource(source, attachments, `${param}.source`);
  } else if (type === "document") {
    countDocument(source, attachments, `${param}.source`);
  }
  for (const name in block) {
    const value = block[name];
    if (name !== "definition" && typeof value === "object" && !freeFields.has(name)) {
      readBlocks(value, reading, `${param}.${name}`);
    }
  }
}

function checkBlock(block: JsonObject, param: string): void {
  refuseObjects(block, param);
  for (const name in block) {
    refuseBlockDisguise(name, param);
    if (name === "definition") {
      checkTypedTool(block[name], `${param}.${name}`);
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
