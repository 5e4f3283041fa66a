/**
 * An exact amount: a plain number while that is exact, else a bigint. Amounts that every call adds to are kept so, because
 * each sum of bigints is a new object.
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
