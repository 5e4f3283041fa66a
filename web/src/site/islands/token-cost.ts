import { decimalToScaled, parseDecimal, scaledToDecimal } from "@sluice/contracts/money";

const places = 12;
const tokensPerPrice = 1_000_000n;
const tokensLengthMax = 12;

/** The exact cost of tokens at decimal prices per million, as decimal text. */
export function costOfTokens(
  tokens: { readonly input: bigint; readonly cached: bigint; readonly output: bigint },
  price: { readonly inputUsdPerM: string; readonly cachedUsdPerM: string; readonly outputUsdPerM: string },
): string {
  const input = tokens.input * decimalToScaled(parseDecimal(price.inputUsdPerM), places);
  const cached = tokens.cached * decimalToScaled(parseDecimal(price.cachedUsdPerM), places);
  const output = tokens.output * decimalToScaled(parseDecimal(price.outputUsdPerM), places);
  return scaledToDecimal((input + cached + output) / tokensPerPrice, places);
}

/** The number in a text, ignoring separators. */
export function toTokens(text: string): bigint {
  const digits = text.replace(/\D/g, "").slice(0, tokensLengthMax);
  return digits === "" ? 0n : BigInt(digits);
}
