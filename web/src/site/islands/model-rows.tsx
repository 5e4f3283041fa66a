import type { SiteModel } from "@sluice/contracts/site-catalogue";
import { For, type JSX, Show } from "solid-js";
import { fill } from "../../i18n/messages.ts";
import { ownerName } from "../../i18n/owner-name.ts";
import { comparedMax, isFalling, type ModelSort, sortedBy, traitsOf } from "./model-choice.ts";
import { type ModelColumn, modelColumns, type Shown } from "./model-shown.ts";
import { CopyButton } from "./small-parts.tsx";

/** A row for each model, with heads that sort. */
export function ModelRows(props: { readonly shown: Shown; readonly models: readonly SiteModel[] }): JSX.Element {
  const { texts } = props.shown;
  const columns = modelColumns(props.shown);
  return (
    <table class="model-table">
      <caption class="visually-hidden">{texts.title}</caption>
      <thead>
        <tr>
          <SortHead shown={props.shown} sort="name" label={texts.model} />
          <SortHead shown={props.shown} sort="provider" label={texts.provider} />
          <For each={columns}>{({ sort, label }) => <SortHead shown={props.shown} sort={sort} label={label} />}</For>
          <th scope="col" class="model-choose">
            {texts.compare}
          </th>
        </tr>
      </thead>
      <tbody>
        <For each={props.models}>{(model) => <ModelRow shown={props.shown} model={model} columns={columns} />}</For>
      </tbody>
    </table>
  );
}

function SortHead(props: { readonly shown: Shown; readonly sort: ModelSort; readonly label: string }): JSX.Element {
  const { texts, change } = props.shown;
  const order = (): "ascending" | "descending" | undefined => {
    const { choice } = props.shown;
    return choice.sort !== props.sort ? undefined : isFalling(choice) ? "descending" : "ascending";
  };
  return (
    <th
      scope="col"
      class={props.sort === "name" || props.sort === "provider" ? undefined : "numeric"}
      aria-sort={order()}
    >
      <button
        type="button"
        class="model-sort"
        aria-label={fill(texts.sortBy, { column: props.label })}
        onClick={() => change(sortedBy(props.sort, props.shown.choice))}
      >
        {props.label}
      </button>
    </th>
  );
}

type RowProps = { readonly shown: Shown; readonly model: SiteModel; readonly columns: readonly ModelColumn[] };

function ModelRow(props: RowProps): JSX.Element {
  const { model } = props;
  const { texts, change } = props.shown;
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
        <Show when={traitsOf(model).length > 0}>
          <ul class="model-traits" aria-label={texts.capabilities}>
            <For each={traitsOf(model)}>{(trait) => <li>{texts.traits[trait]}</li>}</For>
          </ul>
        </Show>
      </th>
      <td data-label={texts.provider}>
        <bdi>{ownerName(model.owned_by)}</bdi>
      </td>
      <For each={props.columns}>
        {({ label, text }) => (
          <td data-label={label} class="numeric">
            {text(model)}
          </td>
        )}
      </For>
      <td data-label={texts.compare} class="model-choose">
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
