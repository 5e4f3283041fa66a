import type { InvoiceFacts, TaxRule } from "@sluice/contracts/invoices";
import type { Decimal } from "@sluice/contracts/money";
import { and, asc, desc, eq, getTableColumns, isNotNull, lt, sql } from "drizzle-orm";
import { now } from "../../db/expressions.ts";
import { salesOrder as order } from "../../db/schema/billing.ts";
import { buyerData, invoice, invoiceRange as range, invoiceTerms as terms } from "../../db/schema/invoices.ts";
import { organisation } from "../../db/schema/organisations.ts";
import type { Queryable } from "../../platform/db.ts";
import { takeAdvisoryLock } from "../../platform/db-locks.ts";
import { type OrderPlace, ordersOf } from "../orders/order-store.ts";
import type { Buyer } from "./tax.ts";

/** More refunds of one order than anybody makes. */
const ofOrderMax = 200;

export type NewTerms = {
  readonly isOn: boolean;
  readonly invoicePrefix: string;
  readonly creditPrefix: string;
  readonly sellerName: string;
  readonly sellerAddress: string;
  readonly sellerCountry: string;
  readonly sellerTaxId: string;
  readonly sellerEmail: string;
  readonly taxName: string;
  readonly taxMode: "inclusive" | "exclusive";
  readonly taxRate: Decimal;
  readonly taxRules: readonly TaxRule[];
  readonly note: string;
  readonly createdBy: string;
};

export type InvoiceTerms = NewTerms & { readonly id: bigint; readonly createdAt: Date };

/** The current terms; null if there never were any. */
export async function findTerms(db: Queryable): Promise<InvoiceTerms | null> {
  const [row] = await db.drizzle.select().from(terms).orderBy(desc(terms.id)).limit(1);
  return row ?? null;
}

/** The current terms, which nobody else can change until the transaction ends. */
export async function lockTerms(tx: Queryable): Promise<InvoiceTerms | null> {
  await takeAdvisoryLock(tx, "invoice terms");
  return await findTerms(tx);
}

export async function insertTerms(tx: Queryable, made: NewTerms): Promise<InvoiceTerms> {
  const [row] = await tx.drizzle
    .insert(terms)
    .values({ ...made })
    .returning();
  if (row === undefined) {
    throw new Error("the terms of invoices were not inserted");
  }
  return row;
}

const isBuyer = ({ userId, organisationId }: OrderPlace) =>
  organisationId === null ? eq(buyerData.userId, userId) : eq(buyerData.organisationId, organisationId);

/** What a person or an organisation wants on invoices; null until it is saved. */
export async function findBuyer(db: Queryable, place: OrderPlace): Promise<Buyer | null> {
  const { name, address, country, taxId } = buyerData;
  const [row] = await db.drizzle.select({ name, address, country, taxId }).from(buyerData).where(isBuyer(place));
  return row ?? null;
}

/** Takes the buyer's data out of an order: from now on, its invoice holds them. */
export async function takeOrderBuyer(tx: Queryable, orderId: bigint): Promise<Buyer | null> {
  const [row] = await tx.drizzle.select({ buyer: order.buyer }).from(order).where(eq(order.id, orderId));
  await tx.drizzle
    .update(order)
    .set({ buyer: null })
    .where(and(eq(order.id, orderId), isNotNull(order.buyer)));
  return (row?.buyer ?? null) as Buyer | null;
}

export async function saveBuyer(tx: Queryable, place: OrderPlace, to: Buyer): Promise<void> {
  const { userId, organisationId } = place;
  const owner = organisationId === null ? { userId } : { organisationId };
  await tx.drizzle
    .insert(buyerData)
    .values({ ...owner, ...to })
    .onConflictDoUpdate({
      target: organisationId === null ? buyerData.userId : buyerData.organisationId,
      set: { ...to, updatedAt: now },
    });
}

