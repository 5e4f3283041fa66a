import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  adminPlanAnswer,
  createRefundInput,
  manualAdjustAnswer,
  manualAdjustInput,
  previewRefundInput,
  type RefundEntry,
  type RefundPreview,
  refundAnswer,
  refundPreviewAnswer,
  resolvedOrderAnswer,
  resolveOrderInput,
  savePlanInput,
} from "@sluice/contracts/billing";
import type { GatewayUserId } from "@sluice/contracts/ids";
import type { Actor } from "../audit/model.ts";
import { writeAudit } from "../audit/service.ts";
import { type AdminCaller, type AnyEndpoint, endpoint } from "../platform/endpoint/model.ts";
import { adjustQuota } from "./adjust.ts";
import { adminPlanEntry, requiredIdempotencyKey } from "./answers.ts";
import { orderEntry } from "./model.ts";
import { findOrder } from "./order-store.ts";
import { isOverridable, planRefund, type RefundPlan } from "./plan-refund.ts";
import { savePlan } from "./plans.ts";
import type { BillingParts, RefundParts } from "./port.ts";
import type { Refund } from "./refund-store.ts";
import { openRefund, payRefund } from "./refunds.ts";
import { resolveOrder } from "./reviews.ts";

export function billingAdminEndpoints(parts: RefundParts & BillingParts): AnyEndpoint[] {
  const refunds = [refundEndpoint(parts), refundPreviewEndpoint(parts)];
  return [...planEndpoints(parts), adjustEndpoint(parts), ...refunds, resolveEndpoint(parts)];
}

function actorOf(admin: AdminCaller): Actor {
  return { kind: "admin", id: admin.adminId, name: admin.username };
}

function planEndpoints({ db }: RefundParts): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/plan/save/"),
      input: savePlanInput,
      summary: "Create a plan, or change the one that was loaded.",
      output: adminPlanAnswer,
      errors: ["conflict"],
      handle: async ({ input, admin, requestId, clientIp }) => {
        const plan = {
          planCode: input.plan_code,
          name: input.name,
          kind: input.kind,
          priceUsd: input.price_usd,
          quota: input.quota,
          description: input.description,
          features: input.features,
          sortOrder: input.sort_order,
          status: input.status,
        };
        const saved = await db.withTransaction(async (tx) => {
          const { before, after } = await savePlan(tx, plan, input.version ?? null);
          const who = { actor: actorOf(admin), requestId, ip: clientIp };
          const what = { action: "plan.save", subjectKind: "plan", subjectId: plan.planCode };
          await writeAudit(tx, { ...who, ...what, before, after });
          return after;
        });
        return { plan: adminPlanEntry(saved) };
      },
    }),
  ];
}

function adjustEndpoint({ db }: RefundParts): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/manual-adjust/"),
    input: manualAdjustInput,
    summary: "Give a user quota or take it, with a reason; a dry run says what would come of it.",
    output: manualAdjustAnswer,
    errors: ["not_found", "conflict", "idempotency_mismatch", "missing_field"],
    handle: async ({ input, admin, request, requestId, clientIp }) => {
      const adjustment = {
        gatewayUserId: input.gateway_user_id as GatewayUserId,
        amount: input.amount,
        idempotencyKey: requiredIdempotencyKey(request, input.idempotency_key),
        isDryRun: input.dry_run,
        mayGoNegative: input.allow_negative,
      };
      const adjusted = await db.withTransaction(async (tx) => {
        const done = await adjustQuota(tx, adjustment);
        if (done.isNew) {
          await writeAudit(tx, {
            actor: actorOf(admin),
            action: "quota.adjust",
            subjectKind: "gateway_user",
            subjectId: adjustment.gatewayUserId.toString(),
            before: { remaining: done.remainingBefore },
            after: {
              remaining: done.remainingAfter,
              amount: adjustment.amount,
              reference: done.reference,
            },
            reason: input.reason,
            requestId,
            ip: clientIp,
          });
        }
        return done;
      });
      return {
        gateway_user_id: adjustment.gatewayUserId,
        amount: adjustment.amount,
        dry_run: adjustment.isDryRun,
        is_new: adjusted.isNew,
        remaining_before: adjusted.remainingBefore,
        remaining_after: adjusted.remainingAfter,
      };
    },
  });
}

