import { For, type JSX, Show } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { chatModels, cheapestChatModel, isPricedByToken } from "../../../i18n/model-prices.ts";
import { Island } from "../../islands/island.tsx";
import type { PageContext, SitePage } from "../../model.ts";
import { ModelLink } from "../models/model-link.tsx";
import type { HomeTexts } from "./messages/en.ts";
import { homeTexts } from "./messages/messages.ts";

/** `/`: what this is, a first call, its APIs, its prices. */
export const homePage: SitePage = {
  path: "/",
  title: (locale) => homeTexts[locale].title,
  description: (locale) => homeTexts[locale].description,
  isIndexed: true,
  islands: ["first-call"],
  structuredData: (context) => ({
    "@type": "FAQPage",
    inLanguage: context.locale,
    mainEntity: questionsOf(context).map(({ question, answer }) => ({
      "@type": "Question",
      name: question,
      acceptedAnswer: { "@type": "Answer", text: answer },
    })),
  }),
  content: (context) => <Home context={context} />,
};

type InContext = { readonly context: PageContext };

const pricesShown = 6;

/** Names of interfaces and clients are the same in every language. */
function interfacesOf({ apis }: HomeTexts): readonly { name: string; path: string; clients: string }[] {
  return [
    {
      name: "OpenAI Chat Completions",
      path: "/v1/chat/completions",
      clients: "OpenAI SDK, Vercel AI SDK, LangChain, Cursor, Cline, opencode",
    },
    { name: "OpenAI Responses", path: "/v1/responses", clients: "OpenAI SDK, Codex" },
    { name: "OpenAI Realtime", path: "/v1/realtime", clients: "OpenAI SDK, WebSocket" },
    { name: "Anthropic Messages", path: "/msgcompat/v1/messages", clients: "Anthropic SDK, Claude Code" },
    { name: apis.more, path: "/v1/…", clients: "OpenAI SDK" },
    { name: apis.listing, path: "/v1/models", clients: "curl, OpenAI SDK" },
  ];
}

function questionsOf({ locale, catalogue }: PageContext): readonly { question: string; answer: string }[] {
  const { faq } = homeTexts[locale];
  const addresses = { openai: `${catalogue.origin}/v1`, anthropic: `${catalogue.origin}/msgcompat` };
  return [faq.code, faq.fail, faq.limit, faq.store, faq.plan].map(({ question, answer }) => ({
    question,
    answer: fill(answer, addresses),
  }));
}

/** What the operator has written, or else what is shipped. */
function orShipped(written: string | undefined, shipped: string): string {
  return written === undefined || written === "" ? shipped : written;
}

function Home(props: InContext): JSX.Element {
  const { context } = props;
  const texts = homeTexts[context.locale];
  const { origin, brand } = context.catalogue;
  const own = brand.texts[context.locale];
  const models = chatModels(context.catalogue.models);
  const first = cheapestChatModel(models)?.name;
  const names = models.map(({ name }) => name).toSorted((a, b) => Number(b === first) - Number(a === first));
  const island = { example: texts.example, model: texts.model, copy: texts.copy, copied: texts.copied };
  return (
    <>
      <div class="home-hero">
        <div>
          <h1 class="home-claim">{orShipped(own?.headline, texts.heading)}</h1>
          <p class="lead">{orShipped(own?.sub_line, fill(texts.lead, { path: `${origin}/v1` }))}</p>
          <p class="home-actions">
            <a
              class="button"
              data-variant="primary"
              data-size="large"
              href={context.formLink("/register/")}
              data-cta="home-register"
            >
              {texts.start}
            </a>
            <a class="button" data-size="large" href={context.link("/pricing/")} data-cta="home-pricing">
              {texts.prices}
            </a>
          </p>
          <Figures context={context} />
        </div>
        <div class="home-example">
          <Island
            name="first-call"
            props={{
              origin,
              models: names.length > 0 ? names : ["gpt-4o-mini"],
              texts: island,
            }}
          />
        </div>
      </div>
      <Interfaces context={context} />
      <Show when={models.some(isPricedByToken)}>
        <PriceStrip context={context} />
      </Show>
      <Billing context={context} />
      <section class="site-section" aria-labelledby="faq">
        <h2 id="faq">{texts.faq.title}</h2>
        <div class="questions">
          <For each={questionsOf(context)}>
            {({ question, answer }) => (
              <details>
                <summary>{question}</summary>
                <p>{answer}</p>
              </details>
            )}
          </For>
        </div>
      </section>
    </>
  );
}

