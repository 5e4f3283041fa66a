import { noUnits } from "../../../models/units.ts";
import { amountOf } from "../../../platform/amount.ts";
import { atMost, hasInvalidCount, type Json, type ReportedUnits, wholeOf } from "../units.ts";

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
  const inputTokens = wholeOf(usage["promptTokenCount"]) + wholeOf(usage["toolUsePromptTokenCount"]);
  const reasoningTokens = wholeOf(usage["thoughtsTokenCount"]);
  // Where the answer is not counted, the total shows it.
  const rest = wholeOf(usage["totalTokenCount"]) - inputTokens - reasoningTokens;
  const answerTokens = wholeOf(usage["candidatesTokenCount"] ?? (rest > 0 ? rest : 0));
  const units = {
    ...noUnits,
    inputTokens: amountOf(inputTokens),
    outputTokens: amountOf(answerTokens + reasoningTokens),
    cacheReadTokens: amountOf(atMost(wholeOf(usage["cachedContentTokenCount"]), inputTokens)),
    reasoningTokens,
  };
  const isInputOnly = units.outputTokens === 0;
  const isOdd = hasInvalidCount(usage, countNames);
  return { ...units, ...(isInputOnly ? { isInputOnly } : {}), ...(isOdd ? { isOdd } : {}) };
}