function refundEndpoint(parts: RefundParts): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/refund/create/"),
    input: createRefundInput,
    summary: "Send money of an order back and take its quota back.",
    output: refundAnswer,
    errors: [
      "not_found",
      "conflict",
      "idempotency_mismatch",
      "missing_field",
      "gateway_not_configured",
      "payment_gateway_failed",
    ],
    handle: async ({ input, admin, request, requestId, clientIp }) => {
      const wanted = {
        orderNo: input.order_no,
        amountUsd: input.amount_usd ?? null,
        reason: input.reason,
        idempotencyKey: requiredIdempotencyKey(request, input.idempotency_key),
        mayGoNegative: input.allow_negative,
      };
      const refundNo = await parts.db.withTransaction(async (tx) => {
        const { refund, isNew } = await openRefund(tx, wanted);
        if (isNew) {
          await writeAudit(tx, {
            actor: actorOf(admin),
            action: "refund.create",
            subjectKind: "order",
            subjectId: wanted.orderNo,
            before: null,
            after: { refundNo: refund.refundNo, amountUsd: refund.amountUsd, quota: refund.quota },
            reason: wanted.reason,
            requestId,
            ip: clientIp,
          });
        }
        return refund.refundNo;
      });
      return { refund: refundEntry(await payRefund(parts, refundNo)) };
    },
  });
}

function refundPreviewEndpoint({ db }: RefundParts): AnyEndpoint {
  return endpoint({
    method: "GET",
    path: "/backend/admin/refund/preview/",
    access: "admin",
    input: previewRefundInput,
    summary: "What a refund of an order would do now, without doing it.",
    output: refundPreviewAnswer,
    errors: ["not_found"],
    handle: async ({ input }) => {
      const wanted = { orderNo: input.order_no, amountUsd: input.amount_usd ?? null };
      return { preview: previewOf(await db.withTransaction((tx) => planRefund(tx, wanted))) };
    },
  });
}

function previewOf(plan: RefundPlan): RefundPreview {
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
    problems: problems.map((each) => ({ ...each, is_overridable: isOverridable(each) })),
  };
}

function refundEntry(refund: Refund): RefundEntry {
  return {
    refund_no: refund.refundNo,
    order_no: refund.orderNo,
    amount_usd: refund.amountUsd,
    quota: refund.quota,
    status: refund.status,
    gateway_refund_id: refund.gatewayRefundId,
    error: refund.error,
  };
}

function resolveEndpoint(parts: RefundParts & BillingParts): AnyEndpoint {
  return endpoint({
    method: "POST",
    ...adminOperation("/backend/admin/order/resolve/"),
    input: resolveOrderInput,
    summary:
      "Decide about an order whose payment did not fit: credit it, send the payment back, cancel, or clear a mark.",
    output: resolvedOrderAnswer,
    errors: ["not_found", "conflict"],
    handle: async ({ input, admin, requestId, clientIp }) => {
      const decision = {
        orderNo: input.order_no,
        action: input.action,
        transactionId: input.transaction_id ?? null,
        reason: input.reason,
      };
      const { isNew, refundNo } = await parts.db.withTransaction(async (tx) => {
        const done = await resolveOrder(tx, parts, decision);
        if (done.isNew) {
          const { status, reviewReason, resolution } = done.before;
          await writeAudit(tx, {
            actor: actorOf(admin),
            action: "order.resolve",
            subjectKind: "order",
            subjectId: decision.orderNo,
            before: { status, reviewReason, resolution },
            after: { action: decision.action, transactionId: decision.transactionId, refundNo: done.refundNo },
            reason: decision.reason,
            requestId,
            ip: clientIp,
          });
        }
        return done;
      });
      // Should the program die here, the job asks for the money.
      const refund = refundNo === null ? null : refundEntry(await payRefund(parts, refundNo));
      const order = await findOrder(parts.db, decision.orderNo);
      return { is_new: isNew, order: order === null ? null : orderEntry(order), refund };
    },
  });
}
