import { sql } from "drizzle-orm";
import { check, date, integer, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { bytes, json, moment, reference } from "../columns.ts";

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
    ...change,
  },
  (table) => [primaryKey({ columns: [table.page, table.locale, table.version] })],
);
