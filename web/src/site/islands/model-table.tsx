import type { Locale } from "@sluice/contracts/locales";
import { priceOf, unitsByWhole } from "@sluice/contracts/priced-units";
import type { SiteModel } from "@sluice/contracts/site-catalogue";
import { createMemo, createSignal, createUniqueId, For, type JSX, onMount, Show } from "solid-js";
import { type Formats, formatsOf } from "../../i18n/format.ts";
import { fill } from "../../i18n/messages.ts";
import { shownTokenPrice } from "../../i18n/model-prices.ts";
import { localizedPath } from "../locales.ts";
import type { ModelsTexts } from "../pages/models/messages/en.ts";
import { modelsWithPage } from "../pages/models/model-path.ts";
import {
  chooseModels,
  comparedMax,
  everything,
  type ModelChoice,
  modelSorts,
  perThousand,
  readChoice,
  writeChoice,
} from "./model-choice.ts";
import { Choice, CopyButton } from "./small-parts.tsx";

export type ModelTableProps = {
  readonly locale: Locale;
  readonly models: readonly SiteModel[];
  readonly texts: ModelsTexts;
};

type Shown = {
  /** The models with their own page, and the beginning of its URL. */
  readonly pages: ReadonlySet<string>;
  readonly base: string;
  readonly texts: ModelsTexts;
  readonly formats: Formats;
  readonly price: (model: SiteModel, usdPerM: string) => string;
  readonly choice: ModelChoice;
  readonly change: (change: Partial<ModelChoice>) => void;
};

/** Every model: searchable, filterable, sortable and comparable. The selection is in the URL. */
export function ModelTable(props: ModelTableProps): JSX.Element {
  const formats = formatsOf(props.locale, "UTC");
  const [choice, setChoice] = createSignal(everything);
  const rows = createMemo(() => chooseModels(props.models, choice()));
  const compared = createMemo(() => props.models.filter(({ name }) => choice().compared.includes(name)));
  // The page is rendered in its initial state; the URL is read afterwards.
  onMount(() => setChoice(readChoice(location.search, props.models)));
  const shown: Shown = {
    pages: new Set(modelsWithPage(props.models).map(({ name }) => name)),
    base: localizedPath("/models/", props.locale),
    texts: props.texts,
    formats,
    price: (model, usdPerM) => shownTokenPrice(formats, model, choice().isPerThousand ? perThousand(usdPerM) : usdPerM),
    get choice() {
      return choice();
    },
    change: (change) => {
      history.replaceState(history.state, "", location.pathname + writeChoice(setChoice({ ...choice(), ...change })));
    },
  };
  return (
    <>
      <ModelFilters shown={shown} models={props.models} />
      <Show when={compared().length > 0}>
        <ModelComparison shown={shown} models={compared()} />
      </Show>
      <p class="model-count" role="status">
        {fill(props.texts.shown, { shown: formats.number(rows().length), count: formats.number(props.models.length) })}
      </p>
      <Show
        when={rows().length > 0}
        fallback={
          <div class="state">
            <p class="state-title">{props.texts.noMatch}</p>
            <button type="button" class="button" onClick={() => shown.change({ search: "", provider: "" })}>
              {props.texts.clear}
            </button>
          </div>
        }
      >
        <ModelRows shown={shown} models={rows()} />
      </Show>
    </>
  );
}

function ModelFilters(props: { readonly shown: Shown; readonly models: readonly SiteModel[] }): JSX.Element {
  const id = createUniqueId();
  const { texts, change } = props.shown;
  const names = { name: texts.byName, input: texts.byInput, output: texts.byOutput, context: texts.byContext };
  const providers = [...new Set(props.models.map((model) => model.owned_by))].sort();
  return (
    <search>
      <form class="model-filters" onSubmit={(event) => event.preventDefault()}>
        <div class="field">
          <label class="field-label" for={id}>
            {texts.search}
          </label>
          <input
            id={id}
            class="input"
            type="search"
            autocomplete="off"
            maxlength="200"
            value={props.shown.choice.search}
            onInput={(event) => change({ search: event.currentTarget.value })}
          />
        </div>
        <Choice
          label={texts.provider}
          value={props.shown.choice.provider}
          options={[["", texts.anyProvider], ...providers.map((name) => [name, name] as const)]}
          onChange={(provider) => change({ provider })}
        />
        <Choice
          label={texts.sort}
          value={props.shown.choice.sort}
          options={modelSorts.map((sort) => [sort, names[sort]] as const)}
          onChange={(value) => change({ sort: modelSorts.find((sort) => sort === value) ?? "name" })}
        />
        <Choice
          label={texts.unit}
          value={props.shown.choice.isPerThousand ? "thousand" : "million"}
          options={[
            ["million", texts.perMillion],
            ["thousand", texts.perThousand],
          ]}
          onChange={(value) => change({ isPerThousand: value === "thousand" })}
        />
      </form>
    </search>
  );
}

