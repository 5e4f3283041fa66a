import { listFor, type PriceList, priceOf, unitsByWhole } from "@sluice/contracts/priced-units";
import type { SiteCatalogue, SiteModel } from "@sluice/contracts/site-catalogue";
import { For, type JSX, Show } from "solid-js";
import { fill } from "../../../i18n/messages.ts";
import { firstPrice, isChat, isPricedByToken, otherPrices } from "../../../i18n/model-prices.ts";
import { ownerName } from "../../../i18n/owner-name.ts";
import { Island } from "../../islands/island.tsx";
import { perThousand, traitsOf } from "../../islands/model-choice.ts";
import type { PageContext, SitePage } from "../../model.ts";
import { homeTexts } from "../home/messages/messages.ts";
import { modelsTexts } from "../models/messages/messages.ts";
import { modelPath, modelsWithPage } from "../models/model-path.ts";

/** `/models/<name>/`: a page for each model of the catalog. */
export function modelPages({ models }: SiteCatalogue): readonly SitePage[] {
  return modelsWithPage(models).flatMap((model) => {
    const path = modelPath(model.name);
    return path === null ? [] : [modelPage(path, model)];
  });
}

function modelPage(path: string, model: SiteModel): SitePage {
  const named = { name: model.display_name };
  return {
    path,
    title: (locale) => fill(modelsTexts[locale].pageTitle, named),
    description: (locale) => fill(modelsTexts[locale].pageText, named),
    socialImageOf: "/models/",
    isIndexed: true,
    islands: isChat(model) ? ["first-call"] : [],
    structuredData: (context) => productOf(model, context.catalogue.origin + context.link(path)),
    content: (context) => <Model model={model} context={context} />,
  };
}

/** The model as a schema.org product, with a price for each unit. */
function productOf(model: SiteModel, url: string): Readonly<Record<string, unknown>> {
  const million = 1_000_000;
  const price = (unitText: string, usd: string, value: number) => ({
    "@type": "UnitPriceSpecification",
    price: shortDecimal(usd),
    priceCurrency: "USD",
    unitText,
    referenceQuantity: { "@type": "QuantitativeValue", value, unitText },
  });
  return {
    "@type": "Product",
    name: model.display_name,
    sku: model.name,
    brand: { "@type": "Brand", name: ownerName(model.owned_by) },
    url,
    offers: {
      "@type": "Offer",
      url,
      price: shortDecimal(firstPrice(model)),
      priceCurrency: "USD",
      availability: model.sunset_at === null ? "https://schema.org/InStock" : "https://schema.org/LimitedAvailability",
      priceSpecification: isPricedByToken(model)
        ? [
            price("input tokens", model.input_usd_per_m, million),
            price("output tokens", model.output_usd_per_m, million),
            price("cached input tokens", model.cache_read_usd_per_m ?? model.input_usd_per_m, million),
          ]
        : [
            price("calls", model.request_usd, 1),
            price("images", model.image_usd, 1),
            price("seconds of audio", model.second_usd, 1),
          ].filter(({ price: usd }) => Number(usd) > 0),
    },
  };
}

/** Removes trailing zeros from a decimal. */
function shortDecimal(decimal: string): string {
  return decimal.includes(".") ? decimal.replace(/\.?0+$/, "") : decimal;
}

type InContext = { readonly model: SiteModel; readonly context: PageContext };

function Model(props: InContext): JSX.Element {
  const { model, context } = props;
  const { locale, catalogue, link } = context;
  const texts = modelsTexts[locale];
  const { example, copy, copied } = homeTexts[locale];
  return (
    <>
      <p class="model-back">
        <a href={link("/models/")}>{texts.allModels}</a>
      </p>
      <h1>
        <bdi>{model.display_name}</bdi>
      </h1>
      <p class="lead">{fill(texts.pageText, { name: model.display_name })}</p>
      <Facts model={model} context={context} />
      <div class="site-section">
        <h2>{texts.prices}</h2>
        <Prices model={model} context={context} />
      </div>
      <Show when={isChat(model)}>
        <div class="site-section">
          <h2>{texts.firstCall}</h2>
          <div class="model-call">
            <Island
              name="first-call"
              props={{
                origin: catalogue.origin,
                models: [model.name],
                texts: { example, copy, copied, model: texts.model },
              }}
            />
          </div>
          <p class="model-back">
            <a
              class="button"
              href={`/console/playground/?model=${encodeURIComponent(model.name)}`}
              data-cta="playground"
            >
              {texts.tryIt}
            </a>
          </p>
        </div>
      </Show>
    </>
  );
}

