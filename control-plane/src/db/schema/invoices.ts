import type { InvoiceFacts, TaxRule } from "@sluice/contracts/invoices";
import type { Decimal } from "@sluice/contracts/money";
import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  numeric,
  pgTable,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { id, json, lifecycle, moment, reference } from "../columns.ts";
import { userProfile } from "./accounts.ts";
import { refund, salesOrder } from "./billing.ts";
import { organisation } from "./organisations.ts";

const usd = (name: string) => numeric(name, { precision: 14, scale: 2 }).$type<Decimal>();
const percent = (name: string) => numeric(name, { precision: 7, scale: 4 }).$type<Decimal>();

/** Append-only: what the operator puts on invoices, and how sales are taxed. The newest row counts; none means no invoices. */
export const invoiceTerms = pgTable(
  "invoice_terms",
  {
    id: id(),
    /** Whether new orders get invoices. */
    isOn: boolean("is_on").notNull(),
    invoicePrefix: text("invoice_prefix").notNull(),
    creditPrefix: text("credit_prefix").notNull(),
    sellerName: text("seller_name").notNull(),
    sellerAddress: text("seller_address").notNull(),
    sellerCountry: text("seller_country").notNull(),
    sellerTaxId: text("seller_tax_id").notNull().default(""),
    sellerEmail: text("seller_email").notNull().default(""),
    taxName: text("tax_name").notNull(),
    /** Whether prices include the tax, or it is added to them. */
    taxMode: text("tax_mode", { enum: ["inclusive", "exclusive"] }).notNull(),
    /** In percent; for buyers whom no rule is for. */
    taxRate: percent("tax_rate").notNull(),
    taxRules: json("tax_rules").$type<readonly TaxRule[]>().notNull(),
    note: text("note").notNull().default(""),
    createdBy: text("created_by").notNull(),
    createdAt: moment("created_at").notNull().defaultNow(),
  },
  (table) => [
    check("invoice_terms_ranges", sql`${table.invoicePrefix} <> ${table.creditPrefix}`),
    check("invoice_terms_rate", sql`${table.taxRate} >= 0 and ${table.taxRate} <= 100`),
  ],
);

/** What a buyer wants on invoices: a person, or an organisation. */
export const buyerData = pgTable(
  "buyer_data",
  {
    id: id(),
    userId: reference("user_id")
      .unique()
      .references(() => userProfile.id),
    organisationId: reference("organisation_id")
      .unique()
      .references(() => organisation.id),
    name: text("name").notNull(),
    address: text("address").notNull(),
    country: text("country").notNull(),
    taxId: text("tax_id").notNull().default(""),
    ...lifecycle,
  },
  (table) => [check("buyer_data_of_one", sql`num_nonnulls(${table.userId}, ${table.organisationId}) = 1`)],
);

/** The last number of each range. The transaction that takes the next one keeps the row locked until the invoice is committed. */
export const invoiceRange = pgTable(
  "invoice_range",
  {
    id: id(),
    prefix: text("prefix").notNull(),
    year: integer("year").notNull(),
    last: bigint("last", { mode: "bigint" }).notNull(),
  },
  (table) => [unique("invoice_range_once").on(table.prefix, table.year)],
);

/** Append-only: invoices and credit notes, with everything that is printed on them. */
export const invoice = pgTable(
  "invoice",
  {
    id: id(),
    number: text("number").notNull().unique(),
    prefix: text("prefix").notNull(),
    year: integer("year").notNull(),
    sequence: bigint("sequence", { mode: "bigint" }).notNull(),
    kind: text("kind", { enum: ["invoice", "credit_note"] }).notNull(),
    orderId: reference("order_id")
      .notNull()
      .references(() => salesOrder.id),
    /** Of a credit note. */
    refundId: reference("refund_id")
      .unique()
      .references(() => refund.id),
    currency: text("currency").notNull(),
    netUsd: usd("net_usd").notNull(),
    taxUsd: usd("tax_usd").notNull(),
    grossUsd: usd("gross_usd").notNull(),
    taxRate: percent("tax_rate").notNull(),
    locale: text("locale").notNull(),
    facts: json("facts").$type<InvoiceFacts>().notNull(),
    issuedAt: moment("issued_at").notNull(),
  },
  (table) => [
    unique("invoice_in_range").on(table.prefix, table.year, table.sequence),
    uniqueIndex("invoice_of_order").on(table.orderId).where(sql`${table.kind} = 'invoice'`),
    index("invoice_by_order").on(table.orderId),
    index("invoice_issued").on(table.issuedAt, table.id),
    index("invoice_credit_notes").on(table.issuedAt, table.id).where(sql`${table.kind} = 'credit_note'`),
    index("invoice_by_amount").on(table.grossUsd, table.id),
    check("invoice_refund", sql`(${table.kind} = 'credit_note') = (${table.refundId} is not null)`),
    check(
      "invoice_amounts",
      sql`${table.grossUsd} = ${table.netUsd} + ${table.taxUsd} and ${table.netUsd} >= 0 and ${table.taxUsd} >= 0`,
    ),
  ],
);
