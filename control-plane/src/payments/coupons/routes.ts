import { adminOperation } from "@sluice/contracts/admin-rights";
import {
  checkCouponInput,
  checkedCouponResponse,
  createCouponInput,
  createCouponOutput,
  revokeCouponInput,
  revokedCouponResponse,
} from "@sluice/contracts/coupons";
import type { Act } from "../../admin/approvals/port.ts";
import type { Approvals } from "../../admin/approvals/service.ts";
import { requiredIdempotencyKey } from "../../platform/endpoint/idempotency-key.ts";
import { type AnyEndpoint, endpoint } from "../../platform/endpoint/model.ts";
import { quoteEntry } from "../invoices/quote.ts";
import { readNow } from "../orders/order-store.ts";
import { quoteOrder } from "../orders/place-order.ts";
import type { BillingDeps, CodeAttempts } from "../port.ts";
import { type CouponInput, endCoupon } from "./create-coupon.ts";
import { tryCoupon } from "./try-coupon.ts";

/** Shows a customer what a coupon does. */
export function checkCouponEndpoint({ db }: Pick<BillingDeps, "db">, attempts: CodeAttempts): AnyEndpoint {
  return endpoint({
    method: "POST",
    path: "/backend/billing/coupon/check/",
    access: "user",
    input: checkCouponInput,
    summary: "Get what an order would cost now with a coupon; nothing is reserved",
    output: checkedCouponResponse,
    errors: [
      ...(["not_found", "invalid_amount", "too_many_attempts", "in_progress"] as const),
      ...(["coupon_unknown", "coupon_ended", "coupon_used_up", "coupon_not_applicable", "unauthenticated"] as const),
    ],
    limits: ["Unknown codes are rate-limited per user and per IP address (`too_many_attempts`)."],
    handle: async ({ input, user, clientIp }) => {
      const { coupon_code: couponCode, plan_code: planCode, amount_usd: amountUsd } = input;
      const of = { couponCode, planCode, amountUsd, userId: user.userId };
      const organisationId = user.organisation?.organisationId ?? null;
      const quote = await tryCoupon(attempts, { user, clientIp }, couponCode, () =>
        db.withTransaction(async (tx) =>
          quoteOrder(tx, { ...of, organisationId }, { at: await readNow(tx), isReserving: false }),
        ),
      );
      const discount = quote.applied?.discount;
      return {
        ...quoteEntry(quote),
        coupon_code: couponCode,
        price_usd: discount?.priceUsd ?? quote.terms.amountUsd,
        discount_usd: discount?.discountUsd ?? "0.00",
        bonus_quota: discount?.bonusQuota ?? 0n,
      };
    },
  });
}

export type CouponAdminDeps = Pick<BillingDeps, "db"> & {
  readonly approvals: Approvals;
  readonly createCoupon: Act<CouponInput>;
};

/** What admins do with coupons; the list is with the others. */
export function couponAdminEndpoints({ db, approvals, createCoupon }: CouponAdminDeps): AnyEndpoint[] {
  return [
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/coupon/create/"),
      input: createCouponInput,
      summary: "Create a coupon",
      output: createCouponOutput,
      errors: [
        ...(["invalid_value", "conflict", "idempotency_mismatch", "missing_field"] as const),
        ...(["super_admin_required", "step_up_required"] as const),
      ],
      limits: [
        "It counts as an adjustment of all that it can give away: more than admin.second_person_above_usd, and any number of uses, waits until another super-admin has approved it.",
      ],
      handle: async ({ input, admin, request, requestId, clientIp }) => {
        const idempotencyKey = requiredIdempotencyKey(request, input.idempotency_key);
        return await approvals.carryOut(createCoupon, input, { admin, requestId, clientIp, idempotencyKey });
      },
    }),
    endpoint({
      method: "POST",
      ...adminOperation("/backend/admin/coupon/revoke/"),
      input: revokeCouponInput,
      summary: "Revoke a coupon; orders that were placed with it keep their price",
      output: revokedCouponResponse,
      errors: ["not_found"],
      handle: async ({ input, ...call }) => ({
        coupon: await endCoupon(db, { couponId: input.coupon_id, reason: input.reason, call }),
      }),
    }),
  ];
}
