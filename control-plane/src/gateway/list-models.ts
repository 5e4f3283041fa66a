import { passThroughModel } from "../models/model.ts";
import { utcDay } from "../platform/clock.ts";
import { AppError } from "../platform/errors.ts";
import type { Catalog } from "./catalog.ts";
import type { GatewayResponse, ModelEntry, Principal } from "./model.ts";

/** The models that this key may use and that a channel of its group serves. */
export function listModels(principal: Principal, catalog: Catalog): ModelEntry[] {
  const served = catalog.abilities.get(principal.groupName);
  return [...catalog.models.values()].filter(
    ({ name }) =>
      name !== passThroughModel &&
      served?.has(name) === true &&
      (principal.allowedModels === null || principal.allowedModels.has(name)),
  );
}

export function answerModels(path: string, principal: Principal, catalog: Catalog): GatewayResponse {
  const models = listModels(principal, catalog);
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
  const shutdown = model.sunsetAtMs === null ? null : utcDay(model.sunsetAtMs);
  return {
    id: model.name,
    object: "model",
    created: model.createdAt,
    owned_by: model.ownedBy,
    shutdown_date: shutdown,
  };
}
