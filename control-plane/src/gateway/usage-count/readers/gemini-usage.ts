import { noUnits } from "../../../models/units.ts";
import { atMost, count, isInvalidCount, type Json, type ReportedUnits } from "../units.ts";

const countNames = [
  ...["promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount", "toolUsePromptTokenCount"],
  ...["cachedContentTokenCount", "totalTokenCount"],
];

/**
 * Reads the usage of the Gemini API: the prompt includes what came from a cache, the results of tools are input beside
 * it, and thoughts are output beside the answer. Null for an object that counts nothing.
 */
export function readGeminiUsage(usage: Json): ReportedUnits | null {
  if (countNames.every((name) => typeof usage[name] !== "number")) {
    return null;
  }
  const inputTokens = count(usage["promptTokenCount"]) + count(usage["toolUsePromptTokenCount"]);
  const reasoningTokens = count(usage["thoughtsTokenCount"]);
  // Where the answer is not counted, the total shows it.
  const rest = count(usage["totalTokenCount"]) - inputTokens - reasoningTokens;
  const answerTokens = count(usage["candidatesTokenCount"] ?? (rest > 0n ? Number(rest) : 0));
  const units = {
    ...noUnits,
    inputTokens,
    outputTokens: answerTokens + reasoningTokens,
    cacheReadTokens: atMost(count(usage["cachedContentTokenCount"]), inputTokens),
    reasoningTokens,
  };
  const isInputOnly = units.outputTokens === 0n;
  const isOdd = countNames.some((name) => isInvalidCount(usage[name]));
  return { ...units, ...(isInputOnly ? { isInputOnly } : {}), ...(isOdd ? { isOdd } : {}) };
}
