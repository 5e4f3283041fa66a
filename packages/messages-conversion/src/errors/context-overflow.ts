import type { ErrorWords } from "./read-error-words.ts";

/** Token counts of a request that is too long, as far as the upstream named them. */
type Counts = { limit?: number; input?: number; completion?: number; total?: number };

const overflowCodes: ReadonlySet<string | null> = new Set([
  "context_length_exceeded",
  "context_window_exceeded",
  "exceed_context_size_error",
]);

const overflowMarks =
  /maximum context length|context length of|longer than the model's context length|exceeds? (?:the )?(?:available )?context (?:size|window|length|limit)|exceeds the context window|prompt is too long|too large for model with|input token count .{0,40}exceeds the maximum/i;

/** A number in an upstream's notation, with or without separators. */
const n = "([\\d,]+)";

/** The position of each count in the sentences of known upstreams; the first match counts. */
const countPatterns: readonly (readonly [keyof Counts, RegExp])[] = [
  ["limit", new RegExp(`maximum context length (?:is|of) ${n}`, "i")],
  ["limit", new RegExp(`model's context length \\(${n}`, "i")],
  ["limit", new RegExp(`available context size \\(${n}`, "i")],
  ["limit", new RegExp(`model with ${n} maximum context length`, "i")],
  ["limit", new RegExp(`maximum number of tokens allowed \\(${n}`, "i")],
  ["limit", new RegExp(`prompt is too long: [\\d,]+ tokens > ${n}`, "i")],
  ["input", new RegExp(`resulted in ${n} tokens`, "i")],
  ["input", new RegExp(`${n} tokens from the input messages`, "i")],
  ["input", new RegExp(`${n} (?:tokens )?in (?:the|your) (?:messages|prompt|input)`, "i")],
  ["input", new RegExp(`${n} of text input`, "i")],
  ["input", new RegExp(`the input \\(${n} tokens\\)`, "i")],
  ["input", new RegExp(`request has ${n} input tokens`, "i")],
  ["input", new RegExp(`request \\(${n} tokens\\) exceeds`, "i")],
  ["input", new RegExp(`prompt contains ${n} tokens`, "i")],
  ["input", new RegExp(`input token count \\(${n}\\)`, "i")],
  ["input", new RegExp(`prompt is too long: ${n} tokens`, "i")],
  ["completion", new RegExp(`${n} tokens for the completion`, "i")],
  ["completion", new RegExp(`${n} (?:tokens )?(?:for|in) the (?:completion|output)`, "i")],
  ["completion", new RegExp(`is too large: ${n}`, "i")],
  ["total", new RegExp(`requested (?:a total of |about )?${n} tokens`, "i")],
];

/** The sentences themselves, as a server of the Messages API writes them. */
const understood =
  /prompt is too long[^0-9]*\d+\s*tokens?\s*>\s*\d+|input length and `max_tokens` exceed context limit: \d+ \+ \d+ > \d+/i;

/**
 * The sentence that clients understand when a request does not fit into the model's context, because they act on its
 * wording alone: they shorten the response that they ask for, or the conversation.
 * @param maxTokens the output limit of the request, for upstreams that do not name it
 * @returns null when the error is another one
 */
export function toOverflowMessage(words: ErrorWords, maxTokens: number | null): string | null {
  const text = words.message ?? "";
  if (understood.test(text)) {
    return text;
  }
  if (!overflowCodes.has(words.code) && !overflowCodes.has(words.type) && !overflowMarks.test(text)) {
    return null;
  }
  const counts = readCounts(text);
  const { limit } = counts;
  const completion = counts.completion ?? maxTokens ?? undefined;
  const input = counts.input ?? inputOfTotal(counts.total, completion);
  if (limit === undefined || input === undefined) {
    return "prompt is too long";
  }
  if (input < limit && completion !== undefined && input + completion > limit) {
    return `input length and \`max_tokens\` exceed context limit: ${input} + ${completion} > ${limit}, decrease input length or \`max_tokens\` and try again`;
  }
  return `prompt is too long: ${input} tokens > ${limit} maximum`;
}

function readCounts(text: string): Counts {
  const counts: Counts = {};
  for (const [name, pattern] of countPatterns) {
    const found = counts[name] === undefined ? pattern.exec(text)?.[1] : undefined;
    if (found !== undefined) {
      counts[name] = Number(found.replaceAll(",", ""));
    }
  }
  return counts;
}

function inputOfTotal(total: number | undefined, completion: number | undefined): number | undefined {
  if (total === undefined || completion === undefined) {
    return total;
  }
  return total > completion ? total - completion : total;
}
