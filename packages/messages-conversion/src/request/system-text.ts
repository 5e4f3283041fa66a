import { invalidRequest } from "../errors/messages-error.ts";
import { isGiven } from "../json.ts";
import { asObject, requireText } from "./check-fields.ts";
import type { RequestContext } from "./context.ts";
import { isToolChange } from "./talk-settings.ts";

const billingMark = "x-anthropic-billing-header";

/**
 * The text of a system prompt, which is a string or a list of text blocks; "" when there is none. A billing line that
 * some clients prepend is removed: it changes with every call, so the upstream could never use its cache. Blocks that
 * change the tools are noted.
 * @throws MessagesError when a block is not text
 */
export function readSystemText(system: unknown, at: string, context: RequestContext): string {
  if (typeof system === "string") {
    return withoutBillingLine(system);
  }
  if (!isGiven(system)) {
    return "";
  }
  if (!Array.isArray(system)) {
    throw invalidRequest(at, "Input should be a valid string or list");
  }
  const texts: string[] = [];
  for (const [index, block] of system.entries()) {
    const text = readBlock(block, `${at}.${index}`, context);
    if (text !== "" && !text.startsWith(billingMark)) {
      texts.push(text);
    }
  }
  return texts.join("\n\n");
}

function readBlock(value: unknown, at: string, context: RequestContext): string {
  if (typeof value === "string") {
    return value;
  }
  const block = asObject(value, at);
  if (isToolChange(block)) {
    context.dropped.addMarksOf(block);
    context.talk.takeToolChange(block, at, context.dropped);
    return "";
  }
  if (block["type"] !== "text") {
    throw invalidRequest(at, "only text blocks are supported here");
  }
  context.dropped.addMarksOf(block);
  return requireText(block, "text", `${at}.text`);
}

/** In a prompt that is a single text, only the line is removed and the rest stays. */
function withoutBillingLine(text: string): string {
  if (!text.startsWith(billingMark)) {
    return text;
  }
  const lineEnd = text.indexOf("\n");
  return lineEnd === -1 ? "" : text.slice(lineEnd).trimStart();
}
