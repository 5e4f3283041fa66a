import { consentPages } from "@sluice/contracts/brand";
import type { LegalVersion, SaveImageInput, SaveLegalInput, SaveTextInput } from "@sluice/contracts/branding";
import { isOneLine, isSafeLink } from "@sluice/contracts/shown-texts";
import type { AuditOrigin } from "../admin/audit/model.ts";
import { audit } from "../admin/audit/service.ts";
import type { Database } from "../platform/db.ts";
import { takeAdvisoryLock } from "../platform/db-locks.ts";
import { notify } from "../platform/db-notifications.ts";
import { AppError } from "../platform/errors.ts";
import { readImage } from "./read-image.ts";
import { brandingChannel } from "./service.ts";
import {
  addLegal,
  type Editor,
  findEdition,
  findNewestLegal,
  type ImageRow,
  lockImage,
  lockText,
  putImage,
  putText,
  removeImage,
  type TextRow,
} from "./store.ts";

export type SaveBy = { readonly editor: Editor; readonly origin: AuditOrigin };

/**
 * Stores or removes an image.
 * @throws AppError `invalid_value`, and `conflict` when it has changed since it was loaded
 */
export async function saveImage(
  db: Database,
  input: SaveImageInput,
  { editor, origin }: SaveBy,
): Promise<ImageRow | null> {
  const { kind, file, replaces } = input;
  const image = file === null ? null : readImage(kind, file);
  return await db.withTransaction(async (tx) => {
    const before = await lockImage(tx, kind);
    if ((before?.hash ?? null) !== replaces) {
      throw new AppError("conflict");
    }
    const after = image === null ? null : await putImage(tx, image, { isNew: before === null, editor });
    if (image === null) {
      await removeImage(tx, kind);
    } else if (after === null) {
      throw new AppError("conflict");
    }
    await audit(tx, origin, "brand_image.save", {
      subjectKind: "brand_image",
      subjectId: kind,
      before: shownImage(before),
      after: shownImage(after),
    });
    await notify(tx, brandingChannel, "");
    return after;
  });
}

/** The log names an image by its hash. */
function shownImage(row: ImageRow | null): object | null {
  return row === null ? null : { hash: row.hash, contentType: row.contentType, size: row.size };
}

/**
 * Stores what the operator says in a language.
 * @throws AppError `invalid_value`, and `conflict` when it has changed since it was loaded
 */
export async function saveText(db: Database, input: SaveTextInput, { editor, origin }: SaveBy): Promise<TextRow> {
  const { version, ...written } = input;
  const text = {
    locale: written.locale,
    headline: written.headline.trim(),
    sub_line: written.sub_line.trim(),
    links: written.links.map(({ label, url }) => ({ label: label.trim(), url: url.trim() })),
  };
  const fields = faultsOfText(text);
  if (Object.keys(fields).length > 0) {
    throw new AppError("invalid_value", { fields });
  }
  return await db.withTransaction(async (tx) => {
    const before = await lockText(tx, text.locale);
    const after =
      (before?.version ?? 0) === version ? await putText(tx, text, { isNew: before === null, editor }) : null;
    if (after === null) {
      throw new AppError("conflict");
    }
    await audit(tx, origin, "brand_text.save", {
      subjectKind: "brand_text",
      subjectId: text.locale,
      before: before === null ? null : { headline: before.headline, sub_line: before.sub_line, links: before.links },
      after: text,
    });
    await notify(tx, brandingChannel, "");
    return after;
  });
}

function faultsOfText({ headline, sub_line, links }: Omit<SaveTextInput, "version">): Record<string, string> {
  const oneLine = "Remove line breaks and invisible characters, such as direction marks.";
  const isUnfit = links.some(({ label, url }) => label === "" || !isOneLine(label) || !isSafeLink(url));
  return {
    ...(isOneLine(headline) ? {} : { headline: oneLine }),
    ...(isOneLine(sub_line) ? {} : { sub_line: oneLine }),
    ...(isUnfit
      ? { links: "Each link needs a label, and a URL that begins with https:// or a path of this site such as /docs/." }
      : {}),
  };
}

/**
 * Adds a version of a legal page; earlier ones stay. A change that needs consent begins an edition of the page, any other belongs to
 * the newest one.
 * @throws AppError `conflict` when there is a newer version than the loaded one, or nothing to withdraw; `invalid_value`
 */
export async function saveLegal(
  db: Database,
  input: SaveLegalInput,
  { editor, origin }: SaveBy,
): Promise<LegalVersion> {
  const { page, locale, effective_on, asks_consent } = input;
  const markdown = input.markdown.trim();
  const changes = input.changes.trim();
  return await db.withTransaction(async (tx) => {
    // Two changes in different languages must not begin the same edition.
    await takeAdvisoryLock(tx, `legal page ${page}`);
    const newest = await findEdition(tx, page);
    const fields = faultsOfEdition({ ...input, markdown, changes }, newest);
    if (Object.keys(fields).length > 0) {
      throw new AppError("invalid_value", { fields });
    }
    const before = await findNewestLegal(tx, input);
    const isCurrent = (before?.version ?? 0) === input.version;
    if (!isCurrent || (markdown === "" && before?.is_withdrawn !== false)) {
      throw new AppError("conflict");
    }
    const edition = asks_consent ? newest + 1 : newest;
    const next = { page, locale, markdown, effectiveOn: effective_on, version: input.version + 1, edition, changes };
    const after = await addLegal(tx, next, editor);
    if (after === null) {
      throw new AppError("conflict");
    }
    await audit(tx, origin, "legal_text.save", {
      subjectKind: "legal_text",
      subjectId: `${page}/${locale}`,
      before: before === null ? null : shownVersion(before),
      after: { ...shownVersion(after), ...(changes === "" ? {} : { changes }) },
    });
    await notify(tx, brandingChannel, "");
    return after;
  });
}

function shownVersion({ version, effective_on, is_withdrawn, edition }: LegalVersion): object {
  return { version, effective_on, is_withdrawn, edition };
}

/** Who is asked to accept an edition must be able to read it and, from the second on, what is different. */
function faultsOfEdition(
  { page, markdown, changes, asks_consent }: SaveLegalInput,
  newest: number,
): Record<string, string> {
  if (!asks_consent) {
    return {};
  }
  const isAccepted = consentPages.some((each) => each === page);
  return {
    ...(isAccepted && markdown !== ""
      ? {}
      : { asks_consent: "Users can only be asked to accept terms or a privacy policy with a text." }),
    ...(newest > 0 && changes === "" ? { changes: "Say what is different from what users have accepted." } : {}),
  };
}
