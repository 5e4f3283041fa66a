import { ceilDivide } from "@sluice/contracts/money";

/**
 * An exact whole amount: a plain number while that is exact, else a bigint. Amounts are for what every call computes, because
 * each result of an operation on bigints is a new object. `<` and the like compare amounts exactly with each other and with
 * bigints; `===` does so only for two amounts that were made here.
 */
export type Amount = number | bigint;

export function toAmount(value: bigint): Amount {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The amount of a whole number, even one beyond the safe integers. */
export function amountOf(whole: number): Amount {
  return Number.isSafeInteger(whole) ? whole : BigInt(whole);
}

/** The exact sum. */
export function plus(one: Amount, other: Amount): Amount {
  if (typeof one === "number" && typeof other === "number") {
    const sum = one + other;
    if (Number.isSafeInteger(sum)) {
      return sum;
    }
  }
  return toAmount(BigInt(one) + BigInt(other));
}

/** The exact difference. */
export function minus(one: Amount, other: Amount): Amount {
  if (typeof one === "number" && typeof other === "number") {
    const difference = one - other;
    if (Number.isSafeInteger(difference)) {
      return difference;
    }
  }
  return toAmount(BigInt(one) - BigInt(other));
}

/** The exact product. */
export function times(one: Amount, other: Amount): Amount {
  if (typeof one === "number" && typeof other === "number") {
    const product = one * other;
    if (Number.isSafeInteger(product)) {
      // Not -0.
      return product === 0 ? 0 : product;
    }
  }
  return toAmount(BigInt(one) * BigInt(other));
}

/**
 * The exact quotient, rounded up; the dividend must not be negative, and the divisor must be positive. A quotient of safe
 * integers that is not whole never becomes whole by rounding: the next whole number is at least 1/divisor away.
 */
export function dividedUp(dividend: Amount, divisor: Amount): Amount {
  return typeof dividend === "number" && typeof divisor === "number"
    ? Math.ceil(dividend / divisor)
    : toAmount(ceilDivide(BigInt(dividend), BigInt(divisor)));
}
