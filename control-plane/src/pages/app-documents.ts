import { escapeHtml } from "../platform/html.ts";
import { compressedFileOf, type StaticFile } from "../platform/static-file.ts";

/** Where the documents of a build name the service. */
const brandPlace = "{brand}";

/** The documents of the console and the admin area with the name of the service, compressed once for each name. */
export class AppDocuments {
  readonly #made = new Map<StaticFile, { readonly brandName: string; readonly file: Promise<StaticFile> }>();

  /** @param complete adds what this service has besides; always the same for one document */
  find(document: StaticFile, brandName: string, complete = (text: string) => text): Promise<StaticFile> {
    const known = this.#made.get(document);
    if (known?.brandName === brandName) {
      return known.file;
    }
    const text = new TextDecoder().decode(document.bytes).replaceAll(brandPlace, () => escapeHtml(brandName));
    const file = compressedFileOf(complete(text), document.contentType);
    this.#made.set(document, { brandName, file });
    return file;
  }
}
