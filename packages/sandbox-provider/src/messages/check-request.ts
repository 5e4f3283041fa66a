/** Refuses what the real provider refuses: headers, fields, and fields that exclude each other. */
import { RequestRefused, refuse } from "../api/json-answer.ts";
import type { JsonObject } from "../api/prompt.ts";
import type { IncomingRequest } from "../script/incoming-request.ts";
import { blocksOf, isBlock } from "./blocks.ts";
import type { CountRequest, MessageRequest } from "./request-schema.ts";

const versions = ["2023-01-01", "2023-06-01", "2026-10-21"];
const bodyBytesMax = 33_554_432;

/** The body as an object. @throws RequestRefused */
export function requireMessagesBody(request: IncomingRequest): JsonObject {
  const version = request.header("anthropic-version");
  if (version === null) {
    throw refuse("anthropic-version: header is required");
  }
  if (!versions.includes(version)) {
    throw refuse(`anthropic-version: "${version}" is not a valid version`);
  }
  if ((request.body?.length ?? 0) > bodyBytesMax) {
    throw new RequestRefused({ status: 413, message: "Request exceeds the maximum size" });
  }
  const body = request.jsonObject;
  if (body === null) {
    throw refuse("The request body is not valid JSON");
  }
  return body;
}

/** @throws RequestRefused */
export function checkTools(request: CountRequest): void {
  const names = new Set<string>();
  for (const [index, tool] of (request.tools ?? []).entries()) {
    checkTool(tool, index);
    if (tool.name !== undefined && names.has(tool.name)) {
      throw refuse("tools: Tool names must be unique.");
    }
    names.add(tool.name ?? "");
  }
  checkToolChoice(request, names);
}

function checkTool(tool: NonNullable<CountRequest["tools"]>[number], index: number): void {
  const isCustom = tool.type == null || tool.type === "custom";
  if (isCustom && (tool.name === undefined || tool.input_schema === undefined)) {
    const field = tool.name === undefined ? "name" : "input_schema";
    throw refuse(`tools.${index}.custom.${field}: Field required`);
  }
  if (!(isCustom || tool.type === "mcp_toolset" || /_\d{8}$/.test(tool.type ?? ""))) {
    throw refuse(`tools.${index}: Input tag '${tool.type}' found using 'type' does not match any of the expected tags`);
  }
}

function checkToolChoice({ tool_choice: choice, thinking }: CountRequest, names: ReadonlySet<string>): void {
  if (choice === undefined || choice.type === "none") {
    return;
  }
  if (names.size === 0) {
    throw refuse("tool_choice: tool_choice may only be specified while providing tools.");
  }
  if (choice.type === "tool" && !names.has(choice.name)) {
    throw refuse(`tool_choice.tool.name: Tool '${choice.name}' not found in provided tools`);
  }
  if (choice.type !== "auto" && isThinking(thinking)) {
    throw refuse("Thinking may not be enabled when tool_choice forces tool use.");
  }
}

/** @throws RequestRefused */
export function checkSampling(request: MessageRequest, version: string | null): void {
  const { temperature, top_p: topP, top_k: topK, thinking } = request;
  for (const [name, value] of Object.entries({ temperature, top_p: topP, top_k: topK })) {
    if (version === "2026-10-21" && value !== undefined) {
      throw refuse(`${name}: Extra inputs are not permitted`);
    }
  }
  if (thinking?.type !== "enabled") {
    return;
  }
  if (temperature !== undefined && temperature !== 1) {
    throw refuse("`temperature` may only be set to 1 when thinking is enabled.");
  }
  if (thinking.budget_tokens >= request.max_tokens) {
    throw refuse("`max_tokens` must be greater than `thinking.budget_tokens`.");
  }
  checkThinkingIsBack(request);
}

/** The turn that called the tools began with thinking, and has to come back with it. */
function checkThinkingIsBack({ messages }: MessageRequest): void {
  const index = messages.findLastIndex((turn) => turn.role === "assistant");
  const blocks = blocksOf(messages[index]?.content);
  const first = blocks[0]?.["type"];
  const hasCall = blocks.some((block) => isBlock(block, "tool_use"));
  if (hasCall && first !== "thinking" && first !== "redacted_thinking") {
    throw refuse(
      `messages.${index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block.`,
    );
  }
}

export function isThinking(thinking: CountRequest["thinking"]): boolean {
  return thinking?.type === "enabled" || thinking?.type === "adaptive";
}
