import type { Locale } from "@sluice/contracts/locales";
import type { SiteModel } from "@sluice/contracts/site-catalogue";
import { createMemo, createSignal, createUniqueId, type JSX, onMount, Show } from "solid-js";
import { formatsOf } from "../../i18n/format.ts";
import { fill } from "../../i18n/messages.ts";
import { shownTokenPrice } from "../../i18n/model-prices.ts";
import { ownerName } from "../../i18n/owner-name.ts";
import { localizedPath } from "../locales.ts";
import type { ModelsTexts } from "../pages/models/messages/en.ts";
import { modelsWithPage } from "../pages/models/model-path.ts";
import {
  chooseModels,
  everything,
  type ModelFigures,
  modelSorts,
  perThousand,
  readChoice,
  traitsOf,
  writeChoice,
} from "./model-choice.ts";
import { ModelComparison } from "./model-comparison.tsx";
import { askForOffer, type ModelOffer } from "./model-offer.ts";
import { ModelRows } from "./model-rows.tsx";
import { modelColumns, type Shown } from "./model-shown.ts";
import { Choice } from "./small-parts.tsx";

export type ModelTableProps = {
  readonly locale: Locale;
  readonly models: readonly SiteModel[];
  readonly figures: ModelFigures;
  readonly texts: ModelsTexts;
};

/** Every model: searchable, filterable, sortable and comparable. The selection is in the URL. */
export function ModelTable(props: ModelTableProps): JSX.Element {
  const formats = formatsOf(props.locale, "UTC");
  const [choice, setChoice] = createSignal(everything);
  const [offer, setOffer] = createSignal<ModelOffer | null>(null);
  const [isOwn, setIsOwn] = createSignal(false);
  const models = createMemo(() => (isOwn() ? (offer()?.models ?? props.models) : props.models));
  const rows = createMemo(() => chooseModels(models(), choice(), props.figures));
  const compared = createMemo(() => models().filter(({ name }) => choice().compared.includes(name)));
  const showOffer = async (group: string | null): Promise<void> => {
    const found = await askForOffer(group);
    if (found !== null) {
      setOffer(found);
    }
    setIsOwn(found !== null);
  };
  // The page is rendered in its initial state; the URL and the visitor's own prices are read afterwards.
  onMount(() => {
    setChoice(readChoice(location.search, props.models));
    // Shown from here on, and not before.
    delete document.documentElement.dataset["choice"];
    void showOffer(null);
  });
  const shown: Shown = {
    pages: new Set(modelsWithPage(props.models).map(({ name }) => name)),
    base: localizedPath("/models/", props.locale),
    texts: props.texts,
    formats,
    figures: props.figures,
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
      <ModelFilters shown={shown} models={props.models}>
        <Show when={offer()}>
          {(found) => (
            <Choice
              label={props.texts.pricesFor}
              value={isOwn() ? `=${found().group}` : ""}
              options={[
                ["", props.texts.everyone],
                ...found().groups.map(
                  ({ name }) => [`=${name}`, fill(props.texts.yourGroup, { group: name })] as const,
                ),
              ]}
              onChange={(value) => (value === "" ? setIsOwn(false) : void showOffer(value.slice(1)))}
            />
          )}
        </Show>
      </ModelFilters>
      <Show when={compared().length > 0}>
        <ModelComparison shown={shown} models={compared()} />
      </Show>
      <p class="model-count">
        <span role="status">
          {fill(props.texts.shown, {
            shown: formats.number(rows().length),
            count: formats.number(models().length),
          })}
        </span>{" "}
        <span class="model-hint">{props.texts.compareHint}</span>
      </p>
      <Show
        when={rows().length > 0}
        fallback={
          <div class="state">
            <p class="state-title">{props.texts.noMatch}</p>
            <button type="button" class="button" onClick={() => shown.change({ search: "", provider: "", trait: "" })}>
              {props.texts.clear}
            </button>
          </div>
        }
      >
        <ModelRows shown={shown} models={rows()} />
      </Show>
      <Show when={Object.keys({ ...props.figures.performance, ...props.figures.success }).length > 0}>
        <p class="model-count">{props.texts.measured}</p>
      </Show>
    </>
  );
}

type FilterProps = {
  readonly shown: Shown;
  readonly models: readonly SiteModel[];
  readonly children: JSX.Element;
};

function ModelFilters(props: FilterProps): JSX.Element {
  const id = createUniqueId();
  const { texts, change } = props.shown;
  const labels = new Map(modelColumns(props.shown).map(({ sort, label }) => [sort, label]));
  labels.set("name", texts.model);
  labels.set("provider", texts.provider);
  const providers = [...new Set(props.models.map((model) => model.owned_by))].sort();
  const traits = [...new Set(props.models.flatMap(traitsOf))];
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
          options={[["", texts.anyProvider], ...providers.map((name) => [name, ownerName(name)] as const)]}
          onChange={(provider) => change({ provider })}
        />
        <Choice
          label={texts.capability}
          value={props.shown.choice.trait}
          options={[["", texts.anyCapability], ...traits.map((trait) => [trait, texts.traits[trait]] as const)]}
          onChange={(value) => change({ trait: traits.find((trait) => trait === value) ?? "" })}
        />
        <Choice
          label={texts.sort}
          value={props.shown.choice.sort}
          options={modelSorts.filter((sort) => labels.has(sort)).map((sort) => [sort, labels.get(sort) ?? ""] as const)}
          onChange={(value) => change({ sort: modelSorts.find((sort) => sort === value) ?? "name", isReversed: false })}
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
        {props.children}
      </form>
    </search>
  );
}
