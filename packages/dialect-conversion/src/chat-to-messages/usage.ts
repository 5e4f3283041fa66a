import { isJsonObject, type JsonObject } from "@sluice/messages-conversion/json";

export type ChatUsage = {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens: number;
  prompt_tokens_details: { cached_tokens: number; cache_write_tokens: number };
  completion_tokens_details: { reasoning_tokens: number };
};

/**
 * The token counts of one response. In a stream later ones are totals that may leave fields out or null, so each field
 * keeps the last number it had.
 */
export class AnswerUsage {
  #isKnown = false;
  #input = 0;
  #read = 0;
  #written = 0;
  #output = 0;
  #thinking = 0;

  /** Takes the counts of a `usage` object. */
  take(usage: unknown): void {
    if (!isJsonObject(usage)) {
      return;
    }
    this.#isKnown = true;
    this.#input = count(usage["input_tokens"]) ?? this.#input;
    this.#read = count(usage["cache_read_input_tokens"]) ?? this.#read;
    this.#written = count(usage["cache_creation_input_tokens"]) ?? writtenByLifetime(usage) ?? this.#written;
    this.#output = count(usage["output_tokens"]) ?? this.#output;
    const { output_tokens_details: details } = usage;
    this.#thinking = (isJsonObject(details) ? count(details["thinking_tokens"]) : null) ?? this.#thinking;
  }

  /** The counts as chat completions report them, where the prompt includes what a cache held; null if unknown. */
  toChatUsage(): ChatUsage | null {
    if (!this.#isKnown) {
      return null;
    }
    const prompt = this.#input + this.#read + this.#written;
    return {
      prompt_tokens: prompt,
      completion_tokens: this.#output,
      total_tokens: prompt + this.#output,
      prompt_tokens_details: { cached_tokens: this.#read, cache_write_tokens: this.#written },
      completion_tokens_details: { reasoning_tokens: Math.min(this.#thinking, this.#output) },
    };
  }
}

function writtenByLifetime({ cache_creation: written }: JsonObject): number | null {
  if (!isJsonObject(written)) {
    return null;
  }
  const short = count(written["ephemeral_5m_input_tokens"]);
  const long = count(written["ephemeral_1h_input_tokens"]);
  return short === null && long === null ? null : (short ?? 0) + (long ?? 0);
}

function count(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.floor(value) : null;
}
