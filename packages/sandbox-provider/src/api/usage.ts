/**
 * The counting rule of the sandbox: a text has ceil(UTF-8 bytes / 4) tokens. A prompt is counted as one text: all
 * message texts, tool calls and tool results, and the JSON of the offered tools; each image, sound or file adds
 * `attachmentTokens`. Roles and names are free. A completion is its reasoning, text, refusal, and the names and arguments
 * of its tool calls, rounded up for each choice.
 */

export const attachmentTokens = 85;
const bytesPerToken = 4;

/** How much of a prompt came from a cache, and how much was written to one, for five minutes or for an hour. */
export type CacheCounts = { readonly cached: number; readonly written5m: number; readonly written1h: number };

export type TokenCounts = CacheCounts & {
  /** The tokens of the prompt, including what was cached or written to a cache. */
  readonly prompt: number;
  /** The tokens of the completion, including reasoning. */
  readonly completion: number;
  readonly reasoning: number;
  /** Web searches that the provider made by itself. */
  readonly searches: number;
};

export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / bytesPerToken);
}

export function countTokens(text: string): number {
  return tokensOfBytes(Buffer.byteLength(text));
}

/** The largest number of bytes that this many tokens hold. */
export function bytesOfTokens(tokens: number): number {
  return tokens * bytesPerToken;
}

/** Tokens of anything that a client sends as content: texts, lists of parts, whole messages. */
export function countContent(content: unknown): number {
  const tally = { bytes: 0, attachments: 0 };
  addContent(content, tally);
  return tokensOfBytes(tally.bytes) + tally.attachments * attachmentTokens;
}

const attachmentTypes = new Set(["image_url", "input_image", "input_audio", "file", "input_file"]);
const contentFields = ["content", "text", "refusal", "arguments", "output", "input", "instructions", "prompt"] as const;

function addContent(content: unknown, tally: { bytes: number; attachments: number }): void {
  if (typeof content === "string") {
    tally.bytes += Buffer.byteLength(content);
    return;
  }
  if (Array.isArray(content)) {
    for (const part of content) {
      addContent(part, tally);
    }
    return;
  }
  if (typeof content !== "object" || content === null) {
    return;
  }
  const part = content as Readonly<Record<string, unknown>>;
  if (typeof part["type"] === "string" && attachmentTypes.has(part["type"])) {
    tally.attachments += 1;
    return;
  }
  for (const field of contentFields) {
    addContent(part[field], tally);
  }
  for (const call of Array.isArray(part["tool_calls"]) ? part["tool_calls"] : []) {
    const called = (call as { function?: { name?: unknown; arguments?: unknown } }).function;
    addContent([called?.name, called?.arguments], tally);
  }
}
