import { ceilDivide } from "@sluice/contracts/money";

/**
 * An exact whole amount: a plain number while that is exact, else a bigint. What every call computes with is kept so, because
 * each result of an operation on bigints is a new object. Amounts may be compared with each other and with bigints by `<` and
 * the like, which are exact. To ask for equality, compare two amounts that were made here.
 */
export type Amount = number | bigint;

export function toAmount(value: bigint): Amount {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

/** The amount of a whole number, even of one that is beyond those that are exact. */
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
      // Never -0.
      return product === 0 ? 0 : product;
    }
  }
  return toAmount(BigInt(one) * BigInt(other));
}

/**
 * The exact quotient, rounded up; the dividend must not be negative, and the divisor has to be positive. A quotient of numbers
 * that are exact never rounds to a whole number that it is not: the next one is at least one part of the divisor away.
 */
export function dividedUp(dividend: Amount, divisor: Amount): Amount {
  return typeof dividend === "number" && typeof divisor === "number"
    ? Math.ceil(dividend / divisor)
    : toAmount(ceilDivide(BigInt(dividend), BigInt(divisor)));
}
