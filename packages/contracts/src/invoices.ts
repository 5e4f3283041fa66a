import { z } from "zod";
import { ownOrderInput, pageInput, planCode, usd } from "./billing.ts";
import { countryCodes } from "./countries.ts";
import { choiceOf, exactText, listContract } from "./lists.ts";
import type { Decimal } from "./money.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireCursor, wireDecimal, wireInteger, wireMoment } from "./wire.ts";

/** Invoices, credit notes, and what is printed on them. */

const rulesMax = 50;
const printedMax = 200;

/** Text that is printed: no controls, so that nothing in it can break a line or a file. */
const printed = (lengthMax: number) =>
  z
    .string()
    .trim()
    .max(lengthMax)
    .refine((text) => !/[\p{Cc}\p{Cf}\p{Cs}\p{Co}]/u.test(text), "Remove control characters.");
const required = (lengthMax: number) => printed(lengthMax).refine((text) => text !== "", "Fill this in.");

const addressLinesMax = 6;
/** Lines of an address, each of them printed. */
const address = z
  .string()
  .trim()
  .max(500)
  .transform((text) => text.split(/\r\n|\r|\n/).map((line) => line.trim()))
  .pipe(z.array(printed(100)).max(addressLinesMax, `Use at most ${addressLinesMax} lines.`))
  .transform((lines) => lines.filter((line) => line !== "").join("\n"))
  .refine((text) => text !== "", "Fill this in.");

const country = z
  .string()
  .trim()
  .transform((text) => text.toUpperCase())
  .pipe(z.string().regex(/^[A-Z]{2}$/, "Two letters, such as DE or US."));

const taxId = printed(40).refine((text) => /^[\p{L}\p{N} ./+-]*$/u.test(text), "Letters, digits, spaces, . / + and -");

/** An exact percentage with at most four places. */
const percentText = z
  .string()
  .trim()
  .regex(
    /^(100(\.0{1,4})?|\d{1,2}(\.\d{1,4})?)$/,
    "A percentage from 0 to 100 with at most four places, such as 19 or 7.7.",
  )
  .transform((text) => text as Decimal);

/** The rate of some buyers. `country` is `*` for all; with `has_tax_id`, only buyers who state a tax id. */
const taxRule = strictObject(() => ({
  country: z.union([z.literal("*"), country]),
  has_tax_id: z.boolean().default(false),
  rate: percentText,
  /** Printed on the invoice, such as why no tax is due. */
  note: printed(printedMax).default(""),
}));
export type TaxRule = z.output<typeof taxRule>;

const prefix = z
  .string()
  .trim()
  .regex(/^[A-Z0-9][A-Z0-9-]{0,11}$/, "Up to 12 capital letters, digits and -");
const taxModes = ["inclusive", "exclusive"] as const;

const termsFields = {
  is_on: z.boolean(),
  seller_name: required(printedMax),
  seller_address: address,
  seller_country: country,
  seller_tax_id: taxId.default(""),
  seller_email: z.union([z.literal(""), z.string().trim().max(254).pipe(z.email())]).default(""),
  invoice_prefix: prefix,
  credit_prefix: prefix,
  tax_name: required(40),
  tax_mode: z.enum(taxModes),
  tax_rate: percentText,
  tax_rules: z.array(taxRule).max(rulesMax).default([]),
  note: printed(500).default(""),
};

/** `version` is that of the loaded terms, 0 where there are none. */
export const saveTermsInput = strictObject(() => ({ ...termsFields, version: z.int().min(0) })).refine(
  (terms) => terms.invoice_prefix !== terms.credit_prefix,
  {
    path: ["credit_prefix"],
    message: "Credit notes have their own range: choose another prefix.",
  },
);

