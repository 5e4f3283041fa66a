import { explainRouteInput, routeExplanation } from "@sluice/contracts/catalog-admin";
import { z } from "zod";
import { isUpstreamUsable } from "../../gateway/channels/channels.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { explainRoute } from "./model.ts";
import { findMapping, findModel, selectAbilities } from "./store.ts";

/** Shows which upstream a model name reaches, and why it does not reach the others. */
export function routeExplanationEndpoints(db: Database): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/admin/model/explain/",
      access: "admin",
      input: explainRouteInput,
      output: z.strictObject({ explanation: routeExplanation }),
      errors: [],
      summary: "Explain which model and channels a name reaches for a group, and why others are left out",
      handle: async ({ input: { name, group_name: groupName, route } }) => {
        const mapping = route === "messages" ? await findMapping(db, name) : null;
        const upstreamModel = route === "messages" ? (mapping?.upstreamModel ?? null) : name;
        const model = upstreamModel === null ? null : await findModel(db, upstreamModel);
        const abilities = upstreamModel === null ? [] : await selectAbilities(db, upstreamModel, isUpstreamUsable);
        return { explanation: explainRoute({ name, groupName, route }, { mapping, model, abilities }) };
      },
    }),
  ];
}
