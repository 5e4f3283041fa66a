import { explainRouteInput, routeExplanation } from "@sluice/contracts/catalog-admin";
import { z } from "zod";
import { resolveMessagesName } from "../../messages-compat/service.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { explainRoute } from "./model.ts";
import { findFallbacks, readRoute } from "./store.ts";

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
      handle: async ({ input: { name, group_name, route, api: asked } }) => {
        const api = route === "messages" ? "messages" : asked;
        const { model, isMapped, isDisabled } =
          route === "messages"
            ? await resolveMessagesName(db, name)
            : { model: name, isMapped: false, isDisabled: false };
        const place = { model, groupName: group_name, api };
        const facts = { ...(await readRoute(db, place)), isMappingDisabled: isDisabled };
        const upstreamModel = facts.model === null && !isMapped ? null : model;
        const fallbacks = facts.model === null ? null : await findFallbacks(db, place);
        const shown = { name, group_name, route, api, is_mapped: isMapped, upstream_model: upstreamModel };
        return { explanation: explainRoute(shown, facts, fallbacks) };
      },
    }),
  ];
}
