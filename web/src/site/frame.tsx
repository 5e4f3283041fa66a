import { brandLinks, defaultBrandName } from "@sluice/contracts/brand";
import { localeNames } from "@sluice/contracts/locale-names";
import { allLocales, directionOf } from "@sluice/contracts/locales";
import { For, type JSX, Show } from "solid-js";
import { fill } from "../i18n/messages.ts";
import { Icon } from "../kit/icon.tsx";
import { BrandMark } from "../shell/brand-mark.tsx";
import { localizedPath } from "./locales.ts";
import type { FrameTexts } from "./messages/en.ts";
import { frameTexts } from "./messages/messages.ts";
import type { PageContext, SitePage } from "./model.ts";
import { statusTexts } from "./pages/status/messages/messages.ts";

/** The links of the header, repeated in the footer. */
function mainLinks(texts: FrameTexts): readonly (readonly [path: string, label: string])[] {
  return [
    ["/models/", texts.models],
    ["/pricing/", texts.pricing],
    ["/docs/quickstart/", texts.docs],
  ];
}

/** Whether a link of the header leads to the page itself, or to its section of the site. */
function currentMark({ path, translationsAt }: SitePage, linked: string): "page" | "true" | undefined {
  const shown = translationsAt ?? path;
  if (shown === linked) {
    return "page";
  }
  const part = /^\/(?:docs|models)\//.exec(linked)?.[0];
  return part !== undefined && shown.startsWith(part) ? "true" : undefined;
}

/** Header and footer around every public page. */
export function Frame(props: {
  readonly page: SitePage;
  readonly context: PageContext;
  readonly children: JSX.Element;
}): JSX.Element {
  const { page, context } = props;
  const { brand } = context.catalogue;
  const texts = frameTexts[context.locale];
  return (
    <>
      <a class="skip" href="#main">
        {texts.skip}
      </a>
      <Show when={context.catalogue.announcement}>
        {(announcement) => (
          <aside class="announcement" aria-label={texts.announcement} dir="auto">
            <Show when={announcement().url} fallback={announcement().text}>
              {(url) => <a href={url()}>{announcement().text}</a>}
            </Show>
          </aside>
        )}
      </Show>
      <header class="site-header">
        <a class="brand" href={context.link("/")}>
          <BrandMark />
          <bdi>{brand.name}</bdi>
        </a>
        {/* On a phone it opens from the button at the end. */}
        <nav id="site-nav" class="float site-nav" popover="auto" aria-label={texts.navigation}>
          <For each={mainLinks(texts)}>
            {([path, label]) => (
              <a href={context.link(path)} aria-current={currentMark(page, path)}>
                {label}
              </a>
            )}
          </For>
        </nav>
        <span class="site-header-end">
          <LanguageSwitcher page={page} context={context} />
          <a class="button" data-for="visitor" href={context.formLink("/login/")} data-cta="log-in">
            {texts.logIn}
          </a>
          <a class="button" data-for="user" href="/console/">
            {texts.console}
          </a>
          <button
            type="button"
            class="button site-menu"
            data-variant="quiet"
            data-shape="square"
            popovertarget="site-nav"
            aria-label={texts.menu}
          >
            <Icon name="menu" />
          </button>
        </span>
      </header>
      <main id="main" class="site-main">
        {props.children}
      </main>
      <footer class="site-footer">
        <p>
          {texts.footer}
          <Show when={brand.says_powered_by}> {fill(texts.poweredBy, { program: defaultBrandName })}</Show>
        </p>
        <nav aria-label={texts.footerNavigation}>
          <For each={mainLinks(texts)}>{([path, label]) => <a href={context.link(path)}>{label}</a>}</For>
          <a href={context.link("/contact/")}>{texts.enterprise}</a>
          <a href={context.formLink("/register/")} data-cta="footer-register">
            {texts.signUp}
          </a>
          <a href="/console/">{texts.console}</a>
          <Show when={context.catalogue.has_status}>
            <a href={context.link("/status/")}>{statusTexts[context.locale].title}</a>
          </Show>
          <Show when={brand.support_address !== ""}>
            <a href={`mailto:${encodeURIComponent(brand.support_address)}`}>{texts.support}</a>
          </Show>
          <For each={brandLinks(brand.texts, context.locale)}>{(each) => <a href={each.url}>{each.label}</a>}</For>
          <For each={brand.legal}>
            {(each) => <a href={each.is_translated ? context.link(each.url) : each.url}>{texts[each.page]}</a>}
          </For>
        </nav>
      </footer>
    </>
  );
}

/** Every language of this page as a link, in a popover that needs no JavaScript. */
function LanguageSwitcher(props: { readonly page: SitePage; readonly context: PageContext }): JSX.Element {
  const { page, context } = props;
  const texts = frameTexts[context.locale];
  const path = page.translationsAt ?? (page.path.endsWith("/") ? page.path : "/");
  return (
    <>
      <button type="button" class="button" data-variant="quiet" popovertarget="languages" aria-label={texts.language}>
        <Icon name="globe" />
        <span lang={context.locale}>{localeNames[context.locale]}</span>
      </button>
      <div id="languages" class="float languages" popover="auto">
        <ul class="plain-list">
          <For each={allLocales}>
            {(locale) => (
              <li>
                <a
                  class="menu-item"
                  href={`${localizedPath(path, locale)}?lang=${locale}`}
                  hreflang={locale}
                  lang={locale}
                  dir={directionOf(locale)}
                  aria-current={locale === context.locale ? "true" : undefined}
                >
                  {localeNames[locale]}
                </a>
              </li>
            )}
          </For>
        </ul>
      </div>
    </>
  );
}
