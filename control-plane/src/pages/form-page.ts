/** Building blocks of the form pages, which work without JavaScript. */
import { type Announcement, type Brand, type LegalPage, legalPages } from "@sluice/contracts/brand";
import { localeNames } from "@sluice/contracts/locale-names";
import { allLocales, directionOf, type Locale } from "@sluice/contracts/locales";
import type { FormProblem } from "../platform/form-problem.ts";
import { type Html, html } from "../platform/html.ts";
import { formTexts } from "./form-texts/messages.ts";
import { privatePageHeaders } from "./page-headers.ts";
import type { FormAssets } from "./web-build.ts";

/** What every form shows, whatever it is for. */
export type FormLook = {
  /** Null if the web UI is not built; the forms are then unstyled. */
  readonly assets: FormAssets | null;
  readonly brand: Brand;
  /** What is announced now; null if nothing is. */
  readonly announcement: Announcement | null;
};

export type FormPage = {
  readonly locale: Locale;
  readonly title: string;
  readonly body: Html;
  readonly status: number;
  readonly look: FormLook;
  /** The path of this page, to which a language is added; null if there is no choice of languages. */
  readonly address: string | null;
  readonly area?: "admin";
  /** Whether visits are counted here: only on public pages whose address holds no secret. */
  readonly isCounted?: boolean;
  /** Further scripts that the page needs, by their paths. */
  readonly scripts?: readonly string[];
};

export const brandMark = html`<svg class="brand-mark" viewBox="0 0 18 18" fill="none" stroke="currentColor" stroke-width="2" aria-hidden="true"><path d="M2 2v14M16 2v14M5.5 5.5h7M5.5 9h4.5M5.5 12.5h2"/></svg>`;
const globe = html`<svg class="icon" width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM2 8h12M8 2c2 2 2.5 4 2.5 6S10 12 8 14c-2-2-2.5-4-2.5-6S6 4 8 2z"/></svg>`;

/** A path of the public site in a language. */
export function sitePath(path: string, locale: Locale): string {
  return locale === "en" ? path : `/${locale}${path}`;
}

const moduleScript = (path: string): Html => html`<script type="module" src="${path}"></script>`;

function head({ title, look: { assets, brand }, isCounted, scripts = [] }: FormPage): Html {
  const loaded =
    assets === null
      ? null
      : html`<script src="${assets.boot}"></script>
<link rel="stylesheet" href="${assets.stylesheet}">
${brandHead(brand, assets.icon)}
${(isCounted === true ? [assets.landing, ...scripts] : scripts).map(moduleScript)}`;
  return html`<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title} - ${brand.name}</title>
${loaded}
</head>`;
}

/** The icon, and what the operator changes of the look. */
export function brandHead({ icon, stylesheet }: Brand, shippedIcon: string): Html {
  const look = stylesheet === null ? null : html`\n<link rel="stylesheet" href="${stylesheet}">`;
  return html`<link rel="icon" href="${icon?.url ?? shippedIcon}" type="${icon?.type ?? "image/svg+xml"}">${look}`;
}

/** This page in every language, in a popover that needs no JavaScript. */
function languageSwitcher(current: Locale, address: string): Html {
  const link = (locale: Locale): Html => {
    const href = `${address}${address.includes("?") ? "&" : "?"}lang=${locale}`;
    const isCurrent = locale === current ? html` aria-current="true"` : null;
    return html`<li><a class="menu-item" href="${href}" hreflang="${locale}" lang="${locale}" dir="${directionOf(locale)}"${isCurrent}>${localeNames[locale]}</a></li>`;
  };
  return html`<button type="button" class="button" data-variant="quiet" popovertarget="languages" aria-label="${formTexts[current].language}: ${localeNames[current]}">${globe}<span>${localeNames[current]}</span></button>
<div id="languages" class="float languages" popover="auto"><ul class="plain-list">${allLocales.map(link)}</ul></div>`;
}

