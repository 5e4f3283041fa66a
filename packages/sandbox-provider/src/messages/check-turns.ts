/** Rules of Messages for the sequence of turns and for the blocks in them, with the words of the real provider. */
import { refuse } from "../api/json-answer.ts";
import type { JsonObject } from "../api/prompt.ts";
import { isSignedBy } from "../api/signature.ts";
import { blocksOf, isBlock } from "./blocks.ts";
import type { CountRequest } from "./request-schema.ts";

type Turn = { readonly role: string; readonly content: string | readonly unknown[] };

const ofUser = ["text", "image", "document", "search_result", "tool_result", "container_upload"];
const ofAssistant = ["text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "compaction", "document"];
const blockTypes: Readonly<Record<string, readonly string[]>> = {
  user: ofUser,
  assistant: ofAssistant,
  system: ["text"],
};
const idForm = /^[a-zA-Z0-9_-]+$/;
const breakpointsMax = 4;

/** @throws RequestRefused */
export function checkTurns(request: CountRequest, signatureKey: string): void {
  const turns = request.messages;
  if (turns.length === 0) {
    throw refuse("messages: at least one message is required");
  }
  for (const [index, turn] of turns.entries()) {
    checkTurn(turn, index, index === turns.length - 1);
    for (const [position, block] of blocksOf(turn.content).entries()) {
      checkBlock(block, turn.role, `messages.${index}.content.${position}`);
      checkSignature(block, signatureKey, `messages.${index}.content.${position}`);
    }
  }
  if (turns.find((turn) => turn.role !== "system")?.role !== "user") {
    throw refuse('messages: first message must use the "user" role');
  }
  for (const [position, block] of blocksOf(request.system).entries()) {
    checkBlock(block, "system", `system.${position}`);
  }
  checkToolPairs(turns);
  checkBreakpoints(request);
}

function checkTurn({ role, content }: Turn, index: number, isLast: boolean): void {
  if (blockTypes[role] === undefined) {
    throw refuse(`messages.${index}.role: Input should be 'user', 'assistant' or 'system'`);
  }
  if (content.length === 0 && !(isLast && role === "assistant")) {
    throw refuse(
      `messages.${index}: all messages must have non-empty content except for the optional final assistant message`,
    );
  }
  const last = blocksOf(content).at(-1)?.["text"];
  if (isLast && role === "assistant" && typeof last === "string" && /\s$/.test(last)) {
    throw refuse("messages: final assistant content cannot end with trailing whitespace");
  }
}

function checkBlock(block: JsonObject, role: string, place: string): void {
  const { type } = block;
  const allowed = blockTypes[role] ?? [];
  if (typeof type !== "string" || !(allowed.includes(type) || (role !== "system" && type.endsWith("_tool_result")))) {
    const tags = allowed.map((tag) => `'${tag}'`).join(", ");
    throw refuse(
      `${place}: Input tag '${String(type)}' found using 'type' does not match any of the expected tags: ${tags}`,
    );
  }
  if (type === "text") {
    checkText(block["text"], place);
  } else if (type === "tool_use") {
    checkId(block["id"], `${place}.tool_use.id`);
    checkIsObject(block["input"], `${place}.tool_use.input`);
  } else if (type === "tool_result") {
    checkId(block["tool_use_id"], `${place}.tool_result.tool_use_id`);
    for (const [position, part] of blocksOf(block["content"]).entries()) {
      checkResultPart(part, `${place}.tool_result.content.${position}`);
    }
  } else if (type === "image" || type === "document") {
    checkIsObject(block["source"], `${place}.${type}.source`);
  }
}

function checkText(text: unknown, place: string): void {
  if (typeof text !== "string") {
    throw refuse(`${place}.text.text: ${text === undefined ? "Field required" : "Input should be a valid string"}`);
  }
  if (text === "") {
    throw refuse("messages: text content blocks must be non-empty");
  }
  if (text.trim() === "") {
    throw refuse("messages: text content blocks must contain non-whitespace text");
  }
}

function checkResultPart(part: JsonObject, place: string): void {
  if (part["type"] === "text") {
    checkText(part["text"], place);
  } else if (part["type"] === "image" || part["type"] === "document") {
    checkIsObject(part["source"], `${place}.${part["type"]}.source`);
  }
}

function checkId(id: unknown, place: string): void {
  if (typeof id !== "string" || !idForm.test(id)) {
    throw refuse(`${place}: ${id === undefined ? "Field required" : `String should match pattern '${idForm.source}'`}`);
  }
}

function checkIsObject(value: unknown, place: string): void {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    throw refuse(`${place}: ${value === undefined ? "Field required" : "Input should be a valid dictionary"}`);
  }
}

/** An empty `thinking` was left out of the answer; its signature alone comes back. */
function checkSignature(block: JsonObject, key: string, place: string): void {
  if (block["type"] === "thinking") {
    const text = block["thinking"] === "" ? null : String(block["thinking"]);
    if (!isSignedBy(key, block["signature"], text)) {
      throw refuse(`${place}: Invalid \`signature\` in \`thinking\` block`);
    }
  } else if (block["type"] === "redacted_thinking" && !isSignedBy(key, block["data"], null)) {
    throw refuse(`${place}: Invalid \`data\` in \`redacted_thinking\` block`);
  }
}

/** Every call has its result at the beginning of the next user turn, and every result a call in the turn before. */
function checkToolPairs(turns: readonly Turn[]): void {
  const conversation = turns.map((turn, index) => ({ ...turn, index })).filter((turn) => turn.role !== "system");
  const known = new Set<string>();
  for (const [position, { content, index }] of conversation.entries()) {
    const calls = callsOf(conversation[position]);
    if (calls.some((id) => known.has(id)) || new Set(calls).size < calls.length) {
      throw refuse("messages: `tool_use` ids must be unique");
    }
    for (const id of calls) {
      known.add(id);
    }
    const answered = leadingResults(conversation[position + 1]);
    const missing = calls.filter((id) => !answered.includes(id));
    if (missing.length > 0) {
      throw refuse(
        `messages.${index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${missing.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    }
    const called = callsOf(conversation[position - 1]);
    const stray = idsOf(content, "tool_result", "tool_use_id").find((id) => !called.includes(id));
    if (stray !== undefined) {
      throw refuse(
        `messages.${index}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
      );
    }
  }
}

function callsOf(turn: Turn | undefined): readonly string[] {
  return turn?.role === "assistant" ? idsOf(turn.content, "tool_use", "id") : [];
}

function idsOf(content: unknown, type: string, field: string): readonly string[] {
  return blocksOf(content)
    .filter((block) => isBlock(block, type))
    .map((block) => String(block[field]));
}

function leadingResults(turn: Turn | undefined): readonly string[] {
  const blocks = turn?.role === "user" ? blocksOf(turn.content) : [];
  const end = blocks.findIndex((block) => !isBlock(block, "tool_result"));
  return idsOf(end < 0 ? blocks : blocks.slice(0, end), "tool_result", "tool_use_id");
}

function checkBreakpoints(request: CountRequest): void {
  const blocks = [request.system, ...request.messages.map((turn) => turn.content)].flatMap(blocksOf);
  const all = [...(request.tools ?? []), ...blocks, ...blocks.flatMap((block) => blocksOf(block["content"]))];
  const found = all.filter((block) => block["cache_control"] != null).length;
  if (found > breakpointsMax) {
    throw refuse(`A maximum of ${breakpointsMax} blocks with cache_control may be provided. Found ${found}.`);
  }
}
