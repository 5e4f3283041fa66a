import type { InvoiceFacts, PartyFacts } from "@sluice/contracts/invoices";
import type { Decimal } from "@sluice/contracts/money";
import type { Transaction } from "../../platform/db.ts";
import { findUse } from "../coupons/coupon-store.ts";
import { fromCents, isSameAmount, type Order, toCents } from "../model.ts";
import type { OrderPlace, Owner } from "../orders/order-store.ts";
import type { Refund } from "../refunds/refund-store.ts";
import {
  findBuyer,
  findInvoiceOf,
  findOrganisationName,
  findTerms,
  type InvoiceTerms,
  insertInvoice,
  type NewInvoice,
  sumCredited,
  takeNumber,
  takeOrderBuyer,
} from "./invoice-store.ts";
import { addTax, type BuyerTax, type Parted, partCredit, partGross, plainRate, taxFor } from "./tax.ts";

const sequenceDigits = 6;
const defaultLocale = "en";

/**
 * The tax of an order that a buyer places now, and its amount with that tax; null where no invoices are issued.
 * @param buyer null for a caller without a login
 */
export async function taxOrder(
  tx: Transaction,
  priceUsd: Decimal,
  buyer: OrderPlace | null,
): Promise<{ readonly tax: BuyerTax; readonly amountUsd: Decimal; readonly taxName: string } | null> {
  const terms = await findTerms(tx);
  if (terms?.isOn !== true) {
    return null;
  }
  const saved = buyer === null ? null : await findBuyer(tx, buyer);
  const tax = taxFor(terms, saved);
  const amountUsd = terms.taxMode === "exclusive" ? addTax(priceUsd, tax.rate) : priceUsd;
  return { tax: { ...tax, buyer: saved }, amountUsd, taxName: terms.taxName };
}

/**
 * Issues the invoice of a paid order, in the transaction that settles it. Call it last: until the transaction ends, no
 * other one gets a number of the range.
 */
export async function issueInvoice(
  tx: Transaction,
  paid: { readonly order: Order; readonly owner: Owner | null; readonly paidUsd: Decimal; readonly at: Date },
): Promise<void> {
  const { order, owner, at } = paid;
  const terms = await findTerms(tx);
  if (order.taxRate === null || terms === null) {
    return;
  }
  const rate = plainRate(order.taxRate);
  const discount = isSameAmount(paid.paidUsd, order.amountUsd) ? await discountOf(tx, order, rate) : null;
  const facts: InvoiceFacts = {
    template: 1,
    seller: sellerOf(terms),
    buyer: await buyerOf(tx, order, owner),
    item: { name: order.planName, quota: order.quota.toString() },
    ...(discount === null ? {} : { discount }),
    orderNo: order.orderNo,
    taxName: terms.taxName,
    taxNote: order.taxNote ?? "",
    note: terms.note,
    original: null,
  };
  await insertInvoice(tx, {
    ...(await numberOf(tx, terms.invoicePrefix, at)),
    ...partGross(paid.paidUsd, rate),
    kind: "invoice",
    orderId: order.id,
    refundId: null,
    currency: order.currency,
    taxRate: rate,
    locale: owner?.locale ?? defaultLocale,
    facts,
    issuedAt: at,
  });
}

/** What a coupon took off the net amount of an order. Its price is without tax where that is added, else with it. */
async function discountOf(
  tx: Transaction,
  order: Order,
  rate: Decimal,
): Promise<NonNullable<InvoiceFacts["discount"]> | null> {
  const use = await findUse(tx, order.id);
  if (use === null || toCents(use.discountUsd) === 0n) {
    return null;
  }
  const isInclusive = toCents(use.priceUsd) - toCents(use.discountUsd) === toCents(order.amountUsd);
  const before = isInclusive ? partGross(use.priceUsd, rate).netUsd : use.priceUsd;
  const netUsd = toCents(before) - toCents(partGross(order.amountUsd, rate).netUsd);
  return { code: use.code, netUsd: fromCents(netUsd) };
}

/**
 * Issues the credit note of a refund that is done, if its order has an invoice, on which everything but the amount is
 * taken from that. The caller holds the lock of the order; call it last.
 */
export async function issueCreditNote(
  tx: Transaction,
  back: { readonly order: Order; readonly refund: Pick<Refund, "id" | "amountUsd">; readonly at: Date },
): Promise<void> {
  const { order, refund, at } = back;
  const original = await findInvoiceOf(tx, order.id);
  const terms = await findTerms(tx);
  if (original === null || terms === null) {
    return;
  }
  const parted: Parted = partCredit(await sumCredited(tx, order.id), refund.amountUsd, original.taxRate);
  const { number, issuedAt } = original;
  const { discount: _, ...known } = original.facts;
  const facts = { ...known, original: { number, issuedOn: dayOf(issuedAt) } };
  const { kind, currency, taxRate, locale } = { ...original, kind: "credit_note" as const };
  const numbered = await numberOf(tx, terms.creditPrefix, at);
  await insertInvoice(tx, {
    ...numbered,
    ...parted,
    ...{ kind, orderId: order.id, refundId: refund.id, currency, taxRate, locale, facts, issuedAt: at },
  });
}

async function numberOf(
  tx: Transaction,
  prefix: string,
  at: Date,
): Promise<Pick<NewInvoice, "number" | "prefix" | "year" | "sequence">> {
  const year = at.getUTCFullYear();
  const sequence = await takeNumber(tx, prefix, year);
  return { number: `${prefix}-${year}-${sequence.toString().padStart(sequenceDigits, "0")}`, prefix, year, sequence };
}

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

function sellerOf(terms: InvoiceTerms): PartyFacts {
  return {
    name: terms.sellerName,
    address: terms.sellerAddress,
    country: terms.sellerCountry,
    taxId: terms.sellerTaxId,
    email: terms.sellerEmail,
  };
}

/**
 * What the buyer had saved when the order was placed, since the tax was decided by it; else what is saved now, or as much as
 * is known.
 */
async function buyerOf(tx: Transaction, order: Order, owner: Owner | null): Promise<PartyFacts> {
  const email = owner?.email ?? order.email ?? "";
  if (owner === null) {
    return { name: email, address: "", country: "", taxId: "", email };
  }
  const { organisationId } = order;
  const saved = (await takeOrderBuyer(tx, order.id)) ?? (await findBuyer(tx, { userId: owner.userId, organisationId }));
  if (saved !== null) {
    return { ...saved, email };
  }
  const name = organisationId === null ? null : await findOrganisationName(tx, organisationId);
  return { name: name ?? email, address: "", country: "", taxId: "", email };
}
