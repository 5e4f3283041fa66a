import { type Brand, type BrandImage, defaultBrandName } from "@sluice/contracts/brand";
import { allLocales, directionOf, type Locale } from "@sluice/contracts/locales";
import type { SiteCatalogue } from "@sluice/contracts/site-catalogue";
import { For, type JSX, Show } from "solid-js";
import { NoHydration, renderToString, ssr } from "solid-js/web";
import { socialImageSize } from "../build/social/image-size.ts";
import { formatsOf } from "../src/i18n/format.ts";
import { markdownPath } from "../src/site/docs/markdown.ts";
import { Frame } from "../src/site/frame.tsx";
import { localizedPath } from "../src/site/locales.ts";
import type { PageContext, SitePage } from "../src/site/model.ts";
import { brandPlace } from "./brand-place.ts";
import type { PageAssets } from "./page-assets.ts";
import { escapeXml } from "./site-files.ts";

type DocumentDeps = {
  readonly page: SitePage;
  readonly locale: Locale;
  readonly catalogue: SiteCatalogue;
  readonly assets: PageAssets;
};

/** One page in one language, as a whole document. */
export function drawDocument(deps: DocumentDeps): string {
  const text = `<!doctype html>${renderToString(() => (
    <NoHydration>
      <PageDocument {...deps} />
    </NoHydration>
  ))}`;
  return text.replaceAll(brandPlace, () => escapeXml(deps.catalogue.brand.name));
}

/** The data that pages in a language are made from. */
export function pageContext(locale: Locale, catalogue: SiteCatalogue): PageContext {
  return {
    locale,
    catalogue,
    formats: formatsOf(locale, "UTC"),
    link: (path) => localizedPath(path, locale),
    formLink: (path) => (locale === "en" ? path : `${path}?lang=${locale}`),
  };
}

function PageDocument(props: DocumentDeps): JSX.Element {
  const { page, locale, catalogue } = props;
  const context = pageContext(locale, catalogue);
  return (
    <html lang={locale} dir={directionOf(locale)}>
      <Head {...props} context={context} />
      <body class="site-body">
        <Frame page={page} context={context}>
          {page.content(context)}
        </Frame>
        <Show when={catalogue.support_widget_url !== null}>
          {ssr('<support-widget token=""></support-widget>') as unknown as JSX.Element}
        </Show>
      </body>
    </html>
  );
}

/** Data, which is not subject to script policies. It is not escaped like text; nothing in it can end the element. */
function structuredScript(data: Readonly<Record<string, unknown>>, { name }: Brand): JSX.Element {
  const quoted = JSON.stringify(name).slice(1, -1);
  const text = JSON.stringify({ "@context": "https://schema.org", ...data })
    .replaceAll(brandPlace, () => quoted)
    .replace(/</g, "\\u003c");
  return ssr(`<script type="application/ld+json">${text}</script>`) as unknown as JSX.Element;
}

/** The languages with a country, as readers of `og:locale` expect. */
const openGraphLocales: Readonly<Record<Locale, string>> = {
  en: "en_US",
  zh: "zh_CN",
  ja: "ja_JP",
  ko: "ko_KR",
  es: "es_ES",
  fr: "fr_FR",
  de: "de_DE",
  pt: "pt_BR",
  ru: "ru_RU",
  ar: "ar_AR",
  hi: "hi_IN",
};

/** The operator's image of links, or the shipped one of the page, which has the shipped name. */
function socialImageOf({ page, locale, catalogue, assets }: DocumentDeps): BrandImage | null {
  const { brand, origin } = catalogue;
  if (brand.social_image !== null) {
    return { ...brand.social_image, url: origin + brand.social_image.url };
  }
  const url = (): string => origin + assets.socialImage(page.socialImageOf ?? page.path, locale);
  return brand.name === defaultBrandName ? { url: url(), type: "image/png", ...socialImageSize } : null;
}

