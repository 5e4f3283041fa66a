import { offeredModelsAnswer } from "@sluice/contracts/offered-models";
import { z } from "zod";
import type { Database } from "../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { listOfferedModels } from "./model-store.ts";
import { siteModel } from "./site-model.ts";

/** What the pages of the console offer to call. Who serves a model is not among it: that is the operator's matter. */
export function offeredModelEndpoints(db: Database): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/models/list/",
      access: "user",
      input: z.strictObject({}),
      summary: "List the models that the user's keys can call, with prices",
      output: offeredModelsAnswer,
      errors: [],
      handle: async ({ user }) => ({ models: (await listOfferedModels(db, user.gatewayUserId)).map(siteModel) }),
    }),
  ];
}
