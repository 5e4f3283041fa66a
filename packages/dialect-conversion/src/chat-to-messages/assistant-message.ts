import { isJsonObject, type JsonObject } from "@sluice/messages-conversion/json";
import { depthMax, isDeeperThan } from "@sluice/messages-conversion/request/check-fields";
import { FieldReader, wrongType } from "../field-reader.ts";
import { ConversionError } from "../model.ts";
import { type AssistantBlock, type TextBlock, type ToolUseBlock, toTextBlocks } from "./blocks.ts";
import type { CallIds } from "./call-ids.ts";
import { markLast, readContent, unsupportedPart } from "./content-parts.ts";
import type { RequestContext } from "./request-context.ts";
import { placeThinking, readThinking } from "./thinking-history.ts";

/** A call that needs a result. */
export type PendingCall = {
  readonly clientId: string;
  readonly upstreamId: string;
  /** The path of the call in the request. */
  readonly at: string;
};

export type SpokenMessage = {
  readonly blocks: readonly AssistantBlock[];
  readonly calls: readonly PendingCall[];
};

/** A message of the assistant: its thinking, text and calls. @throws ConversionError */
export function toAssistantBlocks(message: FieldReader, ids: CallIds, context: RequestContext): SpokenMessage {
  if (message.has("function_call")) {
    throw new ConversionError("Use 'tool_calls' in place of 'function_call'.", message.pathOf("function_call"));
  }
  if (message.has("audio")) {
    context.dropped.add("audio");
  }
  const words = [...toSpokenText(message, context), ...toTextBlocks(message.text("refusal") ?? "")];
  const calls: PendingCall[] = [];
  const callBlocks = message.objects("tool_calls").flatMap((call) => {
    const clientId = call.requiredName("id");
    const upstreamId = ids.take(clientId);
    calls.push({ clientId, upstreamId, at: call.at });
    return toToolUse(call, upstreamId, context);
  });
  const others = markLast<TextBlock | ToolUseBlock>([...words, ...callBlocks], context.cacheMarks.read(message));
  const thinking = context.flags.thinking === "none" ? [] : readThinking(message);
  return { blocks: placeThinking(thinking, others), calls };
}

function toSpokenText(message: FieldReader, context: RequestContext): TextBlock[] {
  const content = readContent(message);
  if (content === null || typeof content === "string") {
    return toTextBlocks(content ?? "");
  }
  return content.flatMap((part) => {
    const mark = context.cacheMarks.read(part);
    switch (part.requiredText("type")) {
      case "text":
        return toTextBlocks(part.requiredText("text"), mark);
      case "refusal":
        return toTextBlocks(part.requiredText("refusal"), mark);
      default:
        throw unsupportedPart(part);
    }
  });
}

function toToolUse(call: FieldReader, id: string, context: RequestContext): (TextBlock | ToolUseBlock)[] {
  const type = call.text("type");
  if (type !== null && type !== "function") {
    throw new ConversionError("Only calls of functions are supported.", call.pathOf("type"));
  }
  const target = call.object("function") ?? new FieldReader(null, call.pathOf("function"));
  const name = target.requiredName("name");
  const { input, broken } = readArguments(target);
  const block: ToolUseBlock = {
    type: "tool_use",
    id,
    name: context.toolNames.toUpstream(name),
    input,
    ...context.cacheMarks.read(call),
  };
  return [
    ...toTextBlocks(broken === null ? "" : `The arguments of the next call were not a JSON object: ${broken}`),
    block,
  ];
}

/** Arguments that are not a JSON object are kept as text, so that the model sees what it wrote. */
function readArguments(target: FieldReader): { input: JsonObject; broken: string | null } {
  const raw = target.get("arguments");
  if (raw !== null && typeof raw !== "string" && !isJsonObject(raw)) {
    throw wrongType(target.pathOf("arguments"), "a string", raw);
  }
  const value = typeof raw === "string" ? parseOrNull(raw) : raw;
  if (isJsonObject(value) && !isDeeperThan(value, depthMax)) {
    return { input: value, broken: null };
  }
  const isEmpty = typeof raw !== "string" || raw.trim() === "" || raw.trim() === "null";
  return { input: {}, broken: isEmpty ? null : raw };
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
