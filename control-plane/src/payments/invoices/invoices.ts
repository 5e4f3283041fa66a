import type {
  BuyerEntry,
  InvoiceEntry,
  InvoiceTermsEntry,
  saveBuyerInput,
  saveTermsInput,
} from "@sluice/contracts/invoices";
import type { z } from "zod";
import { audit, byCaller } from "../../admin/audit/service.ts";
import type { Transaction } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import type { OrderPlace } from "../orders/order-store.ts";
import { findBuyer, type Invoice, type InvoiceTerms, insertTerms, lockTerms, saveBuyer } from "./invoice-store.ts";
import { type Buyer, plainRate } from "./tax.ts";
import { faultOfTaxId } from "./tax-id.ts";

type TermsInput = z.output<typeof saveTermsInput>;
type BuyerInput = z.output<typeof saveBuyerInput>;
type AdminCall = Extract<Parameters<typeof byCaller>[0], { admin: unknown }>;
type UserCall = Extract<Parameters<typeof byCaller>[0], { user: unknown }>;

/**
 * Saves what invoices say from now on. What was issued, and orders that were placed, keep what they have.
 * @throws AppError `conflict` when the terms were changed after they were loaded
 */
export async function saveTerms(tx: Transaction, input: TermsInput, call: AdminCall): Promise<InvoiceTerms> {
  const before = await lockTerms(tx);
  if ((before?.id ?? 0n) !== BigInt(input.version)) {
    throw new AppError("conflict", { message: "These were changed meanwhile. Reload the page." });
  }
  const after = await insertTerms(tx, {
    isOn: input.is_on,
    invoicePrefix: input.invoice_prefix,
    creditPrefix: input.credit_prefix,
    sellerName: input.seller_name,
    sellerAddress: input.seller_address,
    sellerCountry: input.seller_country,
    sellerTaxId: input.seller_tax_id,
    sellerEmail: input.seller_email,
    taxName: input.tax_name,
    taxMode: input.tax_mode,
    taxRate: input.tax_rate,
    taxRules: input.tax_rules,
    note: input.note,
    createdBy: call.admin.username,
  });
  const what = { subjectKind: "invoice_terms", subjectId: after.id.toString() };
  await audit(tx, byCaller(call), "invoice_terms.save", { ...what, before, after });
  return after;
}

const taxIdFaults = {
  vat: "This VAT number has a typing error, or is not one of this country.",
  form: "This does not look like a tax ID.",
} as const;

/**
 * Saves what a person or an organisation wants on invoices from now on.
 * @throws AppError `invalid_value` for a tax id that the country can't have
 */
export async function changeBuyer(
  tx: Transaction,
  place: OrderPlace,
  { input, call }: { readonly input: BuyerInput; readonly call: UserCall },
): Promise<Buyer> {
  const fault = input.tax_id === "" ? null : faultOfTaxId(input.country, input.tax_id);
  if (fault !== null) {
    throw new AppError("invalid_value", { message: taxIdFaults[fault], fields: { tax_id: taxIdFaults[fault] } });
  }
  const before = await findBuyer(tx, place);
  const after = { name: input.name, address: input.address, country: input.country, taxId: input.tax_id };
  await saveBuyer(tx, place, after);
  const { userId, organisationId } = place;
  const subject =
    organisationId === null
      ? { subjectKind: "user", subjectId: userId.toString() }
      : { subjectKind: "organisation", subjectId: organisationId.toString() };
  // The audit log outlives an account: it names what was changed, and not the personal data.
  await audit(tx, byCaller(call), "buyer_data.save", {
    ...subject,
    before: before === null ? null : { country: before.country, hasTaxId: before.taxId !== "" },
    after: { country: after.country, hasTaxId: after.taxId !== "" },
  });
  return after;
}

export function termsEntry(terms: InvoiceTerms): InvoiceTermsEntry {
  return {
    is_on: terms.isOn,
    seller_name: terms.sellerName,
    seller_address: terms.sellerAddress,
    seller_country: terms.sellerCountry,
    seller_tax_id: terms.sellerTaxId,
    seller_email: terms.sellerEmail,
    invoice_prefix: terms.invoicePrefix,
    credit_prefix: terms.creditPrefix,
    tax_name: terms.taxName,
    tax_mode: terms.taxMode,
    tax_rate: plainRate(terms.taxRate),
    tax_rules: terms.taxRules,
    note: terms.note,
    version: terms.id,
    saved_by: terms.createdBy,
    saved_at: terms.createdAt,
  };
}

export const buyerEntry = ({ name, address, country, taxId }: Buyer): BuyerEntry => ({
  name,
  address,
  country,
  tax_id: taxId,
});

export function invoiceEntry(invoice: Invoice): InvoiceEntry {
  return {
    number: invoice.number,
    kind: invoice.kind,
    order_no: invoice.orderNo,
    currency: invoice.currency,
    net_usd: invoice.netUsd,
    tax_usd: invoice.taxUsd,
    gross_usd: invoice.grossUsd,
    tax_rate: plainRate(invoice.taxRate),
    issued_at: invoice.issuedAt,
  };
}
