/** Content of Messages: a text is short for one text block. */
import { asObject, type JsonObject } from "../api/prompt.ts";

export function blocksOf(content: unknown): readonly JsonObject[] {
  if (typeof content === "string") {
    return content === "" ? [] : [{ type: "text", text: content }];
  }
  return Array.isArray(content) ? content.map(asObject) : [];
}

export function textBlocks(content: unknown): readonly string[] {
  return blocksOf(content)
    .map((block) => block["text"])
    .filter((text) => typeof text === "string");
}

export function isBlock(block: unknown, type: string): boolean {
  return asObject(block)["type"] === type;
}
