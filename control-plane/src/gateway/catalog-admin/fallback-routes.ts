import { adminOperation } from "@sluice/contracts/admin-rights";
import { fallbacksMax } from "@sluice/contracts/fallback-limits";
import { fallbackRule, saveFallbacksInput } from "@sluice/contracts/model-fallbacks";
import { z } from "zod";
import { audit, byCaller } from "../../admin/audit/service.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { saveFallbacks } from "./save-fallbacks.ts";

/** What admins do with the models that may answer in place of another. */
export function fallbackEndpoints({ db }: { readonly db: Database }): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/model/fallbacks/save/"),
      input: saveFallbacksInput,
      output: z.strictObject({ rule: fallbackRule.nullable() }),
      errors: ["not_found", "conflict"],
      limits: [`At most ${fallbacksMax} models in a list, all of the same kind.`],
      summary: "Set which other models may answer for a model, by group or for all; without any, the rule is removed",
      handle: async (call) => ({
        rule: await db.withTransaction(async (tx) => {
          const { model, reason } = call.input;
          const { before, after } = await saveFallbacks(tx, call.input);
          const subject = { subjectKind: "model", subjectId: model };
          await audit(tx, byCaller(call), "model.fallbacks_save", { ...subject, before, after, reason });
          return after;
        }),
      }),
    }),
  ];
}
