import { quotaMax } from "@sluice/contracts/billing";
import type { CouponKind } from "@sluice/contracts/coupons";
import { type Decimal, decimalToScaled } from "@sluice/contracts/money";
import { AppError } from "../../platform/errors.ts";
import { fromCents, toCents } from "../model.ts";
import type { OrderTerms } from "../plans/plan-amount.ts";

export type CouponValue = {
  readonly kind: CouponKind;
  readonly percent: Decimal | null;
  readonly amountUsd: Decimal | null;
};

export type CouponBounds = {
  readonly startsAt: Date | null;
  readonly expiresAt: Date | null;
  readonly revokedAt: Date | null;
  readonly planCodes: readonly string[];
  readonly minimumUsd: Decimal | null;
};

/** What a coupon changes in an order. The price is before the discount, and without tax. */
export type Discount = {
  readonly priceUsd: Decimal;
  readonly discountUsd: Decimal;
  readonly bonusQuota: bigint;
};

/** The least that the card gateway takes. */
const payableCentsMin = 50n;
const percentScale = 2;
const wholePercent = 100n * 10n ** BigInt(percentScale);

/**
 * Refuses a coupon for a purchase that its own terms rule out.
 * @throws AppError `coupon_ended`, `coupon_not_applicable`
 */
export function refuseOutside(bounds: CouponBounds, bought: { planCode: string; priceUsd: Decimal; at: Date }): void {
  const { at, priceUsd } = bought;
  if (bounds.revokedAt !== null || (bounds.expiresAt !== null && bounds.expiresAt <= at)) {
    throw new AppError("coupon_ended");
  }
  if (bounds.startsAt !== null && bounds.startsAt > at) {
    throw notApplicable("This coupon is not valid yet.");
  }
  if (bounds.planCodes.length > 0 && !bounds.planCodes.includes(bought.planCode)) {
    throw notApplicable("This coupon is for other plans.");
  }
  if (bounds.minimumUsd !== null && toCents(priceUsd) < toCents(bounds.minimumUsd)) {
    throw notApplicable(`This coupon is for purchases of at least ${bounds.minimumUsd} USD.`);
  }
}

/**
 * The terms of an order with a coupon. A percentage of the price is rounded down to the cent, one of the quota down to
 * a whole.
 * @throws AppError `coupon_not_applicable` if the rest is too little for a gateway, or nothing changes
 */
export function discounted(value: CouponValue, terms: OrderTerms): { terms: OrderTerms; discount: Discount } {
  const price = toCents(terms.amountUsd);
  if (value.kind === "bonus") {
    const bonusQuota = (terms.quota * unitsOf(value.percent)) / wholePercent;
    if (bonusQuota === 0n || terms.quota + bonusQuota > quotaMax) {
      throw notApplicable("This coupon can't be used for this amount.");
    }
    const discount = { priceUsd: terms.amountUsd, discountUsd: fromCents(0n), bonusQuota };
    return { terms: { ...terms, quota: terms.quota + bonusQuota }, discount };
  }
  const off = value.kind === "percent" ? (price * unitsOf(value.percent)) / wholePercent : centsOf(value.amountUsd);
  if (off === 0n || price - off < payableCentsMin) {
    throw notApplicable("With this coupon, less than 0.50 USD would be left to pay.");
  }
  const discount = { priceUsd: terms.amountUsd, discountUsd: fromCents(off), bonusQuota: 0n };
  return { terms: { ...terms, amountUsd: fromCents(price - off) }, discount };
}

export function notApplicable(sentence: string): AppError {
  return new AppError("coupon_not_applicable", { message: sentence, fields: { coupon_code: sentence } });
}

const unitsOf = (percent: Decimal | null): bigint => decimalToScaled(percent ?? ("0" as Decimal), percentScale);
const centsOf = (amount: Decimal | null): bigint => toCents(amount ?? ("0" as Decimal));
