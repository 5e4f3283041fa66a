/** POST /v1/rerank and /v2/rerank: a document ranks higher the more words of the query it has. */
import type { Answer } from "../wire/plan.ts";
import type { ApiCall } from "./api-call.ts";
import { jsonAnswer, refuse } from "./json-answer.ts";
import { asArray, asObject, optionalCount, requireBody } from "./prompt.ts";
import { countTokens } from "./usage.ts";

/** A longer document counts as several, each of which has the query; this many are a search unit. */
const chunkTokens = 500;
const chunksPerUnit = 100;

/** @throws RequestRefused */
export function answerRerank(call: ApiCall): Answer {
  const { model, query, texts, results } = rank(call, textOfDocument);
  const tokens = texts.reduce((sum, text) => sum + countTokens(query) + countTokens(text), 0);
  const usage = { total_tokens: tokens, ...call.behaviour.usage };
  return jsonAnswer({
    id: `rerank-sandbox-${call.index}`,
    model,
    results,
    ...(call.behaviour.omitUsage === true ? {} : { usage }),
  });
}

/** The same in the form of Cohere, which bills search units. @throws RequestRefused */
export function answerCohereRerank(call: ApiCall): Answer {
  const { query, texts, results } = rank(call, (document) => (typeof document === "string" ? document : ""));
  const perChunk = Math.max(1, chunkTokens - countTokens(query));
  const chunks = texts.reduce((sum, text) => sum + Math.max(1, Math.ceil(countTokens(text) / perChunk)), 0);
  const billed = { search_units: Math.ceil(chunks / chunksPerUnit), ...call.behaviour.usage };
  const meta = {
    api_version: { version: "2" },
    ...(call.behaviour.omitUsage === true ? {} : { billed_units: billed }),
  };
  return jsonAnswer({ id: `rerank-sandbox-${call.index}`, results, meta });
}

function rank(call: ApiCall, textOf: (document: unknown) => string) {
  const body = requireBody(call.request);
  const { query, model } = body;
  const texts = asArray(body["documents"]).map(textOf);
  if (typeof query !== "string" || query === "" || texts.length === 0) {
    throw refuse("Missing required parameter: 'query' or 'documents'.", "query", "missing_required_parameter");
  }
  const words = new Set(query.toLowerCase().split(/\W+/));
  const results = texts
    .map((text, index) => ({ index, relevance_score: score(words, text) }))
    .toSorted((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, optionalCount(body, "top_n", 1) ?? texts.length);
  return { model, query, texts, results };
}

function textOfDocument(document: unknown): string {
  const { text } = asObject(document);
  return typeof document === "string" ? document : typeof text === "string" ? text : "";
}

function score(words: ReadonlySet<string>, text: string): number {
  const own = text.toLowerCase().split(/\W+/);
  return own.filter((word) => words.has(word)).length / Math.max(1, own.length);
}
