import { type AdminLocale, isAdminLocale, type Locale, localeOfTag } from "@sluice/contracts/locales";

const cookieName = "SVC_LANG";
const yearSeconds = 31_536_000;
/** Longer headers are cut: a client may send anything. */
const languagesMax = 12;

/** The language of a page: the one in its address, else the one that the user chose before, else the browser's. */
export function pageLocaleOf(request: Request, named: string): Locale {
  const languages = (request.headers.get("accept-language") ?? "").split(",").slice(0, languagesMax);
  for (const tag of [named, rememberedLocale(request), ...languages]) {
    const locale = localeOfTag(tag);
    if (locale !== null) {
      return locale;
    }
  }
  return "en";
}

/** The same of a page of the admin area, which is in English for those who prefer a language that it lacks. */
export function adminLocaleOf(request: Request, named: string): AdminLocale {
  const locale = pageLocaleOf(request, named);
  return isAdminLocale(locale) ? locale : "en";
}

/** The `Set-Cookie` that remembers a language; it contains nothing else, and the console's script reads it. */
export function localeCookie(locale: Locale, isSecure: boolean): string {
  return `${cookieName}=${locale}; Path=/; Max-Age=${yearSeconds}; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}

/** Whether the browser already remembers this language. */
export function remembersLocale(request: Request, locale: Locale): boolean {
  return rememberedLocale(request) === locale;
}

function rememberedLocale(request: Request): string {
  const cookies = (request.headers.get("cookie") ?? "").split(";").map((part) => part.trim());
  return cookies.find((part) => part.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1) ?? "";
}

/** The path of a form, keeping the language of the page that links to it. */
export function formPath(path: string, locale: Locale): string {
  return locale === "en" ? path : `${path}${path.includes("?") ? "&" : "?"}lang=${locale}`;
}
