import { z } from "zod";
import { brandImageKinds, footerLinksMax, imageBytesMax, legalPages } from "./brand.ts";
import { allLocales } from "./locales.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireDay, wireInteger, wireMoment } from "./wire.ts";

/** What admins upload and write so that pages and mails look like their own service. */

export const legalTextLengthMax = 60_000;
export const legalChangesLengthMax = 2_000;

const locale = z.enum(allLocales);
const kind = z.enum(brandImageKinds);
const page = z.enum(legalPages);

export const saveImageInput = strictObject(() => ({
  kind,
  /** The file in base64; null removes the image. */
  file: z
    .base64()
    .max(Math.ceil(imageBytesMax / 3) * 4)
    .nullable(),
  /** The hash of the loaded image; null if there was none. */
  replaces: z.string().max(64).nullable(),
}));
export type SaveImageInput = z.output<typeof saveImageInput>;

const imageView = strictObject(() => ({
  kind,
  hash: z.string(),
  url: z.string(),
  type: z.string(),
  width: z.int(),
  height: z.int(),
  bytes: z.int(),
  updated_by: z.string(),
  updated_at: wireMoment,
}));
export type ImageView = Unsent<z.output<typeof imageView>>;

export const saveTextInput = strictObject(() => ({
  locale,
  headline: z.string().max(120),
  sub_line: z.string().max(300),
  links: z.array(z.strictObject({ label: z.string().max(60), url: z.string().max(300) })).max(footerLinksMax),
  /** The loaded version; 0 if there is no text in this language yet. */
  version: z.int().min(0),
}));
export type SaveTextInput = z.output<typeof saveTextInput>;

const textView = strictObject(() => ({
  locale,
  headline: z.string(),
  sub_line: z.string(),
  links: z.array(z.strictObject({ label: z.string(), url: z.string() })),
  version: z.int(),
  updated_by: z.string(),
  updated_at: wireMoment,
}));
export type TextView = Unsent<z.output<typeof textView>>;

export const saveLegalInput = strictObject(() => ({
  page,
  locale,
  /** Markdown; empty withdraws the text in this language. */
  markdown: z.string().max(legalTextLengthMax),
  effective_on: z.iso.date(),
  /** Begins a new edition, which every user has to accept. Otherwise it is a correction or translation of the current one. */
  asks_consent: z.boolean().default(false),
  /** What is different in this edition, in a few plain sentences; those who are asked read it first. */
  changes: z.string().max(legalChangesLengthMax).default(""),
  /** The loaded version; 0 if there is no text yet. */
  version: z.int().min(0),
}));
export type SaveLegalInput = z.output<typeof saveLegalInput>;

export const legalInput = strictObject(() => ({ page, locale }));
export const previewLegalInput = strictObject(() => ({ markdown: z.string().max(legalTextLengthMax) }));

const legalVersion = strictObject(() => ({
  page,
  locale,
  version: z.int(),
  effective_on: wireDay,
  is_withdrawn: z.boolean(),
  /** What users accept: every change that needs consent begins an edition. 0 before the first. */
  edition: z.int(),
  updated_by: z.string(),
  updated_at: wireMoment,
}));
export type LegalVersion = Unsent<z.output<typeof legalVersion>>;

export const brandingResponse = strictObject(() => ({
  images: z.array(imageView),
  texts: z.array(textView),
  /** The newest version of each page and language. */
  legal: z.array(legalVersion),
}));
export const savedImageResponse = strictObject(() => ({ image: imageView.nullable() }));
export const savedTextResponse = strictObject(() => ({ text: textView }));
export const legalResponse = strictObject(() => ({
  /** Empty if there is none. */
  markdown: z.string(),
  /** What the newest version says is different in its edition. */
  changes: z.string(),
  /** The newest edition of the page, in any language; 0 if nobody was ever asked to accept it. */
  edition: z.int(),
  /** By how many users each edition was accepted, the newest first; 100 at most. */
  editions: z.array(z.strictObject({ edition: z.int(), accepted: wireInteger })),
  /** How many active users have yet to accept the newest edition. */
  waiting: wireInteger,
  /** Every version, the newest first; 100 at most. */
  versions: z.array(legalVersion),
}));
export const savedLegalResponse = strictObject(() => ({ legal: legalVersion }));
/** Markup without scripts, styles and images: what the page will show. */
export const previewedLegalResponse = strictObject(() => ({ html: z.string() }));
