import { isJsonObject, type JsonObject, textOf } from "@sluice/messages-conversion/json";
import { type ClientEvent, ConversionError, type StreamConverter } from "../model.ts";
import { refusalOf, toAnnotations, toArguments, toRedactedDetail, toThinkingDetail } from "./answer-blocks.ts";
import type { AnswerSettings } from "./answer-settings.ts";
import { toFinishReason } from "./chat-answer.ts";
import { AnswerUsage } from "./usage.ts";

/** Far more than a model writes, and few enough to be remembered. */
const openBlocksMax = 1_000;

type OpenText = { readonly type: "text"; readonly start: number; readonly citations: unknown[] };
type OpenThinking = { readonly type: "thinking"; thinking: string; signature: string };
type OpenRedacted = { readonly type: "redacted"; readonly data: unknown };
type OpenCall = { readonly type: "call"; readonly index: number; readonly input: unknown; hasArguments: boolean };
type OpenBlock = OpenText | OpenThinking | OpenRedacted | OpenCall;

const nothing: readonly ClientEvent[] = [];

/** The events of one streamed message as chunks of a chat completion. */
export class ChatStream implements StreamConverter {
  readonly #settings: AnswerSettings;
  readonly #id: string;
  readonly #usage = new AnswerUsage();
  readonly #open = new Map<unknown, OpenBlock>();
  #textLength = 0;
  #callCount = 0;
  #detailCount = 0;
  #hasBegun = false;
  #hasFinished = false;

  constructor(settings: AnswerSettings) {
    this.#settings = settings;
    this.#id = `chatcmpl-${settings.settings.makeId()}`;
  }

  /** @throws ConversionError for a stream that opens more blocks than any model does */
  take(payload: JsonObject): readonly ClientEvent[] {
    switch (payload["type"]) {
      case "message_start": {
        const { message } = payload;
        this.#usage.take(isJsonObject(message) ? message["usage"] : null);
        return this.#begin();
      }
      case "content_block_start":
        return this.#start(payload["index"], payload["content_block"]);
      case "content_block_delta":
        return this.#continue(payload["index"], payload["delta"]);
      case "content_block_stop":
        return this.#stop(payload["index"]);
      case "message_delta":
        this.#usage.take(payload["usage"]);
        return this.#finish(payload["delta"]);
      default:
        return nothing;
    }
  }

