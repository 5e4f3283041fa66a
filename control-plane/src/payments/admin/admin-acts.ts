import type { Effects } from "@sluice/contracts/approvals";
import {
  closeRefundInput,
  createRefundInput,
  manualAdjustInput,
  type RefundEntry,
  resolveOrderInput,
} from "@sluice/contracts/billing";
import type { GatewayUserId } from "@sluice/contracts/ids";
import { type Decimal, quotaPerUsd } from "@sluice/contracts/money";
import { closeChargeInput } from "@sluice/contracts/top-ups";
import type { z } from "zod";
import { emailOfGatewayUser } from "../../accounts/users/known-users.ts";
import type { Amount } from "../../admin/approvals/model.ts";
import type { Act } from "../../admin/approvals/port.ts";
import { type KeptAct, keptAct, recordAct } from "../../admin/approvals/service.ts";
import type { MasterKey } from "../../platform/crypto/master-key.ts";
import type { Transaction } from "../../platform/db.ts";
import { type BatchInput, createBatchAct } from "../codes/code-batches.ts";
import { type CouponInput, createCouponAct } from "../coupons/create-coupon.ts";
import { orderEntry, toCents } from "../model.ts";
import { findOrder } from "../orders/order-store.ts";
import { type PlanInput, planAct } from "../plans/plan-act.ts";
import type { BillingDeps, RefundDeps } from "../port.ts";
import { findRefund, type Refund } from "../refunds/refund-store.ts";
import { closeByHand, openRefund, payRefund } from "../refunds/refunds.ts";
import { type Resolved, resolveOrder } from "../reviews/reviews.ts";
import { closeCharge } from "../top-ups/close-charge.ts";
import { adjustQuota } from "./adjust-quota.ts";
import { findOrganisationOfAccount } from "./owner-store.ts";

type AdjustInput = z.output<typeof manualAdjustInput>;
type RefundInput = z.output<typeof createRefundInput>;
type CloseRefundInput = z.output<typeof closeRefundInput>;
type CloseChargeInput = z.output<typeof closeChargeInput>;
type ResolveInput = z.output<typeof resolveOrderInput>;

/** What admins do with money and quota by hand, limited by amount. */
export type BillingActs = {
  readonly adjust: Act<AdjustInput>;
  readonly refund: Act<RefundInput>;
  readonly closeRefund: Act<CloseRefundInput>;
  readonly resolve: Act<ResolveInput>;
  readonly closeCharge: Act<CloseChargeInput>;
  readonly plan: Act<PlanInput>;
  readonly createBatch: Act<BatchInput>;
  readonly createCoupon: Act<CouponInput>;
};

export function billingActs(deps: RefundDeps & BillingDeps & { readonly masterKey: MasterKey }): BillingActs {
  return {
    adjust: adjustAct(),
    refund: refundAct(deps),
    closeRefund: closeRefundAct(),
    resolve: resolveAct(deps),
    closeCharge: closeChargeAct(deps),
    plan: planAct(),
    createBatch: createBatchAct(deps.masterKey),
    createCoupon: createCouponAct(),
  };
}

/** The same acts, run once a second person has approved them. */
export function keptActs(acts: BillingActs): KeptAct[] {
  const { adjust, refund, closeRefund, resolve, plan, createBatch, createCoupon } = acts;
  const ofOrders = [keptAct(refund), keptAct(closeRefund), keptAct(resolve), keptAct(acts.closeCharge)];
  return [keptAct(adjust), ...ofOrders, keptAct(plan), keptAct(createBatch), keptAct(createCoupon)];
}

/** A debit counts like a credit: an admin could otherwise move any amount by alternating the two. */
export function amountOfAdjustment(quota: bigint): Amount {
  return { kind: "adjust", quota: quota < 0n ? -quota : quota };
}

const quotaPerCent = quotaPerUsd / 100n;

export function amountOfRefund(amountUsd: Decimal): Amount {
  return { kind: "refund", quota: toCents(amountUsd) * quotaPerCent };
}

/** Taking back what a code granted moves no money: it counts as a debit of its quota. */
export function amountOfTakingBack({ amountUsd, quota }: Pick<Refund, "amountUsd" | "quota">): Amount {
  return toCents(amountUsd) === 0n ? amountOfAdjustment(quota) : amountOfRefund(amountUsd);
}

