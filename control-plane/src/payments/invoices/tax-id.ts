import { validate as at } from "stdnum/lib/cjs/at/uid.js";
import { validate as be } from "stdnum/lib/cjs/be/vat.js";
import { validate as bg } from "stdnum/lib/cjs/bg/vat.js";
import { validate as chUid } from "stdnum/lib/cjs/ch/uid.js";
import { validate as chVat } from "stdnum/lib/cjs/ch/vat.js";
import { validate as cy } from "stdnum/lib/cjs/cy/vat.js";
import { validate as cz } from "stdnum/lib/cjs/cz/dic.js";
import { validate as de } from "stdnum/lib/cjs/de/vat.js";
import { validate as dk } from "stdnum/lib/cjs/dk/cvr.js";
import { validate as ee } from "stdnum/lib/cjs/ee/kmkr.js";
import { validate as es } from "stdnum/lib/cjs/es/nif.js";
import { validate as fi } from "stdnum/lib/cjs/fi/alv.js";
import { validate as fr } from "stdnum/lib/cjs/fr/tva.js";
import { validate as gb } from "stdnum/lib/cjs/gb/vat.js";
import { validate as gr } from "stdnum/lib/cjs/gr/vat.js";
import { validate as hr } from "stdnum/lib/cjs/hr/oib.js";
import { validate as hu } from "stdnum/lib/cjs/hu/anum.js";
import { validate as ie } from "stdnum/lib/cjs/ie/vat.js";
import { validate as it } from "stdnum/lib/cjs/it/iva.js";
import { validate as lt } from "stdnum/lib/cjs/lt/pvm.js";
import { validate as lu } from "stdnum/lib/cjs/lu/tva.js";
import { validate as lv } from "stdnum/lib/cjs/lv/pvn.js";
import { validate as mt } from "stdnum/lib/cjs/mt/vat.js";
import { validate as nl } from "stdnum/lib/cjs/nl/btw.js";
import { validate as noVat } from "stdnum/lib/cjs/no/mva.js";
import { validate as noOrganisation } from "stdnum/lib/cjs/no/orgnr.js";
import { validate as pl } from "stdnum/lib/cjs/pl/nip.js";
import { validate as pt } from "stdnum/lib/cjs/pt/nif.js";
import { validate as ro } from "stdnum/lib/cjs/ro/cif.js";
import { validate as se } from "stdnum/lib/cjs/se/vat.js";
import { validate as si } from "stdnum/lib/cjs/si/ddv.js";
import { validate as sk } from "stdnum/lib/cjs/sk/dph.js";

// One module of the library for each country: all of them together take over a second to load.
type Check = (text: string) => { readonly isValid: boolean };

/** The checks of a country's VAT numbers, with or without its prefix; one has to accept the number. */
const checks: Readonly<Record<string, readonly Check[]>> = {
  ...{ AT: [at], BE: [be], BG: [bg], CY: [cy], CZ: [cz], DE: [de], DK: [dk], EE: [ee], ES: [es], FI: [fi], FR: [fr] },
  ...{ GR: [gr], HR: [hr], HU: [hu], IE: [ie], IT: [it], LT: [lt], LU: [lu], LV: [lv], MT: [mt], NL: [nl], PL: [pl] },
  ...{ PT: [pt], RO: [ro], SE: [se], SI: [si], SK: [sk] },
  ...{ CH: [chVat, chUid], GB: [gb], NO: [noVat, noOrganisation] },
};

/**
 * The fault of a tax id by its form: `vat` if the country's VAT numbers are checked and this is not one, `form` if it lacks
 * what any tax id has. Null if it may be valid; nobody is asked whether it is registered.
 */
export function faultOfTaxId(country: string, text: string): "vat" | "form" | null {
  const compact = text.replace(/[\s./+-]/g, "").toUpperCase();
  const known = checks[country];
  if (known !== undefined) {
    // Northern Ireland has numbers of the United Kingdom, under a prefix for trade with the EU.
    const number = compact.replace(/^XI(?=\d)/, "GB");
    // The library fails on shorter ones.
    return /^[A-Z0-9]{4,20}$/.test(number) && known.some((check) => check(number).isValid) ? null : "vat";
  }
  return compact.length >= 5 && /\d/.test(compact) ? null : "form";
}
