import type { couponList } from "@sluice/contracts/coupons";
import type { RowOf } from "@sluice/contracts/lists";
import { formats } from "../../formats.ts";
import { t } from "../../translate.ts";

export type Coupon = RowOf<typeof couponList>;

export const couponsPath = "/backend/admin/coupon/";

/** What a coupon does, in words. */
export function effectOf({
  kind,
  percent,
  amount_usd: amount,
}: Pick<Coupon, "kind" | "percent" | "amount_usd">): string {
  if (kind === "amount") {
    return t("{amount} off", { amount: formats.usd(amount ?? "0.00") });
  }
  return kind === "percent" ? t("{percent} % off", { percent }) : t("{percent} % more balance", { percent });
}
