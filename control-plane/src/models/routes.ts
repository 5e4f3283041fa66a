import type { GatewayUserId } from "@sluice/contracts/ids";
import { offeredModelsInput, offeredModelsResponse } from "@sluice/contracts/offered-models";
import { priceTimes } from "@sluice/contracts/price-times";
import type { Database } from "../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { AppError } from "../platform/errors.ts";
import { listOfferedGroups, listOfferedModels } from "./model-store.ts";
import { siteModel } from "./site-model.ts";

/** @throws AppError `invalid_value` for a group that the user does not have */
async function readOffer(db: Database, gatewayUserId: GatewayUserId, asked: string | undefined) {
  const groups = await listOfferedGroups(db, gatewayUserId);
  const group = groups.find(({ name, is_chosen }) => (asked === undefined ? is_chosen : name === asked));
  if (group === undefined) {
    throw new AppError("invalid_value", { fields: { group: "This account can't use this group." } });
  }
  const models = await listOfferedModels(db, group.name);
  return {
    group: group.name,
    groups,
    models: models.map((row) => ({ ...siteModel(row), ...priceTimes(row, group.multiplier) })),
  };
}

/** The models that the console offers. Who serves a model is not included: that is the operator's business. */
export function offeredModelEndpoints(db: Database): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/models/list/",
      access: "user",
      input: offeredModelsInput,
      summary: "List the models that the user's keys can call in a group, with the prices that the user pays in it",
      output: offeredModelsResponse,
      errors: [],
      handle: async ({ user, input }) => await readOffer(db, user.gatewayUserId, input.group),
    }),
  ];
}
