import { describe, expect, test } from "bun:test";
import { type Decimal, decimalToScaled } from "@sluice/contracts/money";
import { priceTimes, times } from "@sluice/contracts/price-times";
import { byPrice, byTokenPrice, type TieredPrices } from "@sluice/contracts/priced-units";
import fc from "fast-check";

const decimal = (text: string) => text as Decimal;
const list: TieredPrices = {
  ...byPrice({ refused: "2.50000000", free: "0.00000001", as_whole: null as string | null }),
  long_prompt: { above_tokens: 200_000, ...byTokenPrice({ refused: "5.00000000", as_whole: null as string | null }) },
};

describe("prices for someone with a multiplier", () => {
  test("stay as they are written at 1", () => {
    expect(priceTimes(list, decimal("1.0000"))).toEqual(list);
    expect(priceTimes(list, decimal("1"))).toEqual(list);
  });

  test("are exact products, those of long prompts too; what has no price of its own has none afterwards", () => {
    const prices = priceTimes(list, decimal("0.3333333333"));
    expect(prices).toMatchObject({
      input_usd_per_m: "0.83333333325",
      request_usd: "0.000000003333333333",
      cache_read_usd_per_m: null,
      long_prompt: { above_tokens: 200_000, input_usd_per_m: "1.6666666665", cache_read_usd_per_m: null },
    });
    expect(priceTimes(list, decimal("0")).input_usd_per_m).toBe("0");
  });

  test("lose no digit, whatever the multiplier", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), fc.bigInt({ min: 0n, max: 10n ** 14n }), (price, factor) => {
        const text = (scaled: bigint, places: number) => {
          const digits = scaled.toString().padStart(places + 1, "0");
          return decimal(`${digits.slice(0, -places)}.${digits.slice(-places)}`);
        };
        const product = times(text(price, 8), text(factor, 10));
        expect(decimalToScaled(product, 18)).toBe(price * factor);
      }),
    );
  });
});
