import type { AppPage } from "@sluice/contracts/app-page";
import { directionOf, type Locale } from "@sluice/contracts/locales";
import { escapeHtml } from "../platform/html.ts";
import { compressedFileOf, type StaticFile } from "../platform/static-file.ts";
import { placesOf } from "./app-pages.ts";
import { announcementLine, brandHead, brandMark, type FormLook } from "./form-page.ts";

/** What the operator gives the documents of a build. */
type DocumentLook = Pick<FormLook, "assets" | "brand" | "announcement">;

type MadeDocument = { readonly state: string; readonly file: Promise<StaticFile> };

type DocumentOptions = {
  /** The page that is opened; null for an address without one. */
  readonly page?: AppPage | null;
  readonly locale?: Locale;
  readonly complete?: (text: string) => string;
};

/**
 * The documents of the console and the admin area with what the operator gives them, compressed once for each page, state and
 * language.
 */
export class AppDocuments {
  readonly #made = new Map<StaticFile, Map<string, MadeDocument>>();

  /**
   * @param locale the language that the document says it is in
   * @param complete adds what this service has besides; always the same for one document
   */
  find(
    document: StaticFile,
    look: DocumentLook,
    { page = null, locale = "en", complete = (text: string) => text }: DocumentOptions = {},
  ): Promise<StaticFile> {
    const places: Readonly<Record<string, string>> = {
      ...placesOf(page, locale),
      "{brand}": escapeHtml(look.brand.name),
      "{brand-head}": brandHead(look.brand, look.assets?.icon ?? "").toString(),
      "{brand-mark}": brandMark.toString(),
      "{announcement-line}": announcementLine(look.announcement)?.toString() ?? "",
      "{announcement}": escapeHtml(look.announcement?.text ?? ""),
      "{announcement-url}": escapeHtml(look.announcement?.url ?? ""),
    };
    const state = JSON.stringify(places);
    const made = this.#made.get(document) ?? new Map<string, MadeDocument>();
    this.#made.set(document, made);
    const name = `${locale} ${page?.path ?? ""}`;
    const known = made.get(name);
    if (known?.state === state) {
      return known.file;
    }
    const text = new TextDecoder()
      .decode(document.bytes)
      .replace('<html lang="en" dir="ltr"', `<html lang="${locale}" dir="${directionOf(locale)}"`)
      .replace(/\{[a-z-]+\}/g, (place) => places[place] ?? place);
    const file = compressedFileOf(complete(text), document.contentType);
    made.set(name, { state, file });
    return file;
  }
}
