import type { Locale } from "@sluice/contracts/locales";
import { and, asc, eq } from "drizzle-orm";
import { now, plusOne } from "../../db/expressions.ts";
import { mailTemplate as template } from "../../db/schema/mail.ts";
import type { Queryable, Transaction } from "../../platform/db.ts";
import type { MailTemplateName } from "../model.ts";
import type { TemplateSource } from "./layout.ts";

export type SavedTemplate = TemplateSource & { readonly version: number; readonly updatedAt: Date };

type TemplatePlace = { readonly name: MailTemplateName; readonly locale: Locale };

const saved = {
  subject: template.subject,
  html: template.html,
  text: template.text,
  version: template.version,
  updatedAt: template.updatedAt,
};

const isAt = ({ name, locale }: TemplatePlace) => and(eq(template.name, name), eq(template.locale, locale));

/** An admin's replacement for the shipped template, or null. */
export async function findTemplate(
  db: Queryable,
  name: MailTemplateName,
  locale: Locale,
): Promise<SavedTemplate | null> {
  const [row] = await db.drizzle.select(saved).from(template).where(isAt({ name, locale }));
  return row ?? null;
}

/**
 * Saves the template as the version after `seenVersion` (0: there was none).
 * @returns null when someone else has saved in the meantime
 */
export async function saveTemplate(
  tx: Transaction,
  place: TemplatePlace,
  { subject, html, text }: TemplateSource,
  seenVersion: number,
): Promise<SavedTemplate | null> {
  const [row] =
    seenVersion === 0
      ? await tx.drizzle
          .insert(template)
          .values({ ...place, subject, html, text })
          .onConflictDoNothing({ target: [template.name, template.locale] })
          .returning(saved)
      : await tx.drizzle
          .update(template)
          .set({ subject, html, text, version: plusOne(template.version), updatedAt: now })
          .where(and(isAt(place), eq(template.version, seenVersion)))
          .returning(saved);
  return row ?? null;
}

/** The templates that have been changed, and their versions. */
export async function listSavedTemplates(
  db: Queryable,
): Promise<{ readonly name: string; readonly locale: string; readonly version: number; readonly updatedAt: Date }[]> {
  return await db.drizzle
    .select({ name: template.name, locale: template.locale, version: template.version, updatedAt: template.updatedAt })
    .from(template)
    .orderBy(asc(template.name), asc(template.locale));
}
