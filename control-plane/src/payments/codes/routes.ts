import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  batchCodesInput,
  batchCodesResponse,
  createBatchInput,
  createBatchOutput,
  redeemCodeInput,
  redeemedResponse,
  revokeBatchInput,
  revokedBatchResponse,
} from "@sluice/contracts/codes";
import type { Act } from "../../admin/approvals/port.ts";
import type { Approvals } from "../../admin/approvals/service.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import { requiredIdempotencyKey } from "../../platform/endpoint/idempotency-key.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { orderEntry } from "../model.ts";
import type { BillingDeps, CodeAttempts } from "../port.ts";
import { type BatchInput, exportCodes, revokeCodes } from "./code-batches.ts";
import { redeemCode } from "./redeem-code.ts";

/** The use of a code by a customer. */
export function redeemEndpoint(deps: BillingDeps, attempts: CodeAttempts): AnyEndpoint {
  return endpoint({
    method: "POST",
    path: "/backend/billing/code/redeem/",
    access: "user",
    input: redeemCodeInput,
    summary: "Redeem a code, for the user or an organisation; a repetition by the same user changes nothing",
    output: redeemedResponse,
    errors: ["not_found", "conflict", "in_progress", "too_many_attempts"],
    limits: ["Failed attempts are rate-limited per user and per IP address (`too_many_attempts`)."],
    handle: async ({ input, user, clientIp }) => {
      const attempt = await attempts.begin(user.userId, clientIp);
      const organisationId = user.organisation?.organisationId ?? null;
      const { order, isNew } = await redeemCode(deps, { text: input.code, userId: user.userId, organisationId });
      await attempt.succeeded();
      return { order: orderEntry(order), is_new: isNew };
    },
  });
}

export type CodeAdminDeps = Pick<BillingDeps, "db"> & {
  readonly masterKey: MasterKey;
  readonly approvals: Approvals;
  readonly createBatch: Act<BatchInput>;
};

/** What admins do with batches of codes. */
export function codeAdminEndpoints({ db, masterKey, approvals, createBatch }: CodeAdminDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/code-batch/create/"),
      input: createBatchInput,
      summary: "Create a batch of redemption codes",
      output: createBatchOutput,
      errors: ["invalid_value", "idempotency_mismatch", "missing_field", "super_admin_required", "step_up_required"],
      limits: [
        "It counts as an adjustment of all that its codes can grant: more than admin.second_person_above_usd waits until another super-admin has approved it.",
      ],
      handle: async ({ input, admin, request, requestId, clientIp }) => {
        const idempotencyKey = requiredIdempotencyKey(request, input.idempotency_key);
        return await approvals.carryOut(createBatch, input, { admin, requestId, clientIp, idempotencyKey });
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/code-batch/codes/"),
      input: batchCodesInput,
      summary: "Get the codes of a batch; each time is recorded in the audit log",
      output: batchCodesResponse,
      errors: ["not_found"],
      handle: async ({ input, ...call }) => ({
        batch_id: input.batch_id,
        codes: await exportCodes(db, masterKey, { batchId: input.batch_id, call }),
      }),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/code-batch/revoke/"),
      input: revokeBatchInput,
      summary: "Revoke the codes of a batch that nobody has used",
      output: revokedBatchResponse,
      errors: ["not_found"],
      handle: async ({ input, ...call }) => ({
        batch: await revokeCodes(db, { batchId: input.batch_id, reason: input.reason, call }),
      }),
    }),
  ];
}
