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
