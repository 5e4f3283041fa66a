/** An exact number: a decimal text stays what it is, and products of ratios are not rounded. */
export type Fraction = { readonly over: bigint; readonly under: bigint };

const numberText = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?$/;
const exponentMax = 30;

/** The number in a JSON text; null for anything that is not a plain, sensible number. */
export function fractionOf(text: string): Fraction | null {
  const [, sign, whole = "", places = "", power = "0"] = numberText.exec(text.trim()) ?? [];
  const shift = Number(power);
  if (sign === undefined || Math.abs(shift) > exponentMax || whole.length + places.length > 60) {
    return null;
  }
  const digits = BigInt(`${sign}${whole}${places}`);
  const exponent = shift - places.length;
  return exponent >= 0
    ? { over: digits * 10n ** BigInt(exponent), under: 1n }
    : { over: digits, under: 10n ** BigInt(-exponent) };
}

export function wholeFraction(value: bigint): Fraction {
  return { over: value, under: 1n };
}

export function times(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.over, under: a.under * b.under };
}

export function dividedBy(a: Fraction, b: Fraction): Fraction {
  return { over: a.over * b.under, under: a.under * b.over };
}

export function isSame(a: Fraction, b: Fraction): boolean {
  return a.over * b.under === b.over * a.under;
}

/** The nearest multiple of 10^-places, half up, as a decimal text without needless zeros; for numbers from 0. */
export function toPlaces(
  { over, under }: Fraction,
  places: number,
): { readonly text: string; readonly isExact: boolean } {
  const scaled = over * 10n ** BigInt(places);
  const rounded = (scaled * 2n + under) / (under * 2n);
  const digits = rounded.toString().padStart(places + 1, "0");
  const fraction = digits.slice(digits.length - places).replace(/0+$/, "");
  const whole = digits.slice(0, digits.length - places);
  return { text: fraction === "" ? whole : `${whole}.${fraction}`, isExact: rounded * under === scaled };
}