/** The preview image of the page, for links shown as cards. */
function SocialImage(props: { readonly image: BrandImage; readonly alt: string }): JSX.Element {
  return (
    <>
      <meta property="og:image" content={props.image.url} />
      <meta property="og:image:type" content={props.image.type} />
      <meta property="og:image:width" content={String(props.image.width)} />
      <meta property="og:image:height" content={String(props.image.height)} />
      <meta property="og:image:alt" content={`{brand}: ${props.alt}`} />
      <meta name="twitter:card" content="summary_large_image" />
      <meta name="twitter:image" content={props.image.url} />
      <meta name="twitter:image:alt" content={`{brand}: ${props.alt}`} />
    </>
  );
}

function Head(props: DocumentDeps & { readonly context: PageContext }): JSX.Element {
  const { page, locale, catalogue, assets } = props;
  const { brand } = catalogue;
  const address = (each: Locale): string => `${catalogue.origin}${localizedPath(page.path, each)}`;
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{page.path === "/" ? `{brand} - ${page.title(locale)}` : `${page.title(locale)} - {brand}`}</title>
      <meta name="description" content={page.description(locale)} />
      <script src={assets.boot} />
      <link rel="stylesheet" href={assets.stylesheet} />
      <Show when={page.path.endsWith("/")}>
        <script type="module" src={assets.landing} />
      </Show>
      <link rel="preload" href={assets.font} as="font" type="font/woff2" crossorigin="" />
      <Show when={page.scripts?.includes("docs-tools")}>
        {/* Lines with code would break elsewhere when it came late. */}
        <link rel="preload" href={assets.codeFont} as="font" type="font/woff2" crossorigin="" />
      </Show>
      <Show when={page.scripts?.includes("api-page")}>
        <link rel="stylesheet" href={assets.apiPageStyles} />
        <script type="module" src={assets.apiPage} />
      </Show>
      <Show when={brand.stylesheet}>{(url) => <link rel="stylesheet" href={url()} />}</Show>
      <link rel="icon" href={brand.icon?.url ?? assets.icon} type={brand.icon?.type ?? "image/svg+xml"} />
      <meta name="color-scheme" content="light dark" />
      <Show when={page.isIndexed} fallback={<meta name="robots" content="noindex" />}>
        <link rel="canonical" href={address(locale)} />
        <For each={allLocales}>{(each) => <link rel="alternate" hreflang={each} href={address(each)} />}</For>
        <link rel="alternate" hreflang="x-default" href={address("en")} />
        <meta property="og:title" content={page.title(locale)} />
        <meta property="og:description" content={page.description(locale)} />
        <meta property="og:type" content="website" />
        <meta property="og:url" content={address(locale)} />
        <meta property="og:site_name" content="{brand}" />
        <meta property="og:locale" content={openGraphLocales[locale]} />
        <Show when={socialImageOf(props)}>{(image) => <SocialImage image={image()} alt={page.title(locale)} />}</Show>
      </Show>
      <Show when={page.markdown !== undefined}>
        <link rel="alternate" type="text/markdown" href={localizedPath(markdownPath(page.path), locale)} />
      </Show>
      <Show when={page.feed}>
        {(feed) => (
          <link
            rel="alternate"
            type="application/atom+xml"
            title={page.title(locale)}
            href={localizedPath(feed(), locale)}
          />
        )}
      </Show>
      <Show when={page.scripts?.includes("docs-tools")}>
        <script type="module" src={assets.docsTools} />
      </Show>
      <Show when={catalogue.support_widget_url}>
        {(url) => (
          <>
            <script async src={url()} />
            <script type="module" src={assets.supportContext} />
          </>
        )}
      </Show>
      <Show when={page.structuredData}>{(data) => structuredScript(data()(props.context), catalogue.brand)}</Show>
      <Show when={page.islands.length > 0}>
        <script type="module" src={assets.script} />
        <For each={[...new Set(page.islands.flatMap((name) => assets.island(name)))]}>
          {(file) => <link rel="modulepreload" href={file} />}
        </For>
      </Show>
    </head>
  );
}
