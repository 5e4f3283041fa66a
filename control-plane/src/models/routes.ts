import { offeredModelsResponse } from "@sluice/contracts/offered-models";
import { z } from "zod";
import type { Database } from "../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { listOfferedModels } from "./model-store.ts";
import { siteModel } from "./site-model.ts";

/** The models that the console offers. Who serves a model is not included: that is the operator's business. */
export function offeredModelEndpoints(db: Database): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/models/list/",
      access: "user",
      input: z.strictObject({}),
      summary: "List the models that the user's keys can call, with prices",
      output: offeredModelsResponse,
      errors: [],
      handle: async ({ user }) => ({ models: (await listOfferedModels(db, user.gatewayUserId)).map(siteModel) }),
    }),
  ];
}
