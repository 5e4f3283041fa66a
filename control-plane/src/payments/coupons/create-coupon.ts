import { quotaMax } from "@sluice/contracts/billing";
import { type CouponEntry, createCouponInput } from "@sluice/contracts/coupons";
import { type Decimal, decimalToScaled, quotaPerUsd } from "@sluice/contracts/money";
import type { z } from "zod";
import type { Act } from "../../admin/approvals/port.ts";
import { recordAct } from "../../admin/approvals/service.ts";
import { audit, byCaller } from "../../admin/audit/service.ts";
import type { Database, Queryable } from "../../platform/db.ts";
import { AppError, notFound } from "../../platform/errors.ts";
import { toCents } from "../model.ts";
import { findActivePlan, type Plan, selectActivePlans } from "../plans/plan-store.ts";
import {
  type Coupon,
  findCoupon,
  findCouponByKey,
  insertCoupon,
  type NewCoupon,
  revokeCoupon,
} from "./coupon-store.ts";

export type CouponInput = z.output<typeof createCouponInput>;

const quotaPerCent = quotaPerUsd / 100n;
const percentScale = 2;
const wholePercent = 100n * 10n ** BigInt(percentScale);

/**
 * Creates a coupon. It counts as a credit of the most that it can give away, at current prices; one that can be used any
 * number of times always takes two.
 */
export function createCouponAct(): Act<CouponInput> {
  return {
    kind: "coupon.create",
    schema: createCouponInput,
    reasonOf: ({ note }) => note,
    perform: async (tx, input, origin) => {
      const { coupon, isNew, plans } = await makeOnce(tx, input, origin);
      if (isNew) {
        const what = { action: "coupon.create", subjectKind: "coupon", subjectId: coupon.id };
        await recordAct(tx, origin, { ...what, before: null, after: coupon, reason: input.note });
      }
      const { usesMax } = coupon;
      return {
        isNew,
        amount: usesMax === null ? null : { kind: "adjust", quota: mostOf(coupon, usesMax, plans) },
        takesTwo: usesMax === null,
        effects: {
          coupon: coupon.code,
          discount: effectOf(coupon),
          uses: usesMax === null ? "any number" : usesMax.toString(),
        },
        finish: async () => ({ coupon: couponEntry(coupon) }),
      };
    },
  };
}

function effectOf({ kind, percent, amountUsd }: NewCoupon): string {
  if (kind === "amount") {
    return `${amountUsd} USD off`;
  }
  return kind === "percent" ? `${percent} % off` : `${percent} % more balance`;
}

type Made = { readonly coupon: Coupon; readonly isNew: boolean; readonly plans: readonly Plan[] };

/** @throws AppError `conflict` when the code is taken, `idempotency_mismatch` when the key was used for another coupon */
async function makeOnce(
  tx: Queryable,
  input: CouponInput,
  { adminName, idempotencyKey }: { readonly adminName: string; readonly idempotencyKey: string },
): Promise<Made> {
  const plans = await plansOf(tx, input.plan_codes);
  const wanted = couponOf(input, { createdBy: adminName, idempotencyKey });
  const made = await insertCoupon(tx, wanted);
  if (made !== null) {
    return { coupon: made, isNew: true, plans };
  }
  const known = await findCouponByKey(tx, idempotencyKey);
  if (known === null) {
    throw new AppError("conflict", { message: "A coupon with this code already exists.", fields: { code: "Taken." } });
  }
  if (!isSame(known, wanted)) {
    throw new AppError("idempotency_mismatch", { message: "This idempotency key was used for another coupon." });
  }
  return { coupon: known, isNew: false, plans };
}

const isSame = (one: NewCoupon, other: NewCoupon): boolean =>
  one.code === other.code &&
  one.kind === other.kind &&
  unitsOf(one.percent) === unitsOf(other.percent) &&
  unitsOf(one.amountUsd) === unitsOf(other.amountUsd) &&
  one.usesMax === other.usesMax &&
  one.usesPerUser === other.usesPerUser &&
  one.isFirstPurchase === other.isFirstPurchase &&
  one.planCodes.join() === other.planCodes.join();

