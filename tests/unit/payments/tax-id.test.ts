import { describe, expect, test } from "bun:test";
import { faultOfTaxId } from "@sluice/control-plane/payments/invoices/tax-id.ts";
import { testRandom } from "../../support/values/test-seed.ts";

/** Numbers that authorities or the companies themselves have published. */
const valid: Readonly<Record<string, readonly string[]>> = {
  ...{ AT: ["ATU13585627"], BE: ["BE0428759497", "0428.759.497"], BG: ["BG175074752"], CY: ["CY10259033P"] },
  ...{ CZ: ["CZ25123891"], DE: ["DE136695976", "de 136 695 976"], DK: ["DK13585628"], EE: ["EE100931558"] },
  ...{ ES: ["ESB58378431", "B58378431"], FI: ["FI20774740"], FR: ["FR40303265045", "FR 83 404 833 048"] },
  ...{ GR: ["EL094259216", "GR094259216", "094259216"], HR: ["HR33392005961"], HU: ["HU12892312"] },
  ...{ IE: ["IE6433435F", "IE3628739UA"], IT: ["IT00743110157"], LT: ["LT119511515"], LU: ["LU15027442"] },
  ...{ LV: ["LV40003521600"], MT: ["MT11679112"], NL: ["NL004495445B01", "NL123456789B13"], PL: ["PL8567346215"] },
  ...{ PT: ["PT501964843"], RO: ["RO18547290"], SE: ["SE556188840401"], SI: ["SI50223054"], SK: ["SK2022749619"] },
  ...{ CH: ["CHE-107.787.577 MWST", "CHE-107.787.577"], GB: ["GB980780684", "980 7806 84", "XI980780684"] },
  ...{ NO: ["NO974760673MVA", "974760673"] },
};

describe("a tax id", () => {
  test("of a country with check digits is taken as people write it, and refused with one wrong digit", () => {
    for (const [country, numbers] of Object.entries(valid)) {
      for (const number of numbers) {
        const wrong = number.replace(/\d/, (digit) => String((Number(digit) + 1) % 10));
        expect([number, faultOfTaxId(country, number)]).toEqual([number, null]);
        expect([wrong, faultOfTaxId(country, wrong)]).toEqual([wrong, "vat"]);
      }
    }
  });

  test("of another country is refused", () => {
    expect([faultOfTaxId("DE", "FR40303265045"), faultOfTaxId("FR", "DE136695976")]).toEqual(["vat", "vat"]);
  });

  test("of any other country has to have a digit and some length", () => {
    expect(["12-3456789", "T1234567890123", "91350100M000100Y43"].map((id) => faultOfTaxId("US", id))).toEqual([
      ...[null, null, null],
    ]);
    expect(["x", "none", "-----", "1"].map((id) => faultOfTaxId("US", id))).toEqual(["form", "form", "form", "form"]);
  });

  test("of any text and country is judged, never an exception", () => {
    const random = testRandom();
    const letters = [..."AZ09 ./+-éß٣名"];
    for (const country of [...Object.keys(valid), "ZZ", "__", "US"]) {
      for (let round = 0; round < 50; round += 1) {
        const text = Array.from(
          { length: Math.floor(random() * 40) },
          () => letters[Math.floor(random() * letters.length)],
        );
        expect(["vat", "form", null]).toContain(faultOfTaxId(country, text.join("")));
      }
    }
  });
});