function ModelRows(props: { readonly shown: Shown; readonly models: readonly SiteModel[] }): JSX.Element {
  const { texts } = props.shown;
  return (
    <table class="model-table">
      <caption class="visually-hidden">{texts.title}</caption>
      <thead>
        <tr>
          <For each={[texts.model, texts.provider]}>{(label) => <th scope="col">{label}</th>}</For>
          <For
            each={[
              texts.unitPrices.input,
              texts.unitPrices.output,
              texts.unitPrices.cache_read,
              texts.context,
              texts.outputMax,
            ]}
          >
            {(label) => (
              <th scope="col" class="numeric">
                {label}
              </th>
            )}
          </For>
          <th scope="col">{texts.compare}</th>
        </tr>
      </thead>
      <tbody>
        <For each={props.models}>{(model) => <ModelRow shown={props.shown} model={model} />}</For>
      </tbody>
    </table>
  );
}

function ModelRow(props: { readonly shown: Shown; readonly model: SiteModel }): JSX.Element {
  const { model } = props;
  const { texts, formats, price, change } = props.shown;
  const isCompared = (): boolean => props.shown.choice.compared.includes(model.name);
  const toggle = (): void => {
    const { compared } = props.shown.choice;
    change({
      compared: isCompared() ? compared.filter((name) => name !== model.name) : [...compared, model.name],
    });
  };
  return (
    <tr>
      <th scope="row">
        <Show when={props.shown.pages.has(model.name)} fallback={<span class="model-name">{model.display_name}</span>}>
          <a class="model-name" href={`${props.shown.base}${model.name}/`}>
            {model.display_name}
          </a>
        </Show>
        <span class="copy-text">
          <code>{model.name}</code>
          <CopyButton
            text={model.name}
            texts={{ copy: fill(texts.copy, { name: model.name }), copied: texts.copied }}
          />
        </span>
        <Ending shown={props.shown} model={model} />
      </th>
      <td data-label={texts.provider}>{model.owned_by}</td>
      <td data-label={texts.unitPrices.input} class="numeric">
        {price(model, model.input_usd_per_m)}
      </td>
      <td data-label={texts.unitPrices.output} class="numeric">
        {price(model, model.output_usd_per_m)}
      </td>
      <td data-label={texts.unitPrices.cache_read} class="numeric">
        {price(model, model.cache_read_usd_per_m ?? model.input_usd_per_m)}
      </td>
      <td data-label={texts.context} class="numeric">
        {formats.number(model.context_tokens_max)}
      </td>
      <td data-label={texts.outputMax} class="numeric">
        {formats.number(model.output_tokens_max)}
      </td>
      <td data-label={texts.compare}>
        <label class="model-compare">
          <input
            type="checkbox"
            aria-label={fill(texts.comparing, { name: model.name })}
            checked={isCompared()}
            disabled={!isCompared() && props.shown.choice.compared.length >= comparedMax}
            onChange={toggle}
          />
        </label>
      </td>
    </tr>
  );
}

/** Marks a deprecated model by a shape and words. */
function Ending(props: { readonly shown: Shown; readonly model: SiteModel }): JSX.Element {
  const { sunset_at: sunset, deprecated_at: deprecated } = props.model;
  const { texts, formats } = props.shown;
  return (
    <Show when={sunset ?? deprecated}>
      <span class="status" data-tone="warn">
        {sunset === null ? texts.deprecated : fill(texts.ends, { date: formats.date(sunset) })}
      </span>
    </Show>
  );
}

function ModelComparison(props: { readonly shown: Shown; readonly models: readonly SiteModel[] }): JSX.Element {
  const { texts, formats, price, change } = props.shown;
  const id = createUniqueId();
  const lines: readonly (readonly [string, (model: SiteModel) => string])[] = [
    [texts.provider, (model) => model.owned_by],
    ...unitsByWhole.map(
      (unit) =>
        [
          texts.unitPrices[unit.name],
          (model: SiteModel) =>
            unit.measure === "token"
              ? price(model, priceOf<string>(model, unit))
              : formats.usd(priceOf<string>(model, unit)),
        ] as const,
    ),
    [texts.context, (model) => formats.number(model.context_tokens_max)],
    [texts.outputMax, (model) => formats.number(model.output_tokens_max)],
  ];
  return (
    <section class="prices model-comparison" aria-labelledby={id} tabindex="0">
      <h2 id={id}>{texts.compareTitle}</h2>
      <table>
        <thead>
          <tr>
            <th scope="col">{texts.model}</th>
            <For each={props.models}>
              {(model) => (
                <th scope="col">
                  <code>{model.name}</code>
                  <button
                    type="button"
                    class="button"
                    data-variant="quiet"
                    aria-label={fill(texts.remove, { name: model.name })}
                    onClick={() =>
                      change({ compared: props.shown.choice.compared.filter((name) => name !== model.name) })
                    }
                  >
                    <svg class="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
                      <path d="M4 4l8 8M12 4l-8 8" />
                    </svg>
                  </button>
                </th>
              )}
            </For>
          </tr>
        </thead>
        <tbody>
          <For each={lines}>
            {([label, text]) => (
              <tr>
                <th scope="row">{label}</th>
                <For each={props.models}>{(model) => <td>{text(model)}</td>}</For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
  );
}