const unitsOf = (value: Decimal | null): bigint => decimalToScaled(value ?? ("0" as Decimal), percentScale);

/**
 * The plans that a coupon is for.
 * @throws AppError `invalid_value` for a plan that is not offered
 */
async function plansOf(tx: Queryable, codes: readonly string[]): Promise<readonly Plan[]> {
  if (codes.length === 0) {
    return await selectActivePlans(tx);
  }
  const plans: Plan[] = [];
  for (const code of codes) {
    const plan = await findActivePlan(tx, code);
    if (plan === null) {
      throw new AppError("invalid_value", { fields: { plan_codes: `The plan ${code} is not offered.` } });
    }
    plans.push(plan);
  }
  return plans;
}

function mostOf(coupon: NewCoupon, uses: number, plans: readonly Plan[]): bigint {
  const most = mostOfOne(coupon, plans) * BigInt(uses);
  return most < quotaMax ? most : quotaMax;
}

/** The most that one use can give away, in quota. */
function mostOfOne({ kind, percent, amountUsd }: NewCoupon, plans: readonly Plan[]): bigint {
  if (kind === "amount") {
    return toCents(amountUsd ?? ("0" as Decimal)) * quotaPerCent;
  }
  const dearest = plans.reduce((most, plan) => {
    const cents = toCents(plan.amountMaxUsd ?? plan.priceUsd);
    const granted = plan.amountMaxUsd === null ? plan.quota : (plan.quota * cents) / toCents(plan.priceUsd);
    const worth = kind === "bonus" ? granted : cents * quotaPerCent;
    return worth > most ? worth : most;
  }, 0n);
  return (dearest * unitsOf(percent)) / wholePercent;
}

const momentOf = (text: string | null): Date | null => (text === null ? null : new Date(text));

function couponOf(input: CouponInput, by: Pick<NewCoupon, "createdBy" | "idempotencyKey">): NewCoupon {
  return {
    code: input.code,
    kind: input.kind,
    percent: input.percent,
    amountUsd: input.amount_usd,
    note: input.note,
    startsAt: momentOf(input.starts_at),
    expiresAt: momentOf(input.expires_at),
    usesMax: input.uses_max,
    usesPerUser: input.uses_per_user,
    isFirstPurchase: input.is_first_purchase,
    planCodes: [...new Set(input.plan_codes)],
    minimumUsd: input.minimum_usd,
    ...by,
  };
}

/**
 * Revokes a coupon; repeating that changes nothing. Orders that were placed with it keep their price.
 * @throws AppError `not_found`
 */
export async function endCoupon(
  db: Database,
  { couponId, reason, call }: { couponId: bigint; reason: string; call: Parameters<typeof byCaller>[0] },
): Promise<CouponEntry> {
  return await db.withTransaction(async (tx) => {
    const before = await findCoupon(tx, couponId);
    if (before === null) {
      throw notFound("coupon");
    }
    await revokeCoupon(tx, couponId);
    const after = (await findCoupon(tx, couponId)) ?? before;
    if (before.revokedAt === null) {
      await audit(tx, byCaller(call), "coupon.revoke", {
        ...{ subjectKind: "coupon", subjectId: couponId, reason },
        before: { revokedAt: null },
        after: { revokedAt: after.revokedAt },
      });
    }
    return couponEntry(after);
  });
}

function couponEntry(coupon: Coupon): CouponEntry {
  return {
    coupon_id: coupon.id,
    code: coupon.code,
    kind: coupon.kind,
    percent: coupon.percent,
    amount_usd: coupon.amountUsd,
    note: coupon.note,
    starts_at: coupon.startsAt,
    expires_at: coupon.expiresAt,
    uses_max: coupon.usesMax,
    uses_per_user: coupon.usesPerUser,
    is_first_purchase: coupon.isFirstPurchase,
    plan_codes: [...coupon.planCodes],
    minimum_usd: coupon.minimumUsd,
    uses: coupon.uses,
    revoked_at: coupon.revokedAt,
    created_by: coupon.createdBy,
    created_at: coupon.createdAt,
  };
}
