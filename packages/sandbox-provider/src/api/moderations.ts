/** POST /v1/moderations: nothing is ever flagged, unless the text says "sandbox: flag". */
import type { Answer } from "../wire/plan.ts";
import type { ApiCall } from "./api-call.ts";
import { jsonAnswer, refuse } from "./json-answer.ts";
import { asArray, textOf } from "./prompt.ts";

const modelDefault = "omni-moderation-latest";

const categories = [
  "harassment",
  "harassment/threatening",
  "hate",
  "hate/threatening",
  "illicit",
  "illicit/violent",
  "self-harm",
  "self-harm/instructions",
  "self-harm/intent",
  "sexual",
  "sexual/minors",
  "violence",
  "violence/graphic",
] as const;

/** @throws RequestRefused */
export function answerModerations(call: ApiCall): Answer {
  const { input } = call.request.jsonObject ?? {};
  const isList = Array.isArray(input) && input.every((one) => typeof one === "string");
  const texts = isList ? asArray(input).map(String) : [textOf(input)];
  if (input === undefined || texts.length === 0) {
    throw refuse("Missing required parameter: 'input'.", "input", "missing_required_parameter");
  }
  const model = call.request.model ?? modelDefault;
  const id = `modr-sandbox-${call.index}`;
  return jsonAnswer({ id, model, results: texts.map((text) => judge(/sandbox: *flag/i.test(text))) });
}

function judge(isFlagged: boolean): object {
  const ofAll = <Value>(value: Value): Record<string, Value> =>
    Object.fromEntries(categories.map((category) => [category, value]));
  return {
    flagged: isFlagged,
    categories: ofAll(isFlagged),
    category_scores: ofAll(isFlagged ? 1 : 0),
    category_applied_input_types: ofAll(["text"]),
  };
}
