import { adminOperation } from "@sluice/contracts/admin-rights";
import { type SettlementResponse, settleUsageInput, settleUsageResponse } from "@sluice/contracts/usage-settlement";
import { audit, byCaller } from "../../admin/audit/service.ts";
import type { Database } from "../../platform/db.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import type { UsageSettlement } from "./usage-settlement.ts";

export type SettlementEndpointDeps = { readonly db: Database; readonly settlement: UsageSettlement };

export function settlementEndpoints({ db, settlement }: SettlementEndpointDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/usage-settle/"),
      input: settleUsageInput,
      summary: "Settle the usage log now instead of at the next run, within a minute",
      output: settleUsageResponse,
      errors: [],
      handle: async ({ input: { reconcile }, ...call }) => {
        const run = await settlement.run({ isReconciled: reconcile });
        const lag = await settlement.measureLag();
        const answer: SettlementResponse = {
          rows_settled: run.rowsSettled,
          base_quota: run.baseQuota,
          settled_quota: run.settledQuota,
          quota_delta: run.settledQuota - run.baseQuota,
          rows_quarantined: run.rowsQuarantined,
          batches: run.batches,
          checkpoint: run.checkpoint,
          outcome: run.outcome,
          lag_seconds: Math.round(lag.seconds),
        };
        await db.withTransaction((tx) =>
          audit(tx, byCaller(call), "usage.settle", {
            subjectKind: "settlement",
            subjectId: "usage_log",
            after: { reconcile, ...answer },
          }),
        );
        return { settlement: answer };
      },
    }),
  ];
}
