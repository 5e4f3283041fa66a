import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  approvalDetailResponse,
  approvalInput,
  approvalListResponse,
  decideApprovalInput,
  decidedApprovalResponse,
} from "@sluice/contracts/approvals";
import { z } from "zod";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import type { Approvals } from "./service.ts";

/** What super-admins do with acts that wait for a second one. */
export function approvalEndpoints(approvals: Approvals): AnyEndpoint[] {
  return [
    endpoint({
      method: "GET",
      ...adminOperation("/backend/admin/approval/list/"),
      input: z.strictObject({}),
      summary: "List the requests that need a second super-admin: pending first, then the others, newest first",
      output: approvalListResponse,
      errors: [],
      limits: ["Lists at most 200 requests."],
      handle: async () => ({ approvals: await approvals.list() }),
    }),
    endpoint({
      method: "GET",
      ...adminOperation("/backend/admin/approval/detail/"),
      input: approvalInput,
      summary: "Get one of these requests and what it would do now",
      output: approvalDetailResponse,
      errors: ["not_found"],
      handle: async ({ input }) => await approvals.describe(input.approval_id),
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/approval/decide/"),
      input: decideApprovalInput,
      summary: "Approve a request of another super-admin, which then takes effect, or reject it",
      output: decidedApprovalResponse,
      errors: ["not_found", "conflict", "self_forbidden", "super_admin_required", "idempotency_mismatch"],
      handle: async ({ input, admin, requestId, clientIp }) => {
        const { approval_id: approvalId, decision, reason } = input;
        const decided = { approvalId, isApproved: decision === "approve", reason };
        return { approval: await approvals.decide(decided, { admin, requestId, clientIp }) };
      },
    }),
  ];
}