function adjustAct(): Act<AdjustInput> {
  return {
    kind: "quota.adjust",
    schema: manualAdjustInput,
    reasonOf: ({ reason }) => reason,
    perform: async (tx, input, origin) => {
      const gatewayUserId = input.gateway_user_id as GatewayUserId;
      const { amount, reason } = input;
      const { idempotencyKey } = origin;
      const mayGoNegative = input.allow_negative;
      const done = await adjustQuota(tx, { gatewayUserId, amount, idempotencyKey, isDryRun: false, mayGoNegative });
      if (done.isNew) {
        await recordAct(tx, origin, {
          action: "quota.adjust",
          subjectKind: "gateway_user",
          subjectId: gatewayUserId.toString(),
          before: { remaining: done.remainingBefore },
          after: { remaining: done.remainingAfter, amount, reference: done.reference },
          reason,
        });
      }
      const owner = await ownerOfAccount(tx, gatewayUserId);
      return {
        isNew: done.isNew,
        amount: amountOfAdjustment(amount),
        takesTwo: false,
        effects: {
          ...(await ownerEffects(tx, gatewayUserId)),
          gateway_user_id: gatewayUserId.toString(),
          amount_quota: amount.toString(),
          balance_before_quota: done.remainingBefore.toString(),
          balance_after_quota: done.remainingAfter.toString(),
        },
        finish: async () => ({
          gateway_user_id: gatewayUserId,
          owner,
          amount,
          dry_run: false,
          is_new: done.isNew,
          remaining_before: done.remainingBefore,
          remaining_after: done.remainingAfter,
        }),
      };
    },
  };
}

function refundAct(deps: RefundDeps): Act<RefundInput> {
  return {
    kind: "refund.create",
    schema: createRefundInput,
    reasonOf: ({ reason }) => reason,
    perform: async (tx, input, origin) => {
      const { refund, isNew } = await openRefund(tx, {
        orderNo: input.order_no,
        amountUsd: input.amount_usd ?? null,
        reason: input.reason,
        idempotencyKey: origin.idempotencyKey,
        mayGoNegative: input.allow_negative,
      });
      const { refundNo, amountUsd, quota } = refund;
      if (isNew) {
        await recordAct(tx, origin, {
          action: "refund.create",
          subjectKind: "order",
          subjectId: input.order_no,
          before: null,
          after: { refundNo, amountUsd, quota },
          reason: input.reason,
        });
      }
      const order = await findOrder(tx, input.order_no);
      const owner = await ownerEffects(tx, order?.gatewayUserId ?? null);
      return {
        isNew,
        amount: amountOfTakingBack(refund),
        takesTwo: false,
        effects: { ...owner, order_no: input.order_no, refund_usd: amountUsd, taken_quota: quota.toString() },
        ...(toCents(amountUsd) === 0n ? {} : { settledInput: { amount_usd: amountUsd } }),
        // If the process dies before this request, the job requests the money.
        finish: async () => ({ refund: refundEntry(await payRefund(deps, refundNo)) }),
      };
    },
  };
}

/** Marking a refund as paid stops the money from going back again; marking it as failed returns its quota. */
function closeRefundAct(): Act<CloseRefundInput> {
  return {
    kind: "refund.close",
    schema: closeRefundInput,
    reasonOf: ({ reason }) => reason,
    perform: async (tx, { refund_no: refundNo, outcome, reason }, origin) => {
      const { refund, isNew } = await closeByHand(tx, { refundNo, outcome, reason });
      const { orderNo, amountUsd, quota } = refund;
      if (isNew) {
        await recordAct(tx, origin, {
          action: "refund.close",
          subjectKind: "order",
          subjectId: orderNo,
          before: { refundNo, status: "pending" },
          after: { refundNo, status: outcome },
          reason,
        });
      }
      const order = await findOrder(tx, orderNo);
      return {
        isNew,
        amount: amountOfTakingBack(refund),
        takesTwo: false,
        effects: {
          ...(await ownerEffects(tx, order?.gatewayUserId ?? null)),
          order_no: orderNo,
          refund_no: refundNo,
          refund_amount_usd: amountUsd,
          outcome,
          ...(outcome === "failed" ? { given_back_quota: quota.toString() } : {}),
        },
        finish: async () => ({ refund: refundEntry(refund) }),
      };
    },
  };
}

