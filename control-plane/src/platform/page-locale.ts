import { type MailLocale, mailLocales } from "@sluice/contracts/mail";

/** A language of the pages. */
export type PageLocale = MailLocale;

const cookieName = "SVC_LANG";
const yearSeconds = 31_536_000;
/** More than that nobody reads; a header may hold anything. */
const wishesMax = 12;

/** The language of a tag such as `pt-BR`; null when there are no pages in it. */
export function knownLocale(tag: string): PageLocale | null {
  const [language = ""] = tag.trim().toLowerCase().split(/[-_;]/);
  return mailLocales.find((locale) => locale === language) ?? null;
}

/** The language to show a page in: the one that its address names, else the one chosen before, else the browser's. */
export function pageLocaleOf(request: Request, named: string): PageLocale {
  const wishes = (request.headers.get("accept-language") ?? "").split(",").slice(0, wishesMax);
  for (const tag of [named, rememberedLocale(request), ...wishes]) {
    const locale = knownLocale(tag);
    if (locale !== null) {
      return locale;
    }
  }
  return "en";
}

/** The `Set-Cookie` that remembers a language; it holds nothing else, and the script of the console reads it. */
export function localeCookie(locale: PageLocale, isSecure: boolean): string {
  return `${cookieName}=${locale}; Path=/; Max-Age=${yearSeconds}; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

/** Whether the browser that asks remembers this language already. */
export function remembersLocale(request: Request, locale: PageLocale): boolean {
  return rememberedLocale(request) === locale;
}

function rememberedLocale(request: Request): string {
  const cookies = (request.headers.get("cookie") ?? "").split(";").map((part) => part.trim());
  return cookies.find((part) => part.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1) ?? "";
}

/** A path of a form, which keeps the language that it is come to from. */
export function formPath(path: string, locale: PageLocale): string {
  return locale === "en" ? path : `${path}${path.includes("?") ? "&" : "?"}lang=${locale}`;
}
