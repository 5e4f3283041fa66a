import type { Locale } from "@sluice/contracts/locales";
import type { Queryable, Transaction } from "../../platform/db.ts";
import type { MailTemplateName } from "../model.ts";
import type { TemplateSource } from "./layout.ts";

export type SavedTemplate = TemplateSource & { readonly version: number; readonly updatedAt: Date };

type Row = { subject: string; html: string; text: string; version: number; updated_at: Date };

/** An admin's replacement for the shipped template, or null. */
export async function findTemplate(
  db: Queryable,
  name: MailTemplateName,
  locale: Locale,
): Promise<SavedTemplate | null> {
  const [row] = await db.sql<Row>`
    select subject, html, text, version, updated_at from mail_template where name = ${name} and locale = ${locale}`;
  return row === undefined ? null : fromRow(row);
}

/**
 * Saves the template as the version after `seenVersion` (0: there was none).
 * @returns null when someone else has saved in the meantime
 */
export async function saveTemplate(
  tx: Transaction,
  place: { readonly name: MailTemplateName; readonly locale: Locale },
  { subject, html, text }: TemplateSource,
  seenVersion: number,
): Promise<SavedTemplate | null> {
  const [row] =
    seenVersion === 0
      ? await tx.sql<Row>`
          insert into mail_template (name, locale, subject, html, text)
          values (${place.name}, ${place.locale}, ${subject}, ${html}, ${text})
          on conflict (name, locale) do nothing
          returning subject, html, text, version, updated_at`
      : await tx.sql<Row>`
          update mail_template set subject = ${subject}, html = ${html}, text = ${text}, version = version + 1,
            updated_at = now()
          where name = ${place.name} and locale = ${place.locale} and version = ${seenVersion}::int
          returning subject, html, text, version, updated_at`;
  return row === undefined ? null : fromRow(row);
}

/** The templates that have been changed, and their versions. */
export async function listSavedTemplates(
  db: Queryable,
): Promise<{ readonly name: string; readonly locale: string; readonly version: number; readonly updatedAt: Date }[]> {
  const rows = await db.sql<{ name: string; locale: string; version: number; updated_at: Date }>`
    select name, locale, version, updated_at from mail_template order by name, locale`;
  return rows.map(({ updated_at: updatedAt, ...row }) => ({ ...row, updatedAt }));
}

function fromRow({ updated_at: updatedAt, ...row }: Row): SavedTemplate {
  return { ...row, updatedAt };
}