function resolveAct(deps: RefundDeps & BillingDeps): Act<ResolveInput> {
  return {
    kind: "order.resolve",
    schema: resolveOrderInput,
    reasonOf: ({ reason }) => reason,
    perform: async (tx, input, origin) => {
      const { order_no: orderNo, action, transaction_id: transactionId = null, reason } = input;
      const done = await resolveOrder(tx, deps, { orderNo, action, transactionId, reason });
      if (done.isNew) {
        const { status, reviewReason, resolution } = done.before;
        await recordAct(tx, origin, {
          action: "order.resolve",
          subjectKind: "order",
          subjectId: orderNo,
          before: { status, reviewReason, resolution },
          after: { action, transactionId, refundNo: done.refundNo },
          reason,
        });
      }
      const refund = done.refundNo === null ? null : await findRefund(tx, done.refundNo);
      return {
        isNew: done.isNew,
        amount: amountOfDecision(action, done, refund),
        takesTwo: false,
        effects: {
          ...(await ownerEffects(tx, done.before.gatewayUserId)),
          order_no: orderNo,
          decision: action,
          ...(action === "settle" ? { credited_quota: done.before.quota.toString() } : {}),
          ...(refund === null ? {} : { refund_usd: refund.amountUsd }),
        },
        finish: async () => {
          const paid = done.refundNo === null ? null : refundEntry(await payRefund(deps, done.refundNo));
          const order = await findOrder(deps.db, orderNo);
          return { is_new: done.isNew, order: order === null ? null : orderEntry(order), refund: paid };
        },
      };
    },
  };
}

/** Marking a charge as made credits it; marking it as not made lets the next one follow. For the limits, both count as its quota. */
function closeChargeAct(deps: BillingDeps): Act<CloseChargeInput> {
  return {
    kind: "top_up.close",
    schema: closeChargeInput,
    reasonOf: ({ reason }) => reason,
    perform: async (tx, input, origin) => {
      const { order_no: orderNo, outcome, transaction_id: transactionId = null, reason } = input;
      const { order, topUp, isNew } = await closeCharge(tx, deps, { orderNo, outcome, transactionId });
      if (isNew) {
        await recordAct(tx, origin, {
          action: "top_up.close",
          subjectKind: "order",
          subjectId: orderNo,
          before: { topUpNo: topUp.topUpNo, state: "open" },
          after: { outcome, transactionId, status: order.status },
          reason,
        });
      }
      return {
        isNew,
        amount: amountOfAdjustment(order.quota),
        takesTwo: false,
        effects: {
          ...(await ownerEffects(tx, order.gatewayUserId)),
          order_no: orderNo,
          outcome,
          ...(outcome === "charged" ? { credited_quota: order.quota.toString() } : {}),
        },
        finish: async () => ({ is_new: isNew, order_no: orderNo, status: order.status }),
      };
    },
  };
}

/** The name of the user who owns the budget. */
async function ownerEffects(tx: Transaction, gatewayUserId: GatewayUserId | null): Promise<Effects> {
  const email = gatewayUserId === null ? null : await emailOfGatewayUser(tx, gatewayUserId);
  return email === null ? {} : { user_email: email };
}

/** Whose account it is: the e-mail of a user, or the name of an organisation. */
export async function ownerOfAccount(tx: Transaction, gatewayUserId: GatewayUserId): Promise<string | null> {
  return (await emailOfGatewayUser(tx, gatewayUserId)) ?? (await findOrganisationOfAccount(tx, gatewayUserId));
}

/** Crediting a mismatched payment gives quota; sending a payment back gives money. */
function amountOfDecision(action: ResolveInput["action"], done: Resolved, refund: Refund | null): Amount | null {
  if (action === "settle") {
    return amountOfAdjustment(done.before.quota);
  }
  return refund === null ? null : amountOfRefund(refund.amountUsd);
}

export function refundEntry(refund: Refund): RefundEntry {
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
