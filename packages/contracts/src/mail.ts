import { z } from "zod";
import { allLocales } from "./locales.ts";
import { strictObject } from "./strict-object.ts";
import { type Unsent, wireCursor, wireInteger, wireMoment } from "./wire.ts";

export const mailTemplateNames = [
  "email_verify",
  "account_exists",
  "password_reset",
  "password_changed",
  "recovery_code_used",
  "sign_in_linked",
  "passkey_added",
  "passkey_removed",
  "passkey_copied",
  "account_closing",
  "account_kept",
  "account_closed",
  "email_change",
  "email_changed",
  "email_restored",
  "approval_waiting",
  "organisation_invitation",
  "payment_success",
  "renewal_failed",
  "renewal_ended",
  "renewal_left",
  "renewal_changes",
  "quota_low",
  "organisation_quota_low",
  "operator_event",
  "webhook_failed",
] as const;

export const mailStatuses = ["queued", "sending", "sent", "dead", "dropped"] as const;
export type MailStatus = (typeof mailStatuses)[number];

const subjectLengthMax = 200;
const textLengthMax = 20_000;
const pageMax = 200;
const readAtOnceMax = 200;
const idMax = 2n ** 63n - 1n;

const id = z
  .union([z.int().positive().transform(String), z.string()])
  .pipe(z.string().regex(/^[1-9]\d{0,18}$/, "not an id"))
  .transform((text) => BigInt(text))
  .refine((value) => value <= idMax, "not an id");

const page = {
  cursor: id.optional(),
  limit: z.coerce.number().int().min(1).max(pageMax).default(50),
};

/** A template in one language. */
const place = { name: z.enum(mailTemplateNames), locale: z.enum(allLocales) };

const singleLine = z
  .string()
  .trim()
  .min(1)
  .max(subjectLengthMax)
  .refine((text) => !/[\p{Cc}\u2028\u2029]/u.test(text), "one line without control characters");
const manyLines = z
  .string()
  .min(1)
  .max(textLengthMax)
  .refine((text) => !text.includes("\0"), "contains a character that can't be stored");

export const mailTemplateInput = z.strictObject(place);

export const saveMailTemplateInput = strictObject(() => ({
  ...place,
  subject: singleLine,
  html: manyLines,
  text: manyLines,
  /** The version that was edited, 0 for the shipped one; without it, the last save wins. */
  version: z.int().min(0).optional(),
}));

/** The fields of a preview; omitted fields are shown as currently saved. */
export const previewMailTemplateInput = strictObject(() => ({
  ...place,
  subject: singleLine.optional(),
  html: manyLines.optional(),
  text: manyLines.optional(),
}));

export const resendMailInput = strictObject(() => ({ id }));

/** Selects the dead emails to resend: all, or those of one template, the oldest first. */
export const resendDeadMailsInput = strictObject(() => ({
  template: z.enum(mailTemplateNames).optional(),
  limit: z.int().min(1).max(1_000).default(1_000),
}));
export const resendDeadMailsResponse = strictObject(() => ({ queued: wireInteger }));

export const inboxInput = z.strictObject(page);

export const readInboxInput = strictObject(() => ({ ids: z.array(id).min(1).max(readAtOnceMax) }));

export const resendMailResponse = strictObject(() => ({ id: wireInteger, status: z.literal("queued") }));

const inboxEntry = strictObject(() => ({
  id: wireInteger,
  template: z.string(),
  subject: z.string(),
  read_at: wireMoment.nullable(),
  created_at: wireMoment,
}));
export type InboxEntry = Unsent<z.output<typeof inboxEntry>>;
export const inboxResponse = strictObject(() => ({
  messages: z.array(inboxEntry),
  unread: wireInteger,
  next_cursor: wireCursor,
}));
export const readInboxResponse = strictObject(() => ({ marked: wireInteger, unread: wireInteger }));

const templateParts = { subject: z.string(), html: z.string(), text: z.string() };
const templateVariables = { variables: z.array(z.string()), required: z.array(z.string()) };
const savedTemplate = strictObject(() => ({ ...place, ...templateParts, version: z.int().min(0) }));

export const mailTemplateListResponse = strictObject(() => ({
  templates: z.array(z.strictObject({ name: place.name, ...templateVariables })),
  /** An admin's replacement for the shipped template. */
  changed: z.array(
    z.strictObject({ name: z.string(), locale: z.string(), version: z.int().min(1), updated_at: wireMoment }),
  ),
}));
export const mailTemplateResponse = strictObject(() => ({
  template: savedTemplate,
  built_in: z.strictObject(templateParts),
  ...templateVariables,
}));
export const savedMailTemplateResponse = strictObject(() => ({ template: savedTemplate }));
export const mailPreviewResponse = strictObject(() => ({ preview: z.strictObject(templateParts) }));
