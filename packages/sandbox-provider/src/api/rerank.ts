/** POST /v1/rerank: a document ranks higher the more words of the query it has. */
import type { Answer } from "../wire/plan.ts";
import type { ApiCall } from "./api-call.ts";
import { jsonAnswer, refuse } from "./json-answer.ts";
import { asArray, asObject, optionalCount, requireBody } from "./prompt.ts";
import { countTokens } from "./usage.ts";

/** @throws RequestRefused */
export function answerRerank(call: ApiCall): Answer {
  const body = requireBody(call.request);
  const { query } = body;
  const documents = asArray(body["documents"]).map(textOfDocument);
  if (typeof query !== "string" || query === "" || documents.length === 0) {
    throw refuse("Missing required parameter: 'query' or 'documents'.", "query", "missing_required_parameter");
  }
  const words = new Set(query.toLowerCase().split(/\W+/));
  const results = documents
    .map((text, index) => ({ index, relevance_score: score(words, text) }))
    .toSorted((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, optionalCount(body, "top_n", 1) ?? documents.length);
  const tokens = documents.reduce((sum, text) => sum + countTokens(query) + countTokens(text), 0);
  const usage = { total_tokens: tokens, ...call.behaviour.usage };
  return jsonAnswer({
    id: `rerank-sandbox-${call.index}`,
    model: body.model,
    results,
    ...(call.behaviour.omitUsage === true ? {} : { usage }),
  });
}

function textOfDocument(document: unknown): string {
  const { text } = asObject(document);
  return typeof document === "string" ? document : typeof text === "string" ? text : "";
}

function score(words: ReadonlySet<string>, text: string): number {
  const own = text.toLowerCase().split(/\W+/);
  return own.filter((word) => words.has(word)).length / Math.max(1, own.length);
}
