import { adminOperation } from "@sluice/contracts/admin-rights";
import { cacheOfferResponse, clearedCacheOutput } from "@sluice/contracts/response-cache";
import { z } from "zod";
import { audit, byCaller } from "../../admin/audit/service.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import type { CacheRules } from "./model.ts";
import { beginGeneration } from "./store.ts";

export function cacheEndpoints(db: Database, rules: () => CacheRules): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      path: "/backend/response-cache/",
      access: "user",
      input: z.strictObject({}),
      output: cacheOfferResponse,
      errors: [],
      summary: "Get whether keys can use the response cache, and what a response from it costs",
      handle: () => {
        const { isOn, basisPoints } = rules();
        return Promise.resolve({ is_offered: isOn, price_basis_points: basisPoints });
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/response-cache/clear/"),
      input: z.strictObject({}),
      output: clearedCacheOutput,
      errors: [],
      summary: "Clear the response cache: no replica uses an earlier response again",
      limits: ["It reaches every replica within a second."],
      handle: async (call) => ({
        generation: await db.withTransaction(async (tx) => {
          const generation = await beginGeneration(tx);
          await audit(tx, byCaller(call), "response_cache.clear", {
            subjectKind: "response_cache",
            subjectId: "all",
            after: { generation },
          });
          return generation;
        }),
      }),
    }),
  ];
}