/** The whole response. */
export function formPage(page: FormPage): Response {
  const { locale, title, body, status, address, area, look } = page;
  const document = html`<!doctype html>
<html lang="${locale}" dir="${directionOf(locale)}">
${head(page)}
<body class="form-page"${area === undefined ? null : html` data-area="${area}"`}>
${announcementLine(look.announcement)}<header><a class="brand" href="${sitePath("/", locale)}">${brandMark}<bdi>${look.brand.name}</bdi></a>
${address === null ? null : languageSwitcher(locale, address)}</header>
<main>
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`;
  const headers = { ...privatePageHeaders, "content-type": "text/html; charset=utf-8" };
  return new Response(document.toString(), { status, headers });
}

/** The operator's announcement, which may be in any language. */
export function announcementLine(announcement: Announcement | null): Html | null {
  if (announcement === null) {
    return null;
  }
  const { text, url } = announcement;
  return html`<p class="announcement" dir="auto">${url === "" ? text : html`<a href="${url}">${text}</a>`}</p>\n`;
}

/** Links to the operator's legal pages; null if there are none. */
export function legalLinks(brand: Brand, locale: Locale): Html | null {
  const links = legalAnchors(brand, locale, { pages: legalPages, isOpenedBeside: false });
  return links.length === 0 ? null : html`<p class="form-more">${separated(links, " · ")}</p>`;
}

/** Parts of a page with something between them. */
export function separated(parts: readonly Html[], separator: string): Html {
  return html`${parts.map((part, index) => html`${index === 0 ? "" : separator}${part}`)}`;
}

/** Links to these legal pages, as far as there are any. Beside a form, they must not lose what was typed. */
export function legalAnchors(
  { legal }: Brand,
  locale: Locale,
  { pages, isOpenedBeside }: { readonly pages: readonly LegalPage[]; readonly isOpenedBeside: boolean },
): Html[] {
  const texts = formTexts[locale].legal;
  const target = isOpenedBeside ? html` target="_blank" rel="noopener"` : null;
  return legal
    .filter(({ page }) => pages.includes(page))
    .map(({ page, url, is_translated }) => {
      const address = is_translated ? sitePath(url, locale) : url;
      return html`<a href="${address}"${target}>${texts[page]}</a>`;
    });
}

/** The message above a form about what went wrong. */
export function problemNotice(problem: string | null): Html | null {
  return problem === null ? null : html`<p class="notice" data-tone="bad" role="alert">${problem}</p>`;
}

/** A success message above a form. */
export function goodNotice(notice: string | null): Html | null {
  return notice === null ? null : html`<p class="notice" data-tone="ok" role="status">${notice}</p>`;
}

/** The message about what went wrong, in the language of the page. */
export function problemText(problem: FormProblem | null, locale: Locale): string | null {
  if (problem === null) {
    return null;
  }
  const texts: Readonly<Record<string, string>> = formTexts[locale].problems;
  const text = Object.hasOwn(texts, problem.code) ? texts[problem.code] : undefined;
  const minutes = Math.max(1, Math.ceil((problem.retryAfterSeconds ?? 60) / 60));
  return (text ?? formTexts[locale].problems.other).replace("{minutes}", String(minutes));
}

/** A field with its label. */
export function formField(name: string, label: string | Html, attributes: Html, hint = ""): Html {
  const described = hint === "" ? null : html` aria-describedby="${name}-hint"`;
  const hintLine = hint === "" ? null : html`\n<span class="field-hint" id="${name}-hint">${hint}</span>`;
  return html`<div class="field"><label class="field-label" for="${name}">${label}</label>
<input class="input" id="${name}" name="${name}" ${attributes}${described}>${hintLine}</div>`;
}

export function hiddenField(name: string, value: string): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

export function submitButton(text: string): Html {
  return html`<button class="button" data-variant="primary">${text}</button>`;
}

/** A link below a form, with the question that it answers. */
export function moreLink(path: string, text: string, question = ""): Html {
  return html`<p class="form-more">${question === "" ? null : `${question} `}<a href="${path}">${text}</a></p>`;
}
