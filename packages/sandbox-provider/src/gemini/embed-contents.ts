/** POST /v1beta/models/{model}:embedContent and :batchEmbedContents. */
import type { ApiCall } from "../api/api-call.ts";
import { embed } from "../api/embeddings.ts";
import { jsonAnswer, refuse } from "../api/json-answer.ts";
import { asArray, asObject, type JsonObject } from "../api/prompt.ts";
import { countTokens } from "../api/usage.ts";
import type { Answer } from "../wire/plan.ts";
import { fieldOf, partsOf } from "./parts.ts";

const dimensionsDefault = 3_072;

/** @throws RequestRefused */
export function answerEmbed(call: ApiCall): Answer {
  const { text, values } = embedRequest(asObject(call.request.jsonObject), call);
  return jsonAnswer({ embedding: { values }, ...usageOf([text], call) });
}

/** @throws RequestRefused */
export function answerBatchEmbed(call: ApiCall): Answer {
  const requests = asArray(asObject(call.request.jsonObject)["requests"]).map(asObject);
  if (requests.length === 0 || requests.length > 100) {
    throw refuse("* BatchEmbedContentsRequest.requests: at least one and at most 100 requests can be in one batch\n");
  }
  const embedded = requests.map((request) => {
    if (request["model"] !== `models/${call.request.model}`) {
      throw refuse("* BatchEmbedContentsRequest.requests[0].model: unexpected model name format\n");
    }
    return embedRequest(request, call);
  });
  const texts = embedded.map(({ text }) => text);
  return jsonAnswer({ embeddings: embedded.map(({ values }) => ({ values })), ...usageOf(texts, call) });
}

function embedRequest(request: JsonObject, { request: { model } }: ApiCall) {
  const named = request["model"] ?? `models/${model}`;
  const text = partsOf(request["content"])
    .map((part) => part["text"])
    .join("");
  if (named !== `models/${model}` || text === "") {
    throw refuse("* EmbedContentRequest.content: contents is not specified\n");
  }
  const asked = fieldOf(request, "outputDimensionality");
  const dimensions = typeof asked === "number" ? Math.min(Math.max(1, asked), dimensionsDefault) : dimensionsDefault;
  return { text, values: Array.from(embed(text, dimensions)) };
}

/** Newer models report what they have read, older ones nothing. */
function usageOf(texts: readonly string[], { behaviour }: ApiCall): object {
  const promptTokenCount = texts.reduce((sum, text) => sum + countTokens(text), 0);
  return behaviour.omitUsage === true ? {} : { usageMetadata: { promptTokenCount, ...behaviour.usage } };
}
