import { z } from "zod";
import { consentPages } from "./brand.ts";
import { consentWays } from "./consent-ways.ts";
import { choiceOf, idText, listContract } from "./lists.ts";
import { allLocales } from "./locales.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireDay, wireInteger, wireMoment } from "./wire.ts";

/** Legal pages that users accept, and who accepted what. */

const page = z.enum(consentPages);
const locale = z.enum(allLocales);
const edition = z.int().min(1).max(1_000_000);

const askedConsent = strictObject(() => ({
  page,
  edition: z.int(),
  /** The language of the text, and its version in that language. */
  locale,
  version: z.int(),
  effective_on: wireDay,
  /** Markup without scripts, styles and images. */
  html: z.string(),
  /** What is different in this edition, in the operator's words; empty if nothing was written. */
  changes: z.string(),
  /** The edition that the user accepted last; null for none. */
  before: z.strictObject({ edition: z.int(), locale, accepted_at: wireMoment, html: z.string() }).nullable(),
}));
export type AskedConsent = Unsent<z.output<typeof askedConsent>>;

/** What the user has to accept before anything else; nothing if that is done. */
export const consentsResponse = strictObject(() => ({ asked: z.array(askedConsent) }));

export const acceptConsentsInput = strictObject(() => ({
  /** The texts that were shown. */
  accepts: z
    .array(z.strictObject({ page, edition, locale, version: z.int().min(1).max(1_000_000) }))
    .min(1)
    .max(consentPages.length)
    .refine((accepts) => new Set(accepts.map((each) => each.page)).size === accepts.length, "each page once"),
  /** The path that the user was on the way to. */
  next: z.string().max(2_000).default(""),
}));
export type AcceptConsentsInput = z.output<typeof acceptConsentsInput>;

export const consentList = listContract({
  name: "consents",
  rowId: "consent_id",
  row: strictObject(() => ({
    consent_id: wireInteger,
    user_id: wireInteger,
    email: z.string(),
    page,
    edition: z.int(),
    /** The language of the text that was accepted, and its version. */
    locale,
    version: z.int(),
    way: z.enum(consentWays),
    /** Null once the account is closed. */
    ip: z.string().nullable(),
    accepted_at: wireMoment,
  })),
  filters: {
    consent_id: idText,
    user_id: idText,
    page: choiceOf(consentPages),
    edition: idText,
    locale: choiceOf(allLocales),
    way: choiceOf(consentWays),
  },
  sorts: ["accepted_at"],
  defaultSort: "-accepted_at",
});
