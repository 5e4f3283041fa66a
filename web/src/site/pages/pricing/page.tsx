import { planWords } from "@sluice/contracts/plan-words";
import type { SitePlan } from "@sluice/contracts/site-catalogue";
import { For, type JSX, Show } from "solid-js";
import { formatTagOf } from "../../../i18n/locale.ts";
import { fill } from "../../../i18n/messages.ts";
import { isPricedByToken, otherPrices, shownTokenPrice } from "../../../i18n/model-prices.ts";
import { ownerName } from "../../../i18n/owner-name.ts";
import { Island } from "../../islands/island.tsx";
import type { PageContext, SitePage } from "../../model.ts";
import { modelsTexts } from "../models/messages/messages.ts";
import { ModelLink } from "../models/model-link.tsx";
import { pricingTexts } from "./messages/messages.ts";

/** `/pricing/`: plans, prices of the models, and a calculator. */
export const pricingPage: SitePage = {
  path: "/pricing/",
  title: (locale) => pricingTexts[locale].title,
  description: (locale) => pricingTexts[locale].description,
  isIndexed: true,
  islands: ["price-calculator"],
  structuredData: ({ catalogue, locale }) => ({
    "@type": "ItemList",
    itemListElement: catalogue.plans.map((plan, at) => ({
      "@type": "ListItem",
      position: at + 1,
      item: {
        "@type": "Product",
        name: planWords(plan, locale).name,
        description: planWords(plan, locale).description,
        offers: {
          "@type": "Offer",
          price: plan.own_amount?.min_usd ?? plan.price_usd,
          priceCurrency: "USD",
          url: `${catalogue.origin}/pricing/`,
        },
      },
    })),
  }),
  content: (context) => <Pricing context={context} />,
};

type InContext = { readonly context: PageContext };

function Pricing(props: InContext): JSX.Element {
  const { context } = props;
  const texts = pricingTexts[context.locale];
  return (
    <>
      <h1>{texts.heading}</h1>
      <p class="lead">{texts.lead}</p>
      <section class="site-section" aria-labelledby="plans">
        <h2 id="plans">{texts.plans}</h2>
        <Show when={context.catalogue.plans.length > 0} fallback={<p class="lead">{texts.noPlans}</p>}>
          <ul class="plans plain-list">
            <For each={context.catalogue.plans}>{(plan) => <PlanRow plan={plan} context={context} />}</For>
          </ul>
        </Show>
      </section>
      <section class="site-section" aria-labelledby="models">
        <h2 id="models">{texts.models}</h2>
        <Show when={context.catalogue.models.length > 0} fallback={<p class="lead">{texts.noModels}</p>}>
          <ModelPrices context={context} />
        </Show>
      </section>
      <Calculator context={context} />
      <section class="site-section" aria-labelledby="rules">
        <h2 id="rules">{texts.rules.title}</h2>
        <dl class="rules">
          <For each={[texts.rules.pay, texts.rules.expiry, texts.rules.failed, texts.rules.multiplier]}>
            {({ title, text }) => (
              <div>
                <dt>{title}</dt>
                <dd>{text}</dd>
              </div>
            )}
          </For>
        </dl>
      </section>
    </>
  );
}

