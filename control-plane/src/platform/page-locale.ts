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
  const cookies = (request.headers.get("cookie") ?? "").split(";").map((part) => part.trim());
  const chosen = cookies.find((part) => part.startsWith(`${cookieName}=`))?.slice(cookieName.length + 1) ?? "";
  const wishes = (request.headers.get("accept-language") ?? "").split(",").slice(0, wishesMax);
  for (const tag of [named, chosen, ...wishes]) {
    const locale = knownLocale(tag);
    if (locale !== null) {
      return locale;
    }
  }
  return "en";
}

/** The `Set-Cookie` that remembers a language; it holds nothing else. */
export function localeCookie(locale: PageLocale, isSecure: boolean): string {
  return `${cookieName}=${locale}; Path=/; Max-Age=${yearSeconds}; HttpOnly; SameSite=Lax${isSecure ? "; Secure" : ""}`;
}