function Facts(props: InContext): JSX.Element {
  const { model, context } = props;
  const { formats } = context;
  const texts = modelsTexts[context.locale];
  const tokens = (count: number): string => fill(texts.tokens, { count: formats.number(count) });
  const facts: readonly (readonly [string, JSX.Element])[] = [
    [texts.model, <code dir="ltr">{model.name}</code>],
    [texts.provider, <bdi>{ownerName(model.owned_by)}</bdi>],
    [texts.context, tokens(model.context_tokens_max)],
    [texts.outputMax, tokens(model.output_tokens_max)],
    ...capabilityFacts(props),
    ...performanceFacts(props),
  ];
  const ending = model.sunset_at ?? model.deprecated_at;
  return (
    <>
      <Show when={ending !== null}>
        <p class="status" data-tone="warn">
          {model.sunset_at === null
            ? texts.deprecated
            : fill(texts.ends, { date: context.formats.date(model.sunset_at) })}
          <Show when={model.replacement_model}>{(name) => <> · {fill(texts.replacedBy, { model: name() })}</>}</Show>
        </p>
      </Show>
      <dl class="model-facts">
        <For each={facts}>
          {([name, value]) => (
            <div>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          )}
        </For>
      </dl>
    </>
  );
}

function capabilityFacts({ model, context }: InContext): readonly (readonly [string, JSX.Element])[] {
  const texts = modelsTexts[context.locale];
  const traits = traitsOf(model).map((trait) => texts.traits[trait]);
  return traits.length === 0 ? [] : [[texts.capabilities, context.formats.list(traits)]];
}

/** How soon and how fast the model answers, and how often, if the operator shows it. */
function performanceFacts({ model, context }: InContext): readonly (readonly [string, JSX.Element])[] {
  const texts = modelsTexts[context.locale];
  const { formats, catalogue } = context;
  const { first_byte_ms: firstByte = null, tokens_per_second: speed = null } = catalogue.performance[model.name] ?? {};
  const answered = catalogue.success[model.name];
  return [
    ...(firstByte === null ? [] : [[texts.firstByte, formats.milliseconds(firstByte)] as const]),
    ...(speed === null ? [] : [[texts.speed, fill(texts.perSecond, { count: formats.number(speed) })] as const]),
    ...(answered === undefined ? [] : [[texts.answeredShare, formats.percent(answered)] as const]),
  ];
}

/** Every unit that a call is billed by; if a price is not set, the one that is charged instead. */
function Prices(props: InContext): JSX.Element {
  const { model, context } = props;
  const { formats } = context;
  const texts = modelsTexts[context.locale];
  return (
    <section class="prices" aria-label={texts.prices} tabindex="0">
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">{texts.prices}</span>
            </th>
            <For each={[texts.perMillion, texts.perThousand]}>
              {(label) => (
                <th scope="col" class="numeric">
                  {label}
                </th>
              )}
            </For>
          </tr>
        </thead>
        <tbody>
          <TokenPrices list={model} context={context} />
          <For each={otherPrices(model, texts.unitPrices)}>
            {([label, usd]) => (
              <tr>
                <th scope="row">{label}</th>
                <td class="numeric" colspan="2">
                  {formats.usd(usd)}
                </td>
              </tr>
            )}
          </For>
          <Show when={model.long_prompt}>
            {(long) => (
              <>
                <tr>
                  <th scope="colgroup" colspan="3">
                    {fill(texts.longPrompt, { count: formats.number(long().above_tokens) })}
                  </th>
                </tr>
                <TokenPrices list={listFor(model, long().above_tokens + 1)} context={context} />
              </>
            )}
          </Show>
        </tbody>
      </table>
    </section>
  );
}

/** A row for each kind of token; none for a model that is not priced by the token. */
function TokenPrices(props: { readonly list: PriceList; readonly context: PageContext }): JSX.Element {
  const { list, context } = props;
  const { formats } = context;
  const units = isPricedByToken(list) ? unitsByWhole.filter(({ measure }) => measure === "token") : [];
  const texts = modelsTexts[context.locale].unitPrices;
  return (
    <For each={units.map((unit) => [texts[unit.name], priceOf<string>(list, unit)] as const)}>
      {([label, usd]) => (
        <tr>
          <th scope="row">{label}</th>
          <td class="numeric">{formats.usd(usd)}</td>
          <td class="numeric">{formats.usd(perThousand(usd))}</td>
        </tr>
      )}
    </For>
  );
}
