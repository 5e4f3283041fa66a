import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  closeRefundInput,
  createRefundInput,
  manualAdjustInput,
  manualAdjustOutput,
  previewRefundInput,
  type RefundPreview,
  refundOutput,
  refundPreviewResponse,
  resolveOrderInput,
  resolveOrderOutput,
  savePlanInput,
  savePlanOutput,
} from "@sluice/contracts/billing";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { chargeInput, chargeResponse, closeChargeInput, closeChargeOutput } from "@sluice/contracts/top-ups";
import type { Demand } from "../../admin/approvals/model.ts";
import type { Approvals } from "../../admin/approvals/service.ts";
import type { Database } from "../../platform/db.ts";
import { requiredIdempotencyKey } from "../../platform/endpoint/idempotency-key.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { isOverridable, planRefund, type RefundPlan } from "../refunds/plan-refund.ts";
import { readCharge } from "../top-ups/close-charge.ts";
import { adjustQuota } from "./adjust-quota.ts";
import { amountOfAdjustment, amountOfTakingBack, type BillingActs, ownerOfAccount } from "./admin-acts.ts";

export type BillingAdminDeps = { readonly db: Database; readonly approvals: Approvals; readonly acts: BillingActs };

/** The errors that amount limits add. */
const ofLimits = ["super_admin_required", "step_up_required"] as const;

function limitsOf(kind: "adjust" | "refund"): string[] {
  return [
    `More than admin.${kind}_usd_max at once, or admin.${kind}_usd_per_day per UTC day, requires a super-admin with a recent login.`,
    "More than admin.second_person_above_usd waits until another super-admin has approved it.",
  ];
}

export function billingAdminEndpoints(deps: BillingAdminDeps): AnyEndpoint[] {
  const refunds = [refundEndpoint(deps), refundPreviewEndpoint(deps), refundCloseEndpoint(deps)];
  const charges = [chargeEndpoint(deps), chargeCloseEndpoint(deps)];
  return [planEndpoint(deps), adjustEndpoint(deps), ...refunds, resolveEndpoint(deps), ...charges];
}

function planEndpoint({ approvals, acts }: BillingAdminDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/plan/save/"),
    input: savePlanInput,
    summary: "Create a plan, or change the loaded version",
    output: savePlanOutput,
    errors: ["conflict"],
    limits: [
      "With admin.second_person_above_usd, a plan that gives more quota per dollar than before (or, if it was not for sale, more than a dollar is worth) waits until another super-admin has approved it.",
    ],
    handle: async ({ input, admin, requestId, clientIp }) =>
      await approvals.carryOut(acts.plan, input, { admin, requestId, clientIp }),
  });
}

function adjustEndpoint({ db, approvals, acts }: BillingAdminDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/manual-adjust/"),
    input: manualAdjustInput,
    summary: "Add to or deduct from a user's balance, with a reason; a dry run shows the result",
    output: manualAdjustOutput,
    errors: ["not_found", "conflict", "idempotency_mismatch", "missing_field", ...ofLimits],
    limits: limitsOf("adjust"),
    handle: async ({ input, admin, request, requestId, clientIp }) => {
      const idempotencyKey = requiredIdempotencyKey(request, input.idempotency_key);
      if (!input.dry_run) {
        return await approvals.carryOut(acts.adjust, input, { admin, requestId, clientIp, idempotencyKey });
      }
      const { amount } = input;
      const gatewayUserId = input.gateway_user_id as GatewayUserId;
      const adjustment = { gatewayUserId, amount, idempotencyKey, isDryRun: true, mayGoNegative: input.allow_negative };
      const [foreseen, owner] = await db.withTransaction(async (tx) => [
        await adjustQuota(tx, adjustment),
        await ownerOfAccount(tx, gatewayUserId),
      ]);
      return {
        gateway_user_id: gatewayUserId,
        owner,
        amount,
        dry_run: true,
        is_new: foreseen.isNew,
        remaining_before: foreseen.remainingBefore,
        remaining_after: foreseen.remainingAfter,
        demand: await approvals.previewDemand(db, admin.adminId, amountOfAdjustment(amount)),
      };
    },
  });
}

function refundEndpoint({ approvals, acts }: BillingAdminDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/refund/create/"),
    input: createRefundInput,
    summary: "Refund an order and take back its quota",
    output: refundOutput,
    errors: [
      "not_found",
      "conflict",
      "idempotency_mismatch",
      "missing_field",
      "gateway_not_configured",
      "payment_gateway_failed",
      ...ofLimits,
    ],
    limits: [
      ...limitsOf("refund"),
      "An order of a code is taken back whole, and counts as an adjustment of its quota.",
    ],
    handle: async ({ input, admin, request, requestId, clientIp }) => {
      const idempotencyKey = requiredIdempotencyKey(request, input.idempotency_key);
      return await approvals.carryOut(acts.refund, input, { admin, requestId, clientIp, idempotencyKey });
    },
  });
}

