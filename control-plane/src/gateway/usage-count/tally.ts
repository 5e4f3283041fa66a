import { countText, type TextCount, toTokens } from "./text-tokens.ts";
import type { Json } from "./units.ts";

/**
 * Fields of an event or a response that are not output. Anything not listed here counts as written by the model, so
 * that a field that a provider adds is not free.
 */
const bookkeeping: ReadonlySet<string> = new Set([
  ...[
    "id",
    "type",
    "object",
    "created",
    "created_at",
    "completed_at",
    "expires_at",
    "model",
    "role",
    "status",
    "phase",
  ],
  ...["index", "output_index", "content_index", "summary_index", "annotation_index", "partial_image_index"],
  ...[
    "item_id",
    "previous_item_id",
    "call_id",
    "response_id",
    "event_id",
    "sequence_number",
    "obfuscation",
    "container_id",
  ],
  ...["finish_reason", "native_finish_reason", "stop_reason", "incomplete_details", "error", "usage", "x_groq"],
  ...["logprobs", "top_logprobs", "annotations", "content_filter_results", "prompt_filter_results"],
  ...["system_fingerprint", "service_tier", "provider", "background", "output_format", "quality", "size"],
  ...["instructions", "tools", "tool_choice", "metadata", "user", "prompt_cache_key", "safety_identifier"],
  // Messages: what was quoted is not billed as output, and a signature is not text.
  ...["stop_sequence", "stop_details", "signature", "citation", "citations", "search_results", "container"],
  ...["tool_use_id", "caller", "context_management"],
  // Gemini.
  ...["finishReason", "finishMessage", "modelVersion", "responseId", "createTime", "usageMetadata", "promptFeedback"],
  ...["safetyRatings", "citationMetadata", "groundingMetadata", "urlContextMetadata", "logprobsResult"],
  ...["thoughtSignature", "thought_signature", "inlineData"],
]);
/** Blocks that a provider's own tools have written. */
const toolResult = /_tool_result$/;
const pictureNames: ReadonlySet<string> = new Set(["b64_json", "partial_image_b64"]);
/** Under any other name, text that begins like the address of an image is text. */
const addressNames: ReadonlySet<string> = new Set(["url", "image_url"]);
const pictureAddress = "data:image/";
/** Audio is sent as 16-bit samples, 24,000 a second, in base64: 50 ms of it are a token. */
export const charactersPerSpokenToken = 3_200;
/** The greatest depth that is searched. */
const depthMax = 32;

/** The size of what a model wrote. */
export class Tally {
  letters = 0;
  signs = 0;
  /** Events that carried text. */
  events = 0;
  soundCharacters = 0;
  pictures = 0;

  addEvent(event: Json): void {
    const before = this.letters + this.signs;
    this.add(event, "", 0);
    this.events += this.letters + this.signs > before ? 1 : 0;
  }

  /** Adds so many events by the text that they carry. */
  addTexts({ letters, signs }: TextCount, events: number): void {
    this.letters += letters;
    this.signs += signs;
    this.events += events;
  }

  /** Adds everything in a value that is not bookkeeping. The key says what a string is. */
  add(value: unknown, name: string, depth: number): void {
    if (typeof value === "string") {
      this.#addText(value, name);
    } else if (Array.isArray(value)) {
      for (const item of value) {
        this.add(item, name, depth + 1);
      }
    } else if (typeof value === "object" && value !== null && depth < depthMax) {
      this.#addFields(value as Json, name, depth);
    }
  }

  get tokens(): number {
    return toTokens(this, this.events) + Math.ceil(this.soundCharacters / charactersPerSpokenToken);
  }

  get textBytes(): number {
    return this.letters + this.signs * 3;
  }

  get isEmpty(): boolean {
    return this.letters + this.signs + this.soundCharacters + this.pictures === 0;
  }

  #addFields(fields: Json, name: string, depth: number): void {
    if (typeof fields["type"] === "string" && toolResult.test(fields["type"])) {
      return;
    }
    for (const key in fields) {
      const inner = fields[key];
      const isText = typeof inner === "string" || (typeof inner === "object" && inner !== null);
      if (isText && !bookkeeping.has(key)) {
        this.add(written(key, inner), textName(fields, key, name), depth + 1);
      }
    }
  }

  #addText(text: string, name: string): void {
    if (pictureNames.has(name) || (addressNames.has(name) && text.startsWith(pictureAddress))) {
      this.pictures += text === "" ? 0 : 1;
    } else if (name === "audio") {
      this.soundCharacters += text.length;
    } else if (text !== "") {
      const { letters, signs } = countText(text);
      this.letters += letters;
      this.signs += signs;
    }
  }
}

const argumentNames: ReadonlySet<string> = new Set(["arguments", "input", "args"]);

/** A model wrote its arguments as a whole, whatever the names of the client's parameters. */
function written(key: string, value: unknown): unknown {
  return argumentNames.has(key) && typeof value !== "string" ? JSON.stringify(value) : value;
}

/** The kind of string under a key: the same key is used for words, audio and images. */
function textName(fields: Json, key: string, parent: string): string {
  if (key === "data" || key === "delta" || key === "result") {
    const type = typeof fields["type"] === "string" ? fields["type"] : "";
    if ((key === "data" && parent === "audio") || (key === "delta" && type.endsWith("audio.delta"))) {
      return "audio";
    }
    return key === "result" && type === "image_generation_call" ? "b64_json" : key;
  }
  return key;
}
