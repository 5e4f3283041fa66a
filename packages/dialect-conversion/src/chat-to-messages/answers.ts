import { isJsonObject, type JsonObject, textOf } from "@sluice/messages-conversion/json";
import { type AnswerConverter, ConversionError, type StreamConverter } from "../model.ts";
import { refusalOf, toAnnotations, toArguments, toRedactedDetail, toThinkingDetail } from "./answer-blocks.ts";
import type { AnswerSettings } from "./answer-settings.ts";
import { ChatStream } from "./answer-stream.ts";
import { type Annotation, type ReasoningDetail, type ToolCall, toFinishReason } from "./chat-answer.ts";
import { AnswerUsage } from "./usage.ts";

/** What the blocks of a message say. */
type Words = {
  text: string;
  reasoning: string;
  readonly details: ReasoningDetail[];
  readonly annotations: Annotation[];
  readonly calls: ToolCall[];
};

/** Messages of the Messages API as chat completions. */
export class MessagesAnswers implements AnswerConverter {
  readonly #settings: AnswerSettings;

  constructor(settings: AnswerSettings) {
    this.#settings = settings;
  }

  whole(answer: JsonObject): JsonObject {
    const { content } = answer;
    if (!Array.isArray(content)) {
      throw new ConversionError("The provider's response is not a message.");
    }
    const words = this.#read(content);
    const usage = new AnswerUsage();
    usage.take(answer["usage"]);
    const { clientModel, makeId, nowSeconds } = this.#settings.settings;
    const choice = {
      index: 0,
      message: toChatMessage(words, refusalOf(answer)),
      logprobs: null,
      finish_reason: toFinishReason(answer["stop_reason"]),
    };
    const counts = usage.toChatUsage();
    return {
      id: `chatcmpl-${makeId()}`,
      object: "chat.completion",
      created: nowSeconds,
      model: clientModel,
      choices: [choice],
      ...(counts === null ? {} : { usage: counts }),
    };
  }

  stream(): StreamConverter {
    return new ChatStream(this.#settings);
  }

  #read(content: readonly unknown[]): Words {
    const words: Words = { text: "", reasoning: "", details: [], annotations: [], calls: [] };
    for (const [position, block] of content.entries()) {
      if (isJsonObject(block)) {
        this.#readBlock(block, position, words);
      }
    }
    return words;
  }

  #readBlock(block: JsonObject, position: number, words: Words): void {
    const place = { position, index: words.details.length };
    switch (block["type"]) {
      case "text": {
        const start = words.text.length;
        const { citations } = block;
        words.text += textOf(block["text"]) ?? "";
        const cited = Array.isArray(citations) ? toAnnotations(citations, start, words.text.length) : [];
        words.annotations.push(...cited);
        return;
      }
      case "thinking": {
        const thinking = textOf(block["thinking"]) ?? "";
        const detail = toThinkingDetail(thinking, textOf(block["signature"]) ?? "", place);
        words.reasoning += thinking;
        words.details.push(...(detail === null ? [] : [detail]));
        return;
      }
      case "redacted_thinking": {
        const detail = toRedactedDetail(block["data"], place);
        words.details.push(...(detail === null ? [] : [detail]));
        return;
      }
      case "tool_use":
        words.calls.push(this.#toToolCall(block));
        return;
      default:
        return;
    }
  }

  #toToolCall(block: JsonObject): ToolCall {
    const { settings, toolNames } = this.#settings;
    const name = textOf(block["name"]) ?? "";
    return {
      id: textOf(block["id"]) ?? `call_${settings.makeId()}`,
      type: "function",
      function: { name: toolNames.get(name) ?? name, arguments: toArguments(block["input"]) },
    };
  }
}

function toChatMessage(words: Words, refusal: string | null): JsonObject {
  return {
    role: "assistant",
    content: words.text === "" && words.calls.length > 0 ? null : words.text,
    refusal,
    ...(words.reasoning === "" ? {} : { reasoning_content: words.reasoning }),
    ...(words.details.length === 0 ? {} : { reasoning_details: words.details }),
    ...(words.annotations.length === 0 ? {} : { annotations: words.annotations }),
    ...(words.calls.length === 0 ? {} : { tool_calls: words.calls }),
  };
}
