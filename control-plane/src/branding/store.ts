import type { BrandImageKind, BrandText, LegalPage } from "@sluice/contracts/brand";
import type { LegalVersion } from "@sluice/contracts/branding";
import type { Locale } from "@sluice/contracts/locales";
import { and, desc, eq, inArray, sql } from "drizzle-orm";
import { now, plusOne, toJsonb } from "../db/expressions.ts";
import { brandImage, brandText, legalText } from "../db/schema/branding.ts";
import type { Queryable, Transaction } from "../platform/db.ts";
import type { CurrentLegal, ImageFacts, StoredImage, StoredText } from "./model.ts";

export type Editor = { readonly adminId: bigint; readonly username: string };

export type ImageRow = ImageFacts & { readonly size: number; readonly updatedByName: string; readonly updatedAt: Date };
export type TextRow = StoredText & {
  readonly version: number;
  readonly updatedByName: string;
  readonly updatedAt: Date;
};

const facts = {
  kind: sql<BrandImageKind>`${brandImage.kind}`,
  hash: brandImage.hash,
  contentType: brandImage.contentType,
  width: brandImage.width,
  height: brandImage.height,
};
const imageRow = {
  ...facts,
  size: sql<number>`octet_length(${brandImage.bytes})`,
  updatedByName: brandImage.updatedByName,
  updatedAt: brandImage.updatedAt,
};

export async function listImages(db: Queryable): Promise<ImageRow[]> {
  return await db.drizzle.select(imageRow).from(brandImage).orderBy(brandImage.kind);
}

/** The bytes of some images, by their hashes. */
export async function readImageBytes(
  db: Queryable,
  hashes: readonly string[],
): Promise<Pick<StoredImage, "hash" | "bytes">[]> {
  return await db.drizzle
    .select({ hash: brandImage.hash, bytes: brandImage.bytes })
    .from(brandImage)
    .where(inArray(brandImage.hash, [...hashes]));
}

export async function lockImage(tx: Transaction, kind: BrandImageKind): Promise<ImageRow | null> {
  const [row] = await tx.drizzle.select(imageRow).from(brandImage).where(eq(brandImage.kind, kind)).for("update");
  return row ?? null;
}

export async function removeImage(tx: Transaction, kind: BrandImageKind): Promise<void> {
  await tx.drizzle.delete(brandImage).where(eq(brandImage.kind, kind));
}

/** Stores an image in place of the locked one; null when someone else has added one meanwhile. */
export async function putImage(
  tx: Transaction,
  image: StoredImage,
  { isNew, editor }: { readonly isNew: boolean; readonly editor: Editor },
): Promise<ImageRow | null> {
  const columns = { ...image, updatedBy: editor.adminId, updatedByName: editor.username };
  const [row] = isNew
    ? await tx.drizzle
        .insert(brandImage)
        .values(columns)
        .onConflictDoNothing({ target: brandImage.kind })
        .returning(imageRow)
    : await tx.drizzle
        .update(brandImage)
        .set({ ...columns, version: plusOne(brandImage.version), updatedAt: now })
        .where(eq(brandImage.kind, image.kind))
        .returning(imageRow);
  return row ?? null;
}

const textRow = {
  locale: sql<Locale>`${brandText.locale}`,
  headline: brandText.headline,
  sub_line: brandText.subLine,
  links: sql<BrandText["links"]>`${brandText.links}`,
  version: brandText.version,
  updatedByName: brandText.updatedByName,
  updatedAt: brandText.updatedAt,
};

export async function listTexts(db: Queryable): Promise<TextRow[]> {
  return await db.drizzle.select(textRow).from(brandText).orderBy(brandText.locale);
}

export async function lockText(tx: Transaction, locale: Locale): Promise<TextRow | null> {
  const [row] = await tx.drizzle.select(textRow).from(brandText).where(eq(brandText.locale, locale)).for("update");
  return row ?? null;
}

