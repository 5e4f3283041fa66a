import { escapeHtml } from "../platform/html.ts";
import { compressedFileOf, type StaticFile } from "../platform/static-file.ts";
import { brandHead, type FormLook } from "./form-page.ts";

/** What the operator gives the documents of a build. */
type DocumentLook = Pick<FormLook, "assets" | "brand" | "announcement">;

/** The documents of the console and the admin area with what the operator gives them, compressed once for each state. */
export class AppDocuments {
  readonly #made = new Map<StaticFile, { readonly state: string; readonly file: Promise<StaticFile> }>();

  /** @param complete adds what this service has besides; always the same for one document */
  find(document: StaticFile, look: DocumentLook, complete = (text: string) => text): Promise<StaticFile> {
    const places = {
      "{brand}": escapeHtml(look.brand.name),
      "{brand-head}": brandHead(look.brand, look.assets?.icon ?? "").toString(),
      "{announcement}": escapeHtml(look.announcement?.text ?? ""),
      "{announcement-url}": escapeHtml(look.announcement?.url ?? ""),
    };
    const state = JSON.stringify(places);
    const known = this.#made.get(document);
    if (known?.state === state) {
      return known.file;
    }
    const text = new TextDecoder()
      .decode(document.bytes)
      .replace(
        /\{(?:brand|brand-head|announcement|announcement-url)\}/g,
        (place) => places[place as keyof typeof places],
      );
    const file = compressedFileOf(complete(text), document.contentType);
    this.#made.set(document, { state, file });
    return file;
  }
}