/** The name of an organisation, for invoices until it saves another one. */
export async function findOrganisationName(db: Queryable, organisationId: bigint): Promise<string | null> {
  const [row] = await db.drizzle
    .select({ name: organisation.name })
    .from(organisation)
    .where(eq(organisation.id, organisationId));
  return row?.name ?? null;
}

/**
 * The next number of a range. Its row stays locked until the transaction ends: the number is given back if the invoice
 * is not committed, so that none is ever missing.
 */
export async function takeNumber(tx: Queryable, prefix: string, year: number): Promise<bigint> {
  const [row] = await tx.drizzle
    .insert(range)
    .values({ prefix, year, last: 1n })
    .onConflictDoUpdate({ target: [range.prefix, range.year], set: { last: sql`${range.last} + 1` } })
    .returning({ last: range.last });
  if (row === undefined) {
    throw new Error(`the range ${prefix} gave no number`);
  }
  return row.last;
}

export type NewInvoice = {
  readonly number: string;
  readonly prefix: string;
  readonly year: number;
  readonly sequence: bigint;
  readonly kind: "invoice" | "credit_note";
  readonly orderId: bigint;
  /** Of a credit note. */
  readonly refundId: bigint | null;
  readonly currency: string;
  readonly netUsd: Decimal;
  readonly taxUsd: Decimal;
  readonly grossUsd: Decimal;
  /** In percent. */
  readonly taxRate: Decimal;
  readonly locale: string;
  readonly facts: InvoiceFacts;
  readonly issuedAt: Date;
};

export type Invoice = NewInvoice & { readonly id: bigint; readonly orderNo: string };

const columns = { ...getTableColumns(invoice), orderNo: order.orderNo };

const selectInvoices = (db: Queryable) =>
  db.drizzle.select(columns).from(invoice).innerJoin(order, eq(order.id, invoice.orderId));

export async function insertInvoice(tx: Queryable, made: NewInvoice): Promise<void> {
  await tx.drizzle.insert(invoice).values({ ...made });
}

/** The invoice of an order. */
export async function findInvoiceOf(db: Queryable, orderId: bigint): Promise<Invoice | null> {
  const [row] = await selectInvoices(db).where(and(eq(invoice.orderId, orderId), eq(invoice.kind, "invoice")));
  return row ?? null;
}

/** What the credit notes of an order add up to. */
export async function sumCredited(db: Queryable, orderId: bigint): Promise<Decimal> {
  const [row] = await db.drizzle
    .select({ sum: sql<Decimal>`coalesce(sum(${invoice.grossUsd}), 0)::numeric(14, 2)::text` })
    .from(invoice)
    .where(and(eq(invoice.orderId, orderId), eq(invoice.kind, "credit_note")));
  return row?.sum ?? ("0.00" as Decimal);
}

/** The invoice or credit note under a number; of these buyers alone, unless that is null. */
export async function findInvoice(db: Queryable, number: string, place: OrderPlace | null): Promise<Invoice | null> {
  const [row] = await selectInvoices(db).where(
    and(eq(invoice.number, number), place === null ? undefined : ordersOf(place)),
  );
  return row ?? null;
}

/** The invoice of an order and its credit notes, oldest first. */
export async function selectInvoicesOfOrder(db: Queryable, orderId: bigint): Promise<Invoice[]> {
  return await selectInvoices(db).where(eq(invoice.orderId, orderId)).orderBy(asc(invoice.id)).limit(ofOrderMax);
}

/** Invoices and credit notes of a buyer below an id, newest first. */
export async function selectInvoicesOf(
  db: Queryable,
  place: OrderPlace,
  page: { readonly below: bigint | null; readonly limit: number },
): Promise<Invoice[]> {
  return await selectInvoices(db)
    .where(and(ordersOf(place), page.below === null ? undefined : lt(invoice.id, page.below)))
    .orderBy(desc(invoice.id))
    .limit(page.limit);
}
