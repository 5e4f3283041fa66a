import type { TaxRule } from "@sluice/contracts/invoices";
import { type Decimal, decimalToScaled, scaledToDecimal } from "@sluice/contracts/money";
import { fromCents, toCents } from "../model.ts";

/** A rate is a percentage with four places; 100 % are this many of its units. */
const rateScale = 4;
const wholeRate = 100n * 10n ** BigInt(rateScale);

/** How an order is taxed, as decided when it is placed. */
export type OrderTax = {
  /** In percent. */
  readonly rate: Decimal;
  readonly note: string;
};

/** What invoices say about the buyer. */
export type Buyer = {
  readonly name: string;
  readonly address: string;
  readonly country: string;
  readonly taxId: string;
};

/** With the buyer's data that decided it; null where none were saved. */
export type BuyerTax = OrderTax & { readonly buyer: Buyer | null };

export type Parted = { readonly netUsd: Decimal; readonly taxUsd: Decimal; readonly grossUsd: Decimal };

/** The tax that an amount includes. The tax is rounded half up to the cent, once per document; the net amount is the rest. */
export function partGross(grossUsd: Decimal, rate: Decimal): Parted {
  const gross = toCents(grossUsd);
  const tax = taxIn(gross, rate);
  return { netUsd: fromCents(gross - tax), taxUsd: fromCents(tax), grossUsd: fromCents(gross) };
}

/** A price with the tax added, rounded half up to the cent; `partGross` finds the same tax in it. */
export function addTax(netUsd: Decimal, rate: Decimal): Decimal {
  const net = toCents(netUsd);
  return fromCents(net + halfUp(net * unitsOf(rate), wholeRate));
}

/**
 * A credit note's part of an invoice: the tax of everything credited so far, less that of the notes before. Notes that
 * add up to the invoice therefore credit exactly its tax.
 */
export function partCredit(creditedUsd: Decimal, grossUsd: Decimal, rate: Decimal): Parted {
  const [before, gross] = [toCents(creditedUsd), toCents(grossUsd)];
  const tax = taxIn(before + gross, rate) - taxIn(before, rate);
  return { netUsd: fromCents(gross - tax), taxUsd: fromCents(tax), grossUsd: fromCents(gross) };
}

/** The first rule for a buyer decides, else the general rate. A buyer whose country is unknown has the general rate. */
export function taxFor(
  terms: { readonly taxRate: Decimal; readonly taxRules: readonly TaxRule[] },
  buyer: { readonly country: string; readonly taxId: string } | null,
): OrderTax {
  const rule = terms.taxRules.find(
    (each) =>
      buyer !== null &&
      (each.country === "*" || each.country === buyer.country) &&
      (!each.has_tax_id || buyer.taxId !== ""),
  );
  return rule === undefined
    ? { rate: plainRate(terms.taxRate), note: "" }
    : { rate: plainRate(rule.rate), note: rule.note };
}

/** A rate without trailing zeros. */
export function plainRate(rate: Decimal): Decimal {
  return scaledToDecimal(unitsOf(rate), rateScale);
}

const unitsOf = (rate: Decimal): bigint => decimalToScaled(rate, rateScale);
const taxIn = (gross: bigint, rate: Decimal): bigint => halfUp(gross * unitsOf(rate), wholeRate + unitsOf(rate));
const halfUp = (dividend: bigint, divisor: bigint): bigint => (2n * dividend + divisor) / (2n * divisor);
