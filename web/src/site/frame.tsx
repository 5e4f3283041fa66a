import { For, type JSX } from "solid-js";
import { directionOf } from "../i18n/locale.ts";
import { localeNames } from "../i18n/locale-names.ts";
import { Icon } from "../kit/icon.tsx";
import { BrandMark } from "../shell/brand-mark.tsx";
import { localizedPath, siteLocales } from "./locales.ts";
import { frameTexts } from "./messages/messages.ts";
import type { PageContext, SitePage } from "./model.ts";

/** Header and footer around every public page. */
export function Frame(props: {
  readonly page: SitePage;
  readonly context: PageContext;
  readonly children: JSX.Element;
}): JSX.Element {
  const { page, context } = props;
  const texts = frameTexts[context.locale];
  return (
    <>
      <a class="skip" href="#main">
        {texts.skip}
      </a>
      <header class="site-header">
        <a class="brand" href={context.link("/")}>
          <BrandMark />
          <span>Sluice</span>
        </a>
        <nav class="site-nav" aria-label={texts.navigation}>
          <a href={context.link("/pricing/")} aria-current={page.path === "/pricing/" ? "page" : undefined}>
            {texts.pricing}
          </a>
          <a
            href={context.link("/docs/quickstart/")}
            aria-current={
              page.path.startsWith("/docs/") ? (page.path === "/docs/quickstart/" ? "page" : "true") : undefined
            }
          >
            {texts.docs}
          </a>
        </nav>
        <span class="site-header-end">
          <LanguageSwitcher page={page} context={context} />
          <a class="button" href="/login/">
            {texts.logIn}
          </a>
        </span>
      </header>
      <main id="main" class="site-main">
        {props.children}
      </main>
      <footer class="site-footer">
        <p>{texts.footer}</p>
      </footer>
    </>
  );
}

/** Every language of this page as a link, in a popover that needs no script. */
function LanguageSwitcher(props: { readonly page: SitePage; readonly context: PageContext }): JSX.Element {
  const { page, context } = props;
  const texts = frameTexts[context.locale];
  const path = page.path.endsWith("/") ? page.path : "/";
  return (
    <>
      <button type="button" class="button" data-variant="quiet" popovertarget="languages" aria-label={texts.language}>
        <Icon name="globe" />
        <span lang={context.locale}>{localeNames[context.locale]}</span>
      </button>
      <div id="languages" class="float languages" popover="auto">
        <ul class="plain-list">
          <For each={siteLocales}>
            {(locale) => (
              <li>
                <a
                  class="menu-item"
                  href={localizedPath(path, locale)}
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
