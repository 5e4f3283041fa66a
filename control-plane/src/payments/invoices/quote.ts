import type { QuoteEntry } from "@sluice/contracts/invoices";
import type { Decimal } from "@sluice/contracts/money";
import type { Quote } from "../orders/place-order.ts";
import { partGross } from "./tax.ts";

/** What customers see of a quote. */
export function quoteEntry({ terms, tax, taxName }: Quote): QuoteEntry {
  return {
    amount_usd: terms.amountUsd,
    tax_usd: tax === null ? ("0.00" as Decimal) : partGross(terms.amountUsd, tax.rate).taxUsd,
    tax_rate: tax?.rate ?? null,
    tax_name: taxName,
    quota: terms.quota,
  };
}
