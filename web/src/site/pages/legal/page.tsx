import { type LegalPage, legalPages } from "@sluice/contracts/brand";
import { allLocales, directionOf, type Locale } from "@sluice/contracts/locales";
import type { SiteCatalogue, SiteLegalText } from "@sluice/contracts/site-catalogue";
import { type JSX, Show } from "solid-js";
import { ssr } from "solid-js/web";
import { fill } from "../../../i18n/messages.ts";
import { frameTexts } from "../../messages/messages.ts";
import type { PageContext, SitePage } from "../../model.ts";
import { legalTexts } from "./messages/messages.ts";

/** `/legal/<page>/`: what the operator has written, in every language that it was written in. */
export function legalTextPages({ legal_texts: texts }: SiteCatalogue): readonly SitePage[] {
  return legalPages.flatMap((page) => {
    const written = texts.filter((text) => text.page === page);
    return written.length === 0 ? [] : [legalTextPage(page, written)];
  });
}

function legalTextPage(page: LegalPage, written: readonly SiteLegalText[]): SitePage {
  return {
    path: `/legal/${page}/`,
    title: (locale) => frameTexts[locale][page],
    description: (locale) => `{brand}: ${frameTexts[locale][page]}`,
    socialImageOf: "/",
    isIndexed: true,
    islands: [],
    content: (context) => <Legal text={inLanguage(written, context.locale)} context={context} />,
  };
}

/** The text in a language; else in English, else in the first language that there is. */
function inLanguage(written: readonly SiteLegalText[], locale: Locale): SiteLegalText | undefined {
  const wanted = [locale, ...allLocales];
  return wanted.map((each) => written.find((text) => text.locale === each)).find((text) => text !== undefined);
}

function Legal(props: { readonly text: SiteLegalText | undefined; readonly context: PageContext }): JSX.Element {
  const { locale, formats } = props.context;
  const texts = legalTexts[locale];
  return (
    <Show when={props.text}>
      {(text) => (
        <>
          <h1>{frameTexts[locale][text().page]}</h1>
          <p class="muted legal-version">
            {fill(texts.version, {
              version: text().version,
              date: formats.date(`${text().effective_on}T00:00:00.000Z`),
            })}
          </p>
          <Show when={text().locale !== locale}>
            <p class="notice">{texts.otherLanguage}</p>
          </Show>
          <div class="legal-text" lang={text().locale} dir={directionOf(text().locale)}>
            {/* The service has rendered it, and lets nothing active through. */}
            {ssr(text().html) as unknown as JSX.Element}
          </div>
        </>
      )}
    </Show>
  );
}
