import { For, type JSX } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { toCodeTokens } from "../../../kit/code-tokens.ts";
import type { PageContext, SitePage } from "../../model.ts";
import { homeTexts } from "./messages/messages.ts";

/** `/`: what this is, and a first call. */
export const homePage: SitePage = {
  path: "/",
  title: (locale) => homeTexts[locale].title,
  description: (locale) => homeTexts[locale].description,
  isIndexed: true,
  islands: [],
  content: (context) => <Home context={context} />,
};

function firstCall({ origin, models }: PageContext["catalogue"]): string {
  return `curl ${origin}/v1/chat/completions \\
  -H "Authorization: Bearer $API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model":"${models[0]?.name ?? "gpt-4o-mini"}","messages":[{"role":"user","content":"Hello"}]}'`;
}

function Home(props: { readonly context: PageContext }): JSX.Element {
  const { context } = props;
  const texts = homeTexts[context.locale];
  return (
    <>
      <h1 class="home-claim">{texts.heading}</h1>
      <p class="lead">{fill(texts.lead, { path: `${context.catalogue.origin}/v1` })}</p>
      <p class="home-actions">
        <a class="button" data-variant="primary" data-size="large" href={context.link("/pricing/")}>
          {texts.prices}
        </a>
        <a class="button" data-size="large" href="/login/">
          {texts.logIn}
        </a>
      </p>
      <section class="site-section" aria-labelledby="example">
        <h2 id="example">{texts.example}</h2>
        <div class="code">
          <section class="code-scroll" tabindex="0" aria-label="curl">
            <pre>
              <code>
                <For each={toCodeTokens(firstCall(context.catalogue))}>
                  {(token) => <span data-token={token.kind === "plain" ? undefined : token.kind}>{token.text}</span>}
                </For>
              </code>
            </pre>
          </section>
        </div>
      </section>
    </>
  );
}
