import { consentPages } from "@sluice/contracts/brand";
import { consentWays } from "@sluice/contracts/consent-ways";
import { sql } from "drizzle-orm";
import { check, date, foreignKey, index, integer, pgTable, primaryKey, text, unique } from "drizzle-orm/pg-core";
import { bytes, id, json, moment, reference } from "../columns.ts";
import { userProfile } from "./accounts.ts";

const change = {
  version: integer("version").notNull().default(1),
  updatedBy: reference("updated_by").notNull(),
  updatedByName: text("updated_by_name").notNull(),
  updatedAt: moment("updated_at").notNull().defaultNow(),
};

/** The operator's images, one of each kind. */
export const brandImage = pgTable(
  "brand_image",
  {
    kind: text("kind").primaryKey(),
    /** Of its bytes; part of its URL. */
    hash: text("hash").notNull(),
    contentType: text("content_type").notNull(),
    width: integer("width").notNull(),
    height: integer("height").notNull(),
    bytes: bytes("bytes").notNull(),
    ...change,
  },
  (table) => [check("brand_image_is_bounded", sql`octet_length(${table.bytes}) between 1 and 262144`)],
);

/** What the operator says on the home page and links in the footer, one row for each language. */
export const brandText = pgTable("brand_text", {
  locale: text("locale").primaryKey(),
  headline: text("headline").notNull(),
  subLine: text("sub_line").notNull(),
  links: json("links").notNull(),
  ...change,
});

/** Every version of the operator's legal pages. The newest one is shown; an empty one withdraws the page. */
export const legalText = pgTable(
  "legal_text",
  {
    page: text("page").notNull(),
    locale: text("locale").notNull(),
    markdown: text("markdown").notNull(),
    effectiveOn: date("effective_on").notNull(),
    /** What users accept: a change that needs consent begins one for the page, in all its languages. 0 before the first. */
    edition: integer("edition").notNull().default(0),
    /** What is different in the edition, as its users are told. */
    changes: text("changes").notNull().default(""),
    ...change,
  },
  (table) => [primaryKey({ columns: [table.page, table.locale, table.version] })],
);

/** Who accepted which edition of a legal page, and the text that they saw. Rows are only added; closing an account clears the address. */
export const legalConsent = pgTable(
  "legal_consent",
  {
    id: id(),
    userId: reference("user_id")
      .notNull()
      .references(() => userProfile.id),
    page: text("page", { enum: consentPages }).notNull(),
    edition: integer("edition").notNull(),
    locale: text("locale").notNull(),
    version: integer("version").notNull(),
    way: text("way", { enum: consentWays }).notNull(),
    ip: text("ip"),
    acceptedAt: moment("accepted_at").notNull().defaultNow(),
  },
  (table) => [
    unique("legal_consent_once").on(table.userId, table.page, table.edition),
    index("legal_consent_edition").on(table.page, table.edition, table.acceptedAt, table.id),
    index("legal_consent_time").on(table.acceptedAt, table.id),
    foreignKey({
      name: "legal_consent_text",
      columns: [table.page, table.locale, table.version],
      foreignColumns: [legalText.page, legalText.locale, legalText.version],
    }),
    check("legal_consent_of_edition", sql`${table.edition} > 0`),
  ],
);
