import type { AppPage } from "@sluice/contracts/app-page";
import { escapeHtml } from "../platform/html.ts";

const parameter = /:\w+/g;

/** The pages of an application, found by their addresses. */
export class AppPages {
  readonly #plain: ReadonlyMap<string, AppPage>;
  readonly #patterns: readonly { readonly pattern: RegExp; readonly page: AppPage }[];

  constructor(pages: readonly AppPage[]) {
    this.#plain = new Map(pages.map((page) => [page.path, page]));
    this.#patterns = pages
      .filter(({ path }) => path.includes(":"))
      .map((page) => ({ page, pattern: new RegExp(`^${page.path.replaceAll(parameter, "[^/]+")}$`) }));
  }

  /** Null if there is none: the application itself then says so. */
  find(path: string): AppPage | null {
    const whole = path.endsWith("/") ? path : `${path}/`;
    return this.#plain.get(whole) ?? this.#patterns.find(({ pattern }) => pattern.test(whole))?.page ?? null;
  }
}

/** What the document of a page names, so that a browser loads all of it at the same time: in the places of the document. */
export function placesOf(page: AppPage | null, locale: string): Readonly<Record<string, string>> {
  const modules = [...(page?.modules ?? []), ...(page?.texts[locale] ?? [])];
  return {
    "{page-files}": [
      ...(page?.styles ?? []).map((file) => `<link rel="stylesheet" href="${file}">`),
      ...modules.map((file) => `<link rel="modulepreload" href="${file}" fetchpriority="low">`),
    ].join("\n"),
    "{page-head}": page?.heads[locale] ?? "",
    "{page-requests}": escapeHtml((page?.requests ?? []).join(" ")),
    "{frame-requests}": escapeHtml((page?.frameRequests ?? []).join(" ")),
  };
}
