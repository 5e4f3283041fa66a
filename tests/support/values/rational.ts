/** A fraction of integers, never reduced and never rounded; the denominator is positive. */
export type Rational = readonly [numerator: bigint, denominator: bigint];

/** The exact value of a decimal text such as `12`, `0.075` or `1.1000`. */
export function fromDecimal(text: string): Rational {
  const [whole = "", places = ""] = text.split(".");
  return [BigInt(`${whole}${places}`), 10n ** BigInt(places.length)];
}

export function fromInteger(value: bigint | number): Rational {
  return [BigInt(value), 1n];
}

export function plus(...terms: readonly Rational[]): Rational {
  return terms.reduce<Rational>(([a, b], [c, d]) => [a * d + c * b, b * d], [0n, 1n]);
}

export function times(...factors: readonly Rational[]): Rational {
  return factors.reduce<Rational>(([a, b], [c, d]) => [a * c, b * d], [1n, 1n]);
}

/** The least integer that is not below a fraction that is not negative. */
export function ceiling([numerator, denominator]: Rational): bigint {
  const floor = numerator / denominator;
  return floor * denominator === numerator ? floor : floor + 1n;
}
