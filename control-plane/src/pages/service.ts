import { type Locale, localeOfTag } from "@sluice/contracts/locales";
import { safeNext } from "../accounts/model.ts";
import type { BrandFile } from "../branding/model.ts";
import type { CallerReader, ConsentCheck } from "../platform/endpoint/model.ts";
import { adminLocaleOf, localeCookie, pageLocaleOf, remembersLocale } from "../platform/page-locale.ts";
import { fileOf, fileResponse, type StaticFile, storedFileResponse } from "../platform/static-file.ts";
import { adminLoginPage } from "./account-pages.ts";
import { AppDocuments } from "./app-documents.ts";
import { type FormLook, sitePath } from "./form-page.ts";
import {
  assetHeaders,
  brandFileHeaders,
  currentBrandFileHeaders,
  privatePageHeaders,
  publicPageHeaders,
  socialImageHeaders,
  withSupportWidget,
} from "./page-headers.ts";
import type { SitePages } from "./site-pages.ts";
import { drawSupportWidget } from "./support-widget.ts";
import { type Application, unbuiltPage, type WebBuild } from "./web-build.ts";

export type PagesDeps = {
  /** Null if the web UI is not built, or not served by this process. */
  readonly build: WebBuild | null;
  readonly callers: CallerReader;
  readonly consents: ConsentCheck;
  /** The public pages; null without a build. */
  readonly site: SitePages | null;
  /** The support widget's script, as the catalog has it; null if there is none. */
  readonly supportWidgetUrl: string | null;
  /** What the operator gives every page now. */
  readonly look: () => FormLook;
  /** The operator's file at a path below `/brand/`; null if there is none. */
  readonly brandFile: (path: string) => Promise<BrandFile | null>;
  readonly isDevelopment: boolean;
};

/** Where the console asks for what has to be accepted before anything else. */
const consentPath = "/console/consent/";
const programPaths = /^\/(backend|v1|msgcompat)(\/|$)/;
/** The placeholder for the request id in the error page. */
const requestIdPlace = "00000000-0000-0000-0000-000000000000";

/** Everything that a browser is shown: public pages, the console, the admin area, and the files they load. */
export class Pages {
  readonly #deps: PagesDeps;
  readonly #site: SitePages | null;
  /** The headers of pages with the support widget, if there is one. */
  readonly #headers: { readonly open: typeof publicPageHeaders; readonly uncached: typeof privatePageHeaders };
  readonly #documents = new AppDocuments();

