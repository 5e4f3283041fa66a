import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  messagesModelInput,
  messagesModelListResponse,
  messagesModelResponse,
} from "@sluice/contracts/messages-models";
import { z } from "zod";
import { byCaller } from "../admin/audit/service.ts";
import type { Database } from "../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import type { MappedModel } from "./model.ts";
import { listModelMap, saveModelMapEntry } from "./service.ts";
import { findCatalogNames } from "./store.ts";

/** The admin endpoints for the model map. */
export function modelMapEndpoints(db: Database): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/anthropic/model-map/list/",
      access: "admin",
      input: z.strictObject({}),
      summary: "List the names that clients of the Messages route can use, and the model behind each",
      output: messagesModelListResponse,
      errors: [],
      handle: async () => ({ models: await describeAll(db, await listModelMap(db)) }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/anthropic/model-map/save/"),
      input: messagesModelInput,
      summary: "Add a name to the model map, or change its model unless it was changed meanwhile",
      output: messagesModelResponse,
      errors: ["conflict"],
      handle: async ({ input, ...call }) => {
        const saved = await saveModelMapEntry(db, input, byCaller(call));
        const inCatalog = await findCatalogNames(db, [saved.name]);
        return { model: describe(saved, inCatalog) };
      },
    }),
  ];
}

async function describeAll(db: Database, models: readonly MappedModel[]) {
  const names = models.map(({ name }) => name);
  const inCatalog = await findCatalogNames(db, names);
  return models.map((model) => describe(model, inCatalog));
}

function describe(model: MappedModel, inCatalog: ReadonlySet<string>) {
  return {
    name: model.name,
    display_name: model.displayName,
    upstream_model: model.upstreamModel,
    flags: model.flags,
    is_enabled: model.isEnabled,
    released_at: model.releasedAt.toISOString(),
    version: model.version,
    is_in_catalog: inCatalog.has(model.name),
  };
}