  end(): readonly ClientEvent[] {
    const finished = this.#hasFinished ? nothing : this.#finish({ stop_reason: "end_turn" });
    const usage = this.#settings.wantsUsage ? this.#usage.toChatUsage() : null;
    const counts = usage === null ? [] : [toEvent({ ...this.#head(), choices: [], usage })];
    return [...finished, ...counts, { event: null, data: "[DONE]" }];
  }

  #start(index: unknown, block: unknown): readonly ClientEvent[] {
    if (!isJsonObject(block)) {
      return nothing;
    }
    const stopped = this.#stop(index);
    if (this.#open.size >= openBlocksMax) {
      throw new ConversionError("The provider's stream has too many blocks.");
    }
    switch (block["type"]) {
      case "text": {
        const { citations } = block;
        this.#open.set(index, {
          type: "text",
          start: this.#textLength,
          citations: Array.isArray(citations) ? [...citations] : [],
        });
        return [...stopped, ...this.#say(textOf(block["text"]))];
      }
      case "thinking": {
        const signature = textOf(block["signature"]) ?? "";
        this.#open.set(index, { type: "thinking", thinking: "", signature });
        return [...stopped, ...this.#think(index, textOf(block["thinking"]))];
      }
      case "redacted_thinking":
        this.#open.set(index, { type: "redacted", data: block["data"] });
        return stopped;
      case "tool_use":
        return [...stopped, this.#call(index, block)];
      default:
        return stopped;
    }
  }

  #call(index: unknown, block: JsonObject): ClientEvent {
    const { settings, toolNames } = this.#settings;
    const ordinal = this.#callCount;
    const name = textOf(block["name"]) ?? "";
    const id = textOf(block["id"]) ?? `call_${settings.makeId()}`;
    this.#callCount += 1;
    this.#open.set(index, { type: "call", index: ordinal, input: block["input"], hasArguments: false });
    const call = {
      index: ordinal,
      id,
      type: "function",
      function: { name: toolNames.get(name) ?? name, arguments: "" },
    };
    return this.#chunk({ tool_calls: [call] });
  }

  #continue(index: unknown, delta: unknown): readonly ClientEvent[] {
    const block = this.#open.get(index);
    if (!isJsonObject(delta)) {
      return nothing;
    }
    switch (delta["type"]) {
      case "text_delta":
        return this.#say(textOf(delta["text"]));
      case "thinking_delta":
        return this.#think(index, textOf(delta["thinking"]));
      case "signature_delta":
        if (block?.type === "thinking") {
          block.signature = textOf(delta["signature"]) ?? block.signature;
        }
        return nothing;
      case "citations_delta":
        if (block?.type === "text") {
          block.citations.push(delta["citation"]);
        }
        return nothing;
      case "input_json_delta":
        return block?.type === "call" ? this.#argue(block, textOf(delta["partial_json"])) : nothing;
      default:
        return nothing;
    }
  }

  #say(text: string | null): readonly ClientEvent[] {
    if (text === null) {
      return nothing;
    }
    this.#textLength += text.length;
    return [this.#chunk({ content: text })];
  }

  #think(index: unknown, thinking: string | null): readonly ClientEvent[] {
    if (thinking === null) {
      return nothing;
    }
    const block = this.#open.get(index);
    if (block?.type === "thinking") {
      block.thinking += thinking;
    }
    return [this.#chunk({ reasoning_content: thinking })];
  }

  #argue(block: OpenCall, text: string | null): readonly ClientEvent[] {
    if (text === null) {
      return nothing;
    }
    block.hasArguments = true;
    return [this.#chunk({ tool_calls: [{ index: block.index, function: { arguments: text } }] })];
  }

  /** The end of a block, with what can only be said then. */
  #stop(index: unknown): readonly ClientEvent[] {
    const block = this.#open.get(index);
    this.#open.delete(index);
    switch (block?.type) {
      case "text": {
        const annotations = toAnnotations(block.citations, block.start, this.#textLength);
        return annotations.length === 0 ? nothing : [this.#chunk({ annotations })];
      }
      case "call":
        return block.hasArguments ? nothing : this.#argue(block, toArguments(block.input));
      case "thinking":
      case "redacted":
        return this.#giveBack(block, index);
      case undefined:
        return nothing;
    }
  }

  #giveBack(block: OpenThinking | OpenRedacted, index: unknown): readonly ClientEvent[] {
    const position = typeof index === "number" && Number.isSafeInteger(index) && index >= 0 ? index : 0;
    const place = { position, index: this.#detailCount };
    const detail =
      block.type === "thinking"
        ? toThinkingDetail(block.thinking, block.signature, place)
        : toRedactedDetail(block.data, place);
    if (detail === null) {
      return nothing;
    }
    this.#detailCount += 1;
    return [this.#chunk({ reasoning_details: [detail] })];
  }

  #finish(delta: unknown): readonly ClientEvent[] {
    const reason = isJsonObject(delta) ? textOf(delta["stop_reason"]) : null;
    if (reason === null || !isJsonObject(delta) || this.#hasFinished) {
      return nothing;
    }
    const stopped = [...this.#open.keys()].flatMap((index) => this.#stop(index));
    const refusal = refusalOf(delta);
    const refused = refusal === null ? [] : [this.#chunk({ refusal })];
    const finish = this.#chunk({}, toFinishReason(reason));
    this.#hasFinished = true;
    return [...stopped, ...refused, finish];
  }

  /** Some upstreams leave the start of the message out; clients need the role first all the same. */
  #begin(): readonly ClientEvent[] {
    if (this.#hasBegun) {
      return nothing;
    }
    this.#hasBegun = true;
    return [this.#chunk({ role: "assistant", content: "" })];
  }

  #chunk(delta: JsonObject, finishReason: string | null = null): ClientEvent {
    const said = this.#hasBegun ? delta : { role: "assistant", ...delta };
    this.#hasBegun = true;
    const choices = [{ index: 0, delta: said, logprobs: null, finish_reason: finishReason }];
    return toEvent({ ...this.#head(), choices, ...(this.#settings.wantsUsage ? { usage: null } : {}) });
  }

  #head(): JsonObject {
    const { clientModel, nowSeconds } = this.#settings.settings;
    return { id: this.#id, object: "chat.completion.chunk", created: nowSeconds, model: clientModel };
  }
}

function toEvent(data: JsonObject): ClientEvent {
  return { event: null, data };
}