/** Stores the texts of a language as a new version; null when someone else has added them meanwhile. */
export async function putText(
  tx: Transaction,
  { locale, headline, sub_line, links }: StoredText,
  { isNew, editor }: { readonly isNew: boolean; readonly editor: Editor },
): Promise<TextRow | null> {
  const columns = {
    headline,
    subLine: sub_line,
    links: toJsonb(links),
    updatedBy: editor.adminId,
    updatedByName: editor.username,
  };
  const [row] = isNew
    ? await tx.drizzle
        .insert(brandText)
        .values({ locale, ...columns })
        .onConflictDoNothing({ target: brandText.locale })
        .returning(textRow)
    : await tx.drizzle
        .update(brandText)
        .set({ ...columns, version: plusOne(brandText.version), updatedAt: now })
        .where(eq(brandText.locale, locale))
        .returning(textRow);
  return row ?? null;
}

const legalVersion = {
  page: sql<LegalPage>`${legalText.page}`,
  locale: sql<Locale>`${legalText.locale}`,
  version: legalText.version,
  effective_on: legalText.effectiveOn,
  is_withdrawn: sql<boolean>`${legalText.markdown} = ''`,
  edition: legalText.edition,
  updated_by: legalText.updatedByName,
  updated_at: legalText.updatedAt,
};
const isNewest = [legalText.page, legalText.locale, desc(legalText.version)];

/** The newest version of every page in every language. */
export async function listCurrentLegal(db: Queryable): Promise<CurrentLegal[]> {
  return await db.drizzle
    .selectDistinctOn([legalText.page, legalText.locale], {
      page: legalVersion.page,
      locale: legalVersion.locale,
      markdown: legalText.markdown,
      effectiveOn: legalText.effectiveOn,
      version: legalText.version,
      edition: legalText.edition,
      changes: legalText.changes,
    })
    .from(legalText)
    .orderBy(...isNewest);
}

/** The same without the texts. */
export async function listLegalVersions(db: Queryable): Promise<LegalVersion[]> {
  return await db.drizzle
    .selectDistinctOn([legalText.page, legalText.locale], legalVersion)
    .from(legalText)
    .orderBy(...isNewest);
}

type LegalPlace = { readonly page: LegalPage; readonly locale: Locale };
const versionsShownMax = 100;

/** The versions of one page in one language, the newest first. */
export async function listVersionsOf(
  db: Queryable,
  { page, locale }: LegalPlace,
): Promise<(LegalVersion & { readonly markdown: string; readonly changes: string })[]> {
  return await db.drizzle
    .select({
      ...legalVersion,
      changes: legalText.changes,
      markdown: sql<string>`case when row_number() over (order by ${legalText.version} desc) = 1 then ${legalText.markdown} else '' end`,
    })
    .from(legalText)
    .where(and(eq(legalText.page, page), eq(legalText.locale, locale)))
    .orderBy(desc(legalText.version))
    .limit(versionsShownMax);
}

/** The newest version of a page in a language; null if there is none. */
export async function findNewestLegal(db: Queryable, { page, locale }: LegalPlace): Promise<LegalVersion | null> {
  const [row] = await db.drizzle
    .select(legalVersion)
    .from(legalText)
    .where(and(eq(legalText.page, page), eq(legalText.locale, locale)))
    .orderBy(desc(legalText.version))
    .limit(1);
  return row ?? null;
}

/** Adds a version; null when it exists already. */
export async function addLegal(tx: Transaction, text: CurrentLegal, editor: Editor): Promise<LegalVersion | null> {
  const [row] = await tx.drizzle
    .insert(legalText)
    .values({ ...text, updatedBy: editor.adminId, updatedByName: editor.username })
    .onConflictDoNothing()
    .returning(legalVersion);
  return row ?? null;
}

/** The newest edition of a page in any language; 0 before the first. */
export async function findEdition(db: Queryable, page: LegalPage): Promise<number> {
  const [row] = await db.drizzle
    .select({ edition: sql<number>`coalesce(max(${legalText.edition}), 0)` })
    .from(legalText)
    .where(eq(legalText.page, page));
  return row?.edition ?? 0;
}
