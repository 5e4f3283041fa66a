import { AppError } from "../../../platform/errors.ts";
import { checkTools } from "../../options/check-tools.ts";
import { refuseInnerDisguise } from "../../options/known-names.ts";
import { refuseObjects } from "../../options/refuse-objects.ts";
import type { JsonObject } from "../model.ts";
import { type Attachments, countFile, noAttachments } from "./attachments.ts";
import { checkImageUrl } from "./check-image-url.ts";

const pictureTypes: ReadonlySet<unknown> = new Set(["input_image", "computer_screenshot"]);

/**
 * Counts what a response's input contains besides text, at any depth.
 * @throws AppError `provider_object` for what is stored in the account at the provider, `unpriced_option` for sound and
 * for tools that a provider runs, `invalid_value`, `unknown_field`
 */
export function checkItems(input: unknown): Attachments {
  const attachments = noAttachments();
  if (Array.isArray(input)) {
    for (let index = 0; index < input.length; index += 1) {
      refuseReference(input[index], `input[${index}]`);
      readItem(input[index], attachments, `input[${index}]`);
    }
  } else {
    readItem(input, attachments, "input");
  }
  return attachments;
}

/** Whether an item is a mere reference: it has an id and no content, with or without a type. */
function refuseReference(item: unknown, param: string): void {
  const { type, role, id } = (item ?? {}) as JsonObject;
  const isBare = (type === undefined || type === null) && role === undefined && id !== undefined && id !== null;
  if (type === "item_reference" || isBare) {
    throw new AppError("provider_object", {
      message: `'${param}' refers to an item of an earlier response. Send the item itself.`,
      param,
    });
  }
}

/** The parser has already limited the depth of the text. */
function readItem(value: unknown, attachments: Attachments, param: string): void {
  if (typeof value !== "object" || value === null) {
    return;
  }
  if (Array.isArray(value)) {
    for (const inner of value) {
      readItem(inner, attachments, param);
    }
    return;
  }
  const item = value as JsonObject;
  const { type } = item;
  refuseObjects(item, param);
  if (type === "input_audio") {
    throw new AppError("unpriced_option", { message: "Audio has no separate price here.", param });
  }
  if (pictureTypes.has(type)) {
    countPicture(item["image_url"], attachments);
  } else if (type === "input_file") {
    attachments.hasMore = true;
    countFile(item["file_data"], attachments);
  }
  for (const name of Object.keys(item)) {
    refuseInnerDisguise(name, param);
    if (name === "tools") {
      checkTools(item[name], `${param}.tools`);
    } else {
      readItem(item[name], attachments, param);
    }
  }
}

function countPicture(url: unknown, attachments: Attachments): void {
  attachments.images += 1;
  if (url !== undefined && url !== null) {
    checkImageUrl(url, "input.image_url");
    countFile(url, attachments);
  }
}
