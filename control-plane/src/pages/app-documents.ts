import type { Locale } from "@sluice/contracts/locales";
import { escapeHtml } from "../platform/html.ts";
import { compressedFileOf, type StaticFile } from "../platform/static-file.ts";
import { brandHead, type FormLook } from "./form-page.ts";

/** What the operator gives the documents of a build. */
type DocumentLook = Pick<FormLook, "assets" | "brand" | "announcement">;

type MadeDocument = { readonly state: string; readonly file: Promise<StaticFile> };

type DocumentOptions = { readonly locale?: Locale; readonly complete?: (text: string) => string };

/** The documents of the console and the admin area with what the operator gives them, compressed once for each state and language. */
export class AppDocuments {
  readonly #made = new Map<StaticFile, Map<Locale, MadeDocument>>();

  /**
   * @param locale the language that the document says it is in
   * @param complete adds what this service has besides; always the same for one document
   */
  find(
    document: StaticFile,
    look: DocumentLook,
    { locale = "en", complete = (text: string) => text }: DocumentOptions = {},
  ): Promise<StaticFile> {
    const places = {
      "{brand}": escapeHtml(look.brand.name),
      "{brand-head}": brandHead(look.brand, look.assets?.icon ?? "").toString(),
      "{announcement}": escapeHtml(look.announcement?.text ?? ""),
      "{announcement-url}": escapeHtml(look.announcement?.url ?? ""),
    };
    const state = JSON.stringify(places);
    const byLocale = this.#made.get(document) ?? new Map<Locale, MadeDocument>();
    this.#made.set(document, byLocale);
    const known = byLocale.get(locale);
    if (known?.state === state) {
      return known.file;
    }
    const text = new TextDecoder()
      .decode(document.bytes)
      .replace('<html lang="en"', `<html lang="${locale}"`)
      .replace(
        /\{(?:brand|brand-head|announcement|announcement-url)\}/g,
        (place) => places[place as keyof typeof places],
      );
    const file = compressedFileOf(complete(text), document.contentType);
    byLocale.set(locale, { state, file });
    return file;
  }
}
