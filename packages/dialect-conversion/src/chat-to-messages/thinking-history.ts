import type { FieldReader } from "../field-reader.ts";
import type { AssistantBlock, ThinkingBlock } from "./blocks.ts";

/** What chat clients call the format of reasoning that comes from a Messages upstream. */
export const reasoningFormat = "anthropic-claude-v1";

/** Other formats are encrypted for other upstreams. */
const readableFormats: ReadonlySet<string | null> = new Set([null, reasoningFormat, "unknown"]);

const placedId = /^block_(\d{1,6})$/;

/** The id of an entry of `reasoning_details`: where the block was in its message. */
export function toPlacedId(position: number): string {
  return `block_${position}`;
}

type PlacedThinking = { readonly block: ThinkingBlock; readonly position: number };

/**
 * The thinking that an upstream signed and a client gives back: in `reasoning_details`, as Sluice and OpenRouter
 * write it, or in `thinking_blocks`, as LiteLLM does. Thinking without a signature is left out: no upstream accepts it.
 * @throws ConversionError if a field has the wrong type
 */
export function readThinking(message: FieldReader): PlacedThinking[] {
  const details = message.objects("reasoning_details");
  return details.length > 0 ? details.flatMap(readDetail) : message.objects("thinking_blocks").flatMap(readBlock);
}

function readDetail(detail: FieldReader): PlacedThinking[] {
  const position = Number(placedId.exec(detail.text("id") ?? "")?.[1] ?? 0);
  if (!readableFormats.has(detail.text("format"))) {
    return [];
  }
  const type = detail.requiredText("type");
  if (type === "reasoning.text") {
    return signed(detail.text("text"), detail.text("signature")).map((block) => ({ block, position }));
  }
  const data = type === "reasoning.encrypted" ? detail.text("data") : null;
  return data === null || data === "" ? [] : [{ block: { type: "redacted_thinking", data }, position }];
}

function readBlock(block: FieldReader): PlacedThinking[] {
  const type = block.requiredText("type");
  if (type === "thinking") {
    return signed(block.text("thinking"), block.text("signature")).map((entry) => ({ block: entry, position: 0 }));
  }
  const data = type === "redacted_thinking" ? block.text("data") : null;
  return data === null || data === "" ? [] : [{ block: { type: "redacted_thinking", data }, position: 0 }];
}

function signed(thinking: string | null, signature: string | null): ThinkingBlock[] {
  return signature === null || signature === "" ? [] : [{ type: "thinking", thinking: thinking ?? "", signature }];
}

/**
 * The thinking among the other blocks of its message, where it was; without a known place it comes first. It is never
 * last, which the Messages API refuses, so that alone it is left out.
 */
export function placeThinking(
  thinking: readonly PlacedThinking[],
  others: readonly AssistantBlock[],
): AssistantBlock[] {
  if (others.length === 0) {
    return [];
  }
  const placed: AssistantBlock[] = [];
  let next = 0;
  for (const { block, position } of thinking) {
    while (placed.length < position && next < others.length - 1) {
      placed.push(...others.slice(next, next + 1));
      next += 1;
    }
    placed.push(block);
  }
  return [...placed, ...others.slice(next)];
}
