/** Contents of Gemini: turns with parts, whose fields may be spelled in camel case or with underscores. */
import { asArray, asObject, type JsonObject } from "../api/prompt.ts";
import { attachmentTokens, countTokens, tokensOfBytes } from "../api/usage.ts";

/** A field by its name in camel case. */
export function fieldOf(object: JsonObject, name: string): unknown {
  return object[name] ?? object[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];
}

export function partsOf(content: unknown): readonly JsonObject[] {
  const { parts } = asObject(content);
  return (Array.isArray(parts) ? parts : parts === undefined ? [] : [parts]).map(asObject);
}

export function callOf(part: JsonObject): JsonObject | null {
  const call = fieldOf(part, "functionCall");
  return call === undefined ? null : asObject(call);
}

export function resultOf(part: JsonObject): JsonObject | null {
  const result = fieldOf(part, "functionResponse");
  return result === undefined ? null : asObject(result);
}

/** Texts, calls and results count as one text; thoughts of earlier turns are free. */
export function countPrompt(body: JsonObject): number {
  const parts = [fieldOf(body, "systemInstruction"), ...asArray(body["contents"])].flatMap(partsOf);
  const tools = asArray(body["tools"]);
  let bytes = 0;
  let attachments = 0;
  for (const part of parts) {
    const { text, thought } = part;
    const call = callOf(part);
    const result = resultOf(part);
    if (typeof text === "string" && thought !== true) {
      bytes += Buffer.byteLength(text);
    } else if (call !== null) {
      bytes += Buffer.byteLength(`${String(call["name"])}${JSON.stringify(call["args"] ?? {})}`);
    } else if (result !== null) {
      bytes += Buffer.byteLength(JSON.stringify(result["response"] ?? {}));
    } else if (fieldOf(part, "inlineData") !== undefined || fieldOf(part, "fileData") !== undefined) {
      attachments += 1;
    }
  }
  const toolTokens = tools.length === 0 ? 0 : countTokens(JSON.stringify(tools));
  return tokensOfBytes(bytes) + attachments * attachmentTokens + toolTokens;
}