export const invoiceTermsEntry = strictObject(() => ({
  is_on: z.boolean(),
  seller_name: z.string(),
  seller_address: z.string(),
  seller_country: z.string(),
  seller_tax_id: z.string(),
  seller_email: z.string(),
  invoice_prefix: z.string(),
  credit_prefix: z.string(),
  tax_name: z.string(),
  tax_mode: z.enum(taxModes),
  tax_rate: wireDecimal,
  tax_rules: z.array(
    z.strictObject({ country: z.string(), has_tax_id: z.boolean(), rate: wireDecimal, note: z.string() }),
  ),
  note: z.string(),
  version: wireInteger,
  saved_by: z.string(),
  saved_at: wireMoment,
}));
export type InvoiceTermsEntry = Unsent<z.output<typeof invoiceTermsEntry>>;
/** Null before the first save. */
export const invoiceTermsResponse = strictObject(() => ({ terms: invoiceTermsEntry.nullable() }));

const buyerCountry = z
  .string()
  .trim()
  .transform((text) => text.toUpperCase())
  .refine((code) => countryCodes.includes(code), "Choose a country.");

export const saveBuyerInput = strictObject(() => ({
  name: required(printedMax),
  address,
  country: buyerCountry,
  tax_id: taxId.default(""),
}));
export const buyerEntry = strictObject(() => ({
  name: z.string(),
  address: z.string(),
  country: z.string(),
  tax_id: z.string(),
}));
export type BuyerEntry = Unsent<z.output<typeof buyerEntry>>;
/** Null until it is saved. */
export const buyerResponse = strictObject(() => ({ buyer: buyerEntry.nullable() }));

/** Everything that is printed on an invoice, as it was when it was issued. */
export type InvoiceFacts = {
  /** The layout that it was made for. */
  readonly template: 1;
  readonly seller: PartyFacts;
  readonly buyer: PartyFacts;
  readonly item: { readonly name: string; readonly quota: string };
  /** What a coupon took off the net amount; on an invoice of an order with one. */
  readonly discount?: { readonly code: string; readonly netUsd: Decimal };
  readonly orderNo: string;
  readonly taxName: string;
  readonly taxNote: string;
  readonly note: string;
  /** Of a credit note. */
  readonly original: { readonly number: string; readonly issuedOn: string } | null;
};

export type PartyFacts = {
  readonly name: string;
  readonly address: string;
  readonly country: string;
  readonly taxId: string;
  readonly email: string;
};

const invoiceKinds = ["invoice", "credit_note"] as const;

export const invoiceEntry = strictObject(() => ({
  number: z.string(),
  kind: z.enum(invoiceKinds),
  order_no: z.string(),
  currency: z.string(),
  net_usd: wireDecimal,
  tax_usd: wireDecimal,
  gross_usd: wireDecimal,
  tax_rate: wireDecimal,
  issued_at: wireMoment,
}));
export type InvoiceEntry = Unsent<z.output<typeof invoiceEntry>>;

export { pageInput as invoicePageInput };
export const invoicePageResponse = strictObject(() => ({ invoices: z.array(invoiceEntry), next_cursor: wireCursor }));

const invoiceNumber = z.string().regex(/^[A-Z0-9-]{1,40}$/, "not a number of an invoice");
export const invoiceFileInput = strictObject(() => ({ number: invoiceNumber }));

export const orderInvoicesResponse = strictObject(() => ({ invoices: z.array(invoiceEntry) }));
/** Without a number, the invoice of the order. */
export const orderInvoiceInput = ownOrderInput.extend({ number: invoiceNumber.optional() });

export const quoteInput = strictObject(() => ({ plan_code: planCode, amount_usd: usd.optional() }));
/** What an order would cost now. `tax_rate` is null where no invoice is issued; the tax is part of the amount. */
export const quoteResponse = strictObject(() => ({
  amount_usd: wireDecimal,
  tax_usd: wireDecimal,
  tax_rate: wireDecimal.nullable(),
  tax_name: z.string(),
  quota: wireInteger,
}));
export type QuoteEntry = Unsent<z.output<typeof quoteResponse>>;

export const invoiceList = listContract({
  name: "invoices",
  rowId: "number",
  row: invoiceEntry.extend({
    buyer_name: z.string(),
    buyer_country: z.string(),
    buyer_tax_id: z.string(),
    buyer_email: z.string(),
    original_number: z.string().nullable(),
  }),
  filters: {
    kind: choiceOf(invoiceKinds),
    number: exactText(40),
    order_no: exactText(64),
  },
  sorts: ["issued_at", "gross_usd"],
  defaultSort: "-issued_at",
});