function refundCloseEndpoint({ approvals, acts }: BillingAdminDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/refund/close/"),
    input: closeRefundInput,
    summary: "Close a refund that the gateway left open, by what was found there",
    output: refundOutput,
    errors: ["not_found", "conflict", "idempotency_mismatch"],
    limits: [
      "Its amount counts as a refund: more than admin.second_person_above_usd, at once or per UTC day, waits until another super-admin has approved it.",
    ],
    handle: async ({ input, admin, requestId, clientIp }) =>
      await approvals.carryOut(acts.closeRefund, input, { admin, requestId, clientIp }),
  });
}

function refundPreviewEndpoint({ db, approvals }: BillingAdminDeps): AnyEndpoint {
  return endpoint({
    method: "GET",
    path: "/backend/admin/refund/preview/",
    access: "admin",
    input: previewRefundInput,
    summary: "Preview a refund of an order",
    output: refundPreviewResponse,
    errors: ["not_found"],
    handle: async ({ input, admin }) => {
      const wanted = { orderNo: input.order_no, amountUsd: input.amount_usd ?? null };
      const plan = await db.withTransaction((tx) => planRefund(tx, wanted));
      const demand = await approvals.previewDemand(
        db,
        admin.adminId,
        amountOfTakingBack({ ...plan, quota: plan.taking.quota }),
      );
      return { preview: previewOf(plan, demand) };
    },
  });
}

function previewOf(plan: RefundPlan, demand: Demand): RefundPreview {
  const { order, payment, taking, problems } = plan;
  const { budget, quota, subscription } = taking;
  return {
    order_no: order.orderNo,
    gateway: payment?.gateway ?? null,
    currency: payment?.currency ?? order.currency,
    paid_usd: plan.paidUsd,
    refunded_usd: plan.refundedUsd,
    amount_usd: plan.amountUsd,
    left_usd: plan.leftUsd,
    is_whole: plan.isWhole,
    quota_granted: order.creditedAt === null ? 0n : order.quota,
    quota_taken_before: taking.quotaTaken,
    quota,
    quota_used: taking.quotaUsed,
    remaining_before: budget?.remaining ?? null,
    remaining_after: budget === null ? null : budget.remaining - quota,
    leased: budget?.leased ?? null,
    period_end: subscription?.periodEnd ?? null,
    is_month_taken: subscription !== null && plan.isWhole,
    is_month_over: taking.isMonthOver,
    demand,
    problems: problems.map((each) => ({ ...each, is_overridable: isOverridable(each) })),
  };
}

function resolveEndpoint({ approvals, acts }: BillingAdminDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/order/resolve/"),
    input: resolveOrderInput,
    summary:
      "Decide on an order whose payment did not match: credit it, refund the payment, cancel it, or clear the mark",
    output: resolveOrderOutput,
    errors: ["not_found", "conflict", "idempotency_mismatch", ...ofLimits],
    limits: ["Credits count toward the limits of adjustments, refunds toward those of refunds."],
    handle: async ({ input, admin, requestId, clientIp }) => {
      const { order_no: orderNo, action, transaction_id: transactionId = "" } = input;
      // Repeating the same decision uses the same key.
      const idempotencyKey = `${orderNo}/${action}/${transactionId}`;
      return await approvals.carryOut(acts.resolve, input, { admin, requestId, clientIp, idempotencyKey });
    },
  });
}

function chargeEndpoint({ db, approvals }: BillingAdminDeps): AnyEndpoint {
  return endpoint({
    method: "GET",
    path: "/backend/admin/top-up/charge/",
    access: "admin",
    input: chargeInput,
    summary: "Get a charge of an automatic top-up, and what it would add to the balance",
    output: chargeResponse,
    errors: ["not_found"],
    handle: async ({ input, admin }) => {
      const { order, topUp, attempt, remaining } = await db.withTransaction((tx) => readCharge(tx, input.order_no));
      return {
        charge: {
          order_no: order.orderNo,
          top_up_no: topUp.topUpNo,
          state: attempt.state,
          amount_usd: order.amountUsd,
          quota: order.quota,
          account: topUp.account,
          gateway_customer_id: topUp.gatewayCustomerId,
          created_at: attempt.createdAt,
          unclear_since: attempt.unclearSince,
          balance_before_quota: remaining,
          balance_after_quota: remaining + order.quota,
          demand: await approvals.previewDemand(db, admin.adminId, amountOfAdjustment(order.quota)),
        },
      };
    },
  });
}

function chargeCloseEndpoint({ approvals, acts }: BillingAdminDeps): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/top-up/close/"),
    input: closeChargeInput,
    summary:
      "End a charge that the gateway has not answered, by what was found there: credit its payment, or release it",
    output: closeChargeOutput,
    errors: ["not_found", "invalid_value", "conflict", "idempotency_mismatch", ...ofLimits],
    limits: limitsOf("adjust"),
    handle: async ({ input, admin, requestId, clientIp }) =>
      await approvals.carryOut(acts.closeCharge, input, { admin, requestId, clientIp }),
  });
}