function PlanRow(props: InContext & { readonly plan: SitePlan }): JSX.Element {
  const { context, plan } = props;
  const words = planWords(plan, context.locale);
  const { formats } = context;
  const texts = pricingTexts[context.locale];
  return (
    <li class="plan">
      <h3 dir="auto">{words.name}</h3>
      <p class="plan-price">
        <bdi>
          {plan.own_amount === null
            ? formats.usd(plan.price_usd)
            : fill(texts.priceRange, {
                min: formats.usd(plan.own_amount.min_usd),
                max: formats.usd(plan.own_amount.max_usd),
              })}
        </bdi>
        <span> {plan.kind === "monthly" ? texts.month : texts.once}</span>
      </p>
      <p class="plan-grants">
        {fill(plan.own_amount === null ? texts.grants : texts.grantsRate, {
          amount: formats.quota(plan.quota),
          price: formats.usd(plan.price_usd),
        })}
      </p>
      <Show when={plan.group}>
        {(group) => (
          <p class="plan-grants">
            {fill(texts.planGroup, { group: group().name, multiplier: formats.decimal(group().multiplier) })}
          </p>
        )}
      </Show>
      <p class="plan-text" dir="auto">
        {words.description}
      </p>
      <a
        class="button"
        data-variant="primary"
        href={`/console/billing/?plan=${encodeURIComponent(plan.plan_code)}`}
        data-cta={`plan-${plan.plan_code}`}
      >
        {fill(texts.choose, { plan: words.name })}
      </a>
    </li>
  );
}

function ModelPrices(props: InContext): JSX.Element {
  const { catalogue, formats, locale } = props.context;
  const texts = pricingTexts[locale];
  return (
    <section class="prices stacked" tabindex="0" aria-label={texts.perMillion}>
      <table>
        <caption>{texts.perMillion}</caption>
        <thead>
          <tr>
            <th scope="col">{texts.model}</th>
            <th scope="col">{texts.provider}</th>
            <th scope="col" class="numeric">
              {texts.input}
            </th>
            <th scope="col" class="numeric">
              {texts.output}
            </th>
            <th scope="col" class="numeric">
              {texts.cached}
            </th>
            <th scope="col" class="numeric">
              {texts.context}
            </th>
          </tr>
        </thead>
        <tbody>
          <For each={catalogue.models}>
            {(model) => (
              <tr>
                <th scope="row">
                  <ModelLink name={model.name} context={props.context}>
                    <code>{model.name}</code>
                  </ModelLink>
                  <For each={otherPrices(model, modelsTexts[locale].unitPrices)}>
                    {([label, usd]) => (
                      <span class="other-price">
                        {label}: <bdi>{formats.usd(usd)}</bdi>
                      </span>
                    )}
                  </For>
                </th>
                <td data-label={texts.provider}>{ownerName(model.owned_by)}</td>
                <td class="numeric" data-label={texts.input}>
                  {shownTokenPrice(formats, model, model.input_usd_per_m)}
                </td>
                <td class="numeric" data-label={texts.output}>
                  {shownTokenPrice(formats, model, model.output_usd_per_m)}
                </td>
                <td class="numeric" data-label={texts.cached}>
                  {shownTokenPrice(formats, model, model.cache_read_usd_per_m ?? model.input_usd_per_m)}
                </td>
                <td class="numeric" data-label={texts.context}>
                  {formats.number(model.context_tokens_max)}
                </td>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
  );
}

function Calculator(props: InContext): JSX.Element {
  const { catalogue, locale } = props.context;
  const texts = pricingTexts[locale];
  return (
    <Show when={catalogue.models.some(isPricedByToken)}>
      <section class="site-section" aria-labelledby="calculator">
        <h2 id="calculator">{texts.calculator}</h2>
        <Island
          name="price-calculator"
          props={{
            // In Arabic, the text direction would tear the letters of "US$" apart.
            formatTag: locale === "ar" ? "en" : formatTagOf(locale),
            texts: {
              model: texts.model,
              inputTokens: texts.inputTokens,
              outputTokens: texts.outputTokens,
              cachedTokens: texts.cachedTokens,
              cost: texts.cost,
              note: texts.costNote,
            },
            models: catalogue.models.filter(isPricedByToken).map((model) => ({
              name: model.name,
              label: model.display_name,
              inputUsdPerM: model.input_usd_per_m,
              outputUsdPerM: model.output_usd_per_m,
              cachedUsdPerM: model.cache_read_usd_per_m ?? model.input_usd_per_m,
            })),
          }}
        />
      </section>
    </Show>
  );
}