  constructor(deps: PagesDeps) {
    this.#deps = deps;
    const { site, supportWidgetUrl } = deps;
    this.#headers = {
      open: withSupportWidget(publicPageHeaders, supportWidgetUrl),
      uncached: withSupportWidget(privatePageHeaders, supportWidgetUrl),
    };
    this.#site = site;
  }

  /** The response at a path that has no other route; null if it is not a page. */
  async answer(request: Request): Promise<Response | null> {
    const { pathname, search } = new URL(request.url);
    if (programPaths.test(pathname)) {
      return null;
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      return null;
    }
    if (/^\/(?:assets|brand)\//.test(pathname)) {
      return await this.#file(request, pathname);
    }
    if (/^\/admin(\/|$)/.test(pathname)) {
      return await this.#admin(request, pathname + search);
    }
    if (/^\/console(\/|$)/.test(pathname)) {
      return await this.#console(request, pathname + search);
    }
    const form = /^\/(\w\w)\/(login|register|verify-email|reset-password)\/?$/.exec(pathname);
    if (form !== null) {
      // The forms have one path for all languages, and get the language as a parameter.
      const query = new URLSearchParams(search);
      query.set("lang", form[1] ?? "");
      return seeOther(`/${form[2]}/?${query.toString()}`);
    }
    if (pathname === "/__kit" && this.#deps.isDevelopment) {
      return await this.#application(request, this.#deps.build?.kit);
    }
    return await this.#publicPage(request, pathname, search);
  }

  /** A file that pages load: of the build, or the operator's. */
  async #file(request: Request, path: string): Promise<Response | null> {
    if (path.startsWith("/brand/")) {
      const found = await this.#deps.brandFile(path);
      const headers = found?.isFixed === true ? brandFileHeaders : currentBrandFileHeaders;
      return found === null ? null : fileResponse(request, found.file, { headers });
    }
    const file = this.#deps.build?.assets.get(path);
    const headers = path.startsWith("/assets/social/") ? socialImageHeaders : assetHeaders;
    return file === undefined ? null : await storedFileResponse(request, file, { headers });
  }

  /**
   * The page that a person sees in place of a response that failed unexpectedly. Null for programs, which get JSON; for
   * the admin area, which is separate from the site; and until the pages have been rendered.
   */
  failed(request: Request, requestId: string): Response | null {
    const { pathname } = new URL(request.url);
    if (programPaths.test(pathname) || !wantsPage(request)) {
      return null;
    }
    const page = /^\/admin(\/|$)/.test(pathname) ? null : this.#site?.unavailable(pathname);
    if (page === null || page === undefined) {
      return null;
    }
    const text = new TextDecoder().decode(page.bytes).replaceAll(requestIdPlace, requestId);
    const headers = { ...this.#headers.uncached, "x-request-id": requestId };
    return fileResponse(request, fileOf(text, page.contentType), { status: 500, headers });
  }

  /** The page around the description of the API, with its headers; null if the web is not built. */
  async apiFrame(): Promise<{ readonly file: StaticFile; readonly headers: typeof publicPageHeaders } | null> {
    const file = (await this.#site?.apiFrame()) ?? null;
    return file === null ? null : { file, headers: this.#headers.open };
  }

  async #admin(request: Request, path: string): Promise<Response> {
    const admin = await this.#deps.callers.readAdmin(request);
    if (admin === null) {
      const locale = adminLocaleOf(request, "");
      const state = { locale, login: "", next: path, problem: null, asksForCode: false };
      return adminLoginPage(state, 401, this.#deps.look());
    }
    return await this.#application(request, this.#deps.build?.admin, adminLocaleOf(request, admin.locale ?? ""));
  }

  async #console(request: Request, path: string): Promise<Response> {
    const user = await this.#deps.callers.readUser(request);
    if (user === null) {
      return seeOther(`/login/?next=${encodeURIComponent(path)}`);
    }
    const asks = await this.#deps.consents.isOwedBy(user.userId);
    const { pathname, searchParams } = new URL(request.url);
    if (asks !== (pathname === consentPath)) {
      // Who has nothing to accept, in another tab perhaps, continues.
      return seeOther(
        asks ? `${consentPath}?next=${encodeURIComponent(path)}` : safeNext(searchParams.get("next") ?? ""),
      );
    }
    const locale = localeOfTag(user.locale);
    const page = await this.#consolePage(request, pageLocaleOf(request, locale ?? ""));
    // A user's chosen language applies in every browser; the console's script reads it there.
    if (locale !== null && !remembersLocale(request, locale)) {
      page.headers.append("set-cookie", localeCookie(locale, !this.#deps.isDevelopment));
    }
    return page;
  }

  async #consolePage(request: Request, locale: Locale): Promise<Response> {
    const { build, supportWidgetUrl } = this.#deps;
    if (build === null || supportWidgetUrl === null) {
      return await this.#application(request, build?.console, locale);
    }
    const { document, pages } = build.console;
    const file = await this.#documents.find(document, this.#deps.look(), {
      page: pages.find(new URL(request.url).pathname),
      locale,
      complete: (text) => drawSupportWidget(text, supportWidgetUrl, build.supportContext),
    });
    return fileResponse(request, file, { headers: this.#headers.uncached });
  }

  async #application(request: Request, found: Application | undefined, locale: Locale = "en"): Promise<Response> {
    if (found === undefined) {
      return fileResponse(request, unbuiltPage, { status: 503, headers: privatePageHeaders });
    }
    const page = found.pages.find(new URL(request.url).pathname);
    const file = await this.#documents.find(found.document, this.#deps.look(), { page, locale });
    return fileResponse(request, file, { headers: privatePageHeaders });
  }

  async #publicPage(request: Request, path: string, search: string): Promise<Response | null> {
    if (this.#site === null) {
      return path === "/" ? fileResponse(request, unbuiltPage, { headers: publicPageHeaders }) : null;
    }
    const page = await this.#site.find(path);
    const query = new URLSearchParams(search);
    const locale = localeOfTag(query.get("lang") ?? "");
    if (page !== null && locale !== null) {
      query.delete("lang");
      return await this.#chosenLanguage(request, localizedAddress(path, locale, query), locale);
    }
    if (page !== null) {
      return await storedFileResponse(request, page, { headers: this.#headers.open });
    }
    if (!path.endsWith("/") && (await this.#site.find(`${path}/`)) !== null) {
      return new Response(null, {
        status: 308,
        headers: { location: `${path}/${search}`, "cache-control": "no-store" },
      });
    }
    const notFound = wantsPage(request) ? this.#site.notFound(path) : null;
    return notFound === null ? null : fileResponse(request, notFound, { status: 404, headers: this.#headers.uncached });
  }

  /**
   * Redirects to the page in the language that a visitor chose, and remembers it; but never overrides a user's setting.
   */
  async #chosenLanguage(request: Request, location: string, locale: Locale): Promise<Response> {
    const answer = seeOther(location);
    if ((await this.#deps.callers.readUser(request)) === null) {
      answer.headers.append("set-cookie", localeCookie(locale, !this.#deps.isDevelopment));
    }
    return answer;
  }
}

/** The same page in another language. */
function localizedAddress(path: string, locale: Locale, query: URLSearchParams): string {
  const [, prefix = ""] = /^\/([a-z]{2})\//.exec(path) ?? [];
  const bare = localeOfTag(prefix) === null ? path : path.slice(prefix.length + 1);
  return `${sitePath(bare, locale)}${query.size === 0 ? "" : `?${query.toString()}`}`;
}

function seeOther(location: string): Response {
  return new Response(null, { status: 303, headers: { location, "cache-control": "no-store" } });
}

/** Whether the request comes from a browser rather than a program, which gets JSON. */
function wantsPage(request: Request): boolean {
  return /\btext\/html\b/i.test(request.headers.get("accept") ?? "");
}
