import { describe, expect, test } from "bun:test";
import {
  countColumns,
  type PriceList,
  partsOf,
  pricedUnits,
  priceOf,
  unitsByWhole,
  wholeOf,
} from "@sluice/contracts/priced-units";

describe("the table of units", () => {
  test("begins with the units of the first release, in the order in which spools hold their counts", () => {
    expect(countColumns.slice(0, 7)).toEqual([
      ...(["input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens"] as const),
      ...(["reasoning_tokens", "images", "audio_ms"] as const),
    ]);
  });

  test("names each unit, count and price once", () => {
    for (const names of [
      pricedUnits.map(({ name }) => name),
      pricedUnits.map(({ price }) => price),
      [...countColumns],
    ] as string[][]) {
      expect(new Set(names).size).toBe(names.length);
    }
  });

  test.each([...pricedUnits])("has a whole for $name if it is a part, measured alike and not a part itself", (unit) => {
    const whole = wholeOf(unit);
    expect<string>(whole.name).toBe(unit.partOf ?? unit.name);
    expect<string>(whole.measure).toBe(unit.measure);
    expect(whole.partOf).toBeNull();
    expect(unit.unpriced === "as_whole").toBe(unit.partOf !== null);
  });

  test("lists each unit once on a receipt, before its parts", () => {
    expect(new Set(unitsByWhole)).toEqual(new Set(pricedUnits));
    expect(unitsByWhole.length).toBe(pricedUnits.length);
    for (const unit of pricedUnits) {
      for (const part of partsOf(unit)) {
        expect(unitsByWhole.indexOf(part)).toBeGreaterThan(unitsByWhole.indexOf(unit));
      }
    }
  });

  test.each([
    ["3", "3.75", null, "3.75"],
    ["3", "2.5", null, "3"],
    ["10", "9.5", null, "10"],
    ["3", null, null, "3"],
    ["3", "3.75", "6", "6"],
    ["3", "3.75", "0", "0"],
  ])(
    "gives a write for an hour the dearer of %s and %s unless it has a price (%s): %s",
    (input, write, hour, price) => {
      const unit = pricedUnits.find(({ name }) => name === "cache_write_1h");
      const list = { input_usd_per_m: input, cache_write_usd_per_m: write, cache_write_1h_usd_per_m: hour };
      expect(unit && priceOf<string>(list as unknown as PriceList, unit)).toBe(price);
    },
  );

  test("gives a part without a price the price of its whole", () => {
    const prices = Object.fromEntries(pricedUnits.map(({ name, price }) => [price, name])) as Record<string, string>;
    const reasoning = pricedUnits.find(({ name }) => name === "reasoning");
    const list = { ...prices, reasoning_usd_per_m: null } as unknown as Parameters<typeof priceOf<string>>[0];
    expect(reasoning && priceOf<string>(list, reasoning)).toBe("output");
  });
});
