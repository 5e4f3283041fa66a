import { passThroughModel } from "../models/model.ts";
import { utcDay } from "../platform/clock.ts";
import { AppError } from "../platform/errors.ts";
import { hasEnded } from "./admit/check-access.ts";
import type { Catalog } from "./catalog.ts";
import type { GatewayCall, GatewayResponse, ModelEntry, Principal } from "./model.ts";
import { isGeminiCall } from "./operations/gemini-path.ts";

/** The models that this key may use and that a channel of its group serves. */
export function listModels(principal: Principal, catalog: Catalog, nowMs: number): ModelEntry[] {
  const served = catalog.abilities.get(principal.groupName);
  return [...catalog.models.values()].filter(
    (model) =>
      model.name !== passThroughModel &&
      served?.has(model.name) === true &&
      !hasEnded(model, nowMs) &&
      (principal.allowedModels === null || principal.allowedModels.has(model.name)),
  );
}

export function answerModels(
  call: Pick<GatewayCall, "path" | "headers">,
  principal: Principal,
  catalog: Catalog,
  nowMs: number,
): GatewayResponse {
  const models = listModels(principal, catalog, nowMs);
  const { path } = call;
  if (isGeminiCall(call)) {
    return answerGeminiModels(
      path,
      models.filter(({ name }) => isSpoken(catalog, principal, name)),
    );
  }
  const prefix = "/v1/models/";
  if (!path.startsWith(prefix)) {
    return answer({ object: "list", data: models.map(toModelObject) });
  }
  const id = decodeName(path.slice(prefix.length));
  const wanted = models.find(({ name }) => name === id);
  if (wanted === undefined) {
    throw new AppError("model_not_found", { param: "model" });
  }
  return answer(toModelObject(wanted));
}

/** Only channels that speak the Gemini API serve its clients. */
function isSpoken({ abilities }: Catalog, { groupName }: Principal, model: string): boolean {
  return (
    abilities
      .get(groupName)
      ?.get(model)
      ?.some(({ channel }) => channel.endpoints.has("gemini")) === true
  );
}

function answerGeminiModels(path: string, models: readonly ModelEntry[]): GatewayResponse {
  const [, encoded] = /^\/[a-z0-9]+\/models\/(.+)$/.exec(path) ?? [];
  if (encoded === undefined) {
    return answer({ models: models.map(toGeminiModel) });
  }
  const id = decodeName(encoded);
  const wanted = models.find(({ name }) => name === id);
  if (wanted === undefined) {
    throw new AppError("model_not_found", { param: "model" });
  }
  return answer(toGeminiModel(wanted));
}

/** What clients may ask of a model, in the words of the Gemini API. */
const methodsOf: Readonly<Partial<Record<ModelEntry["kind"], readonly string[]>>> = {
  chat: ["generateContent", "countTokens"],
  embedding: ["embedContent", "countTokens"],
};

function toGeminiModel({ name, kind, contextTokensMax, outputTokensMax }: ModelEntry) {
  return {
    name: `models/${name}`,
    displayName: name,
    inputTokenLimit: contextTokensMax,
    outputTokenLimit: outputTokensMax,
    supportedGenerationMethods: methodsOf[kind] ?? [],
  };
}

/** A decoded name from a path, or null when it is not properly encoded. */
function decodeName(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

function answer(value: unknown): GatewayResponse {
  const headers = { "content-type": "application/json; charset=utf-8" };
  return { status: 200, headers, body: Buffer.from(JSON.stringify(value)) };
}

function toModelObject(model: ModelEntry) {
  const dayOf = (ms: number | null): string | null => (ms === null ? null : utcDay(ms));
  return {
    id: model.name,
    object: "model",
    created: model.createdAt,
    owned_by: model.ownedBy,
    deprecation_date: dayOf(model.deprecatedAtMs),
    shutdown_date: dayOf(model.sunsetAtMs),
    replacement: model.replacement,
  };
}