/** What is measured of this service, as far as the operator shows it; without any of it, nothing. */
function Figures(props: InContext): JSX.Element {
  const { catalogue, formats, locale } = props.context;
  const { figures } = homeTexts[locale];
  const { models, performance, success_overall: answered } = catalogue;
  const first = cheapestChatModel(models);
  const firstByte = first === undefined ? undefined : performance[first.name]?.first_byte_ms;
  const measured: readonly (readonly [figure: string, text: string])[] = [
    ...(answered === null ? [] : [[formats.percent(answered), figures.answered] as const]),
    ...(first === undefined || firstByte === undefined
      ? []
      : [[formats.milliseconds(firstByte), fill(figures.firstByte, { model: first.display_name })] as const]),
  ];
  return (
    <Show when={measured.length > 0}>
      <ul class="home-figures plain-list" aria-label={figures.title}>
        <For each={[[formats.number(models.length), figures.models] as const, ...measured]}>
          {([figure, text]) => (
            <li>
              <strong>{figure}</strong> <span>{text}</span>
            </li>
          )}
        </For>
      </ul>
    </Show>
  );
}

function Interfaces(props: InContext): JSX.Element {
  const texts = homeTexts[props.context.locale];
  return (
    <section class="site-section" aria-labelledby="interfaces">
      <h2 id="interfaces">{texts.apis.title}</h2>
      <p class="lead">{texts.apis.lead}</p>
      <section class="prices stacked" tabindex="0" aria-label={texts.apis.api}>
        <table>
          <thead>
            <tr>
              <th scope="col">{texts.apis.api}</th>
              <th scope="col">{texts.apis.path}</th>
              <th scope="col">{texts.apis.clients}</th>
            </tr>
          </thead>
          <tbody>
            <For each={interfacesOf(texts)}>
              {({ name, path, clients }) => (
                <tr>
                  <th scope="row">{name}</th>
                  <td data-label={texts.apis.path}>
                    <code>{path}</code>
                  </td>
                  <td class="wrapping" data-label={texts.apis.clients}>
                    <bdi>{clients}</bdi>
                  </td>
                </tr>
              )}
            </For>
          </tbody>
        </table>
      </section>
    </section>
  );
}

function PriceStrip(props: InContext): JSX.Element {
  const { catalogue, formats, link, locale } = props.context;
  const { strip } = homeTexts[locale];
  return (
    <section class="site-section" aria-labelledby="prices">
      <h2 id="prices">{strip.title}</h2>
      <ul class="price-strip plain-list">
        <For each={chatModels(catalogue.models).filter(isPricedByToken).slice(0, pricesShown)}>
          {(model) => (
            <li>
              <h3>
                <ModelLink name={model.name} context={props.context}>
                  {model.display_name}
                </ModelLink>
              </h3>
              <dl>
                <dt>{strip.input}</dt>
                <dd>{formats.usd(model.input_usd_per_m)}</dd>
                <dt>{strip.output}</dt>
                <dd>{formats.usd(model.output_usd_per_m)}</dd>
              </dl>
              <p>{strip.perMillion}</p>
            </li>
          )}
        </For>
      </ul>
      <p class="home-actions">
        <a class="button" href={link("/models/")} data-cta="home-models">
          {strip.all}
        </a>
      </p>
    </section>
  );
}

function Billing(props: InContext): JSX.Element {
  const { billing } = homeTexts[props.context.locale];
  return (
    <section class="site-section" aria-labelledby="billing">
      <h2 id="billing">{billing.title}</h2>
      <ol class="billing-lines">
        <For each={[billing.load, billing.call, billing.check]}>
          {({ title, text }) => (
            <li>
              <strong>{title}</strong>
              <span>{text}</span>
            </li>
          )}
        </For>
      </ol>
    </section>
  );
}
