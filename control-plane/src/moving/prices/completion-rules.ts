import type { RatioProgram } from "../model.ts";

/** What output costs as a multiple of input, by names of models; the first match counts. */
type Rule = readonly [name: RegExp, ratio: string, isLocked?: "locked"];

/** one-api: its setting comes first, then these. */
const oneApi: readonly Rule[] = [
  [/^gpt-3\.5-turbo$/, "3"],
  [/^gpt-3\.5.*0125$/, "3"],
  [/^gpt-3\.5.*1106$/, "2"],
  [/^gpt-4o-2024-05-13$/, "3"],
  [/^gpt-4o/, "4"],
  [/^gpt-4-turbo/, "3"],
  [/^gpt-4.*preview$/, "3"],
  [/^gpt-4/, "2"],
  [/^o1/, "4"],
  [/^chatgpt-4o-latest$/, "3"],
  [/^claude-3/, "5"],
  [/^claude-/, "3"],
  [/^(mistral-|gemini-)/, "3"],
  [/^deepseek-reasoner$/, "3.98"],
  [/^deepseek-/, "2"],
  [/^command-r$/, "3"],
  [/^command-r-plus$/, "5"],
];

/** new-api: a locked rule comes before its setting. */
const newApi: readonly Rule[] = [
  [/^gpt-4o-2024-05-13$/, "3", "locked"],
  [/^gpt-4o/, "4", "locked"],
  [/^gpt-4\.5-preview/, "2", "locked"],
  [/^gpt-4-turbo/, "3", "locked"],
  [/^gpt-4/, "2"],
  [/^gpt-3\.5-turbo$/, "3", "locked"],
  [/^gpt-3\.5.*0125$/, "3", "locked"],
  [/^gpt-3\.5.*1106$/, "2", "locked"],
  [/^(o1|o3)/, "4", "locked"],
  [/^chatgpt-4o-latest$/, "4", "locked"],
  [/^claude-3/, "5", "locked"],
  [/^claude-(2|instant)/, "3", "locked"],
  [/^mistral-/, "3", "locked"],
  [/^gemini-(1\.5|2\.0)/, "4", "locked"],
  [/^gemini-2\.5-pro-preview/, "8", "locked"],
  [/^gemini-/, "4"],
  [/^command-r(-plus)?-08-2024$/, "4", "locked"],
  [/^command-r-plus/, "5", "locked"],
  [/^command-r$/, "3", "locked"],
  [/^deepseek-(chat|reasoner)$/, "4", "locked"],
  [/^ERNIE-(Speed|Lite|Character|Functions)/, "2", "locked"],
];

const rules: Readonly<Record<RatioProgram, readonly Rule[]>> = { "one-api": oneApi, "new-api": newApi };

export type CompletionRule = { readonly ratio: string; readonly isLocked: boolean };

/** A third more than input has no decimal text. */
export const fourThirds = "4/3";

/** What the program itself says of a model's output; null if it says nothing. */
export function findCompletionRule(program: RatioProgram, model: string): CompletionRule | null {
  const found = rules[program].find(([name]) => name.test(model));
  if (found !== undefined) {
    // Names of resellers with a slash look into the setting first.
    return { ratio: found[1], isLocked: found[2] === "locked" && !model.includes("/") };
  }
  return /^gpt-3\.5/.test(model) ? { ratio: fourThirds, isLocked: program === "new-api" } : null;
}
