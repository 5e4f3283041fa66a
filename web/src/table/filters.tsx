import { createSignal, createUniqueId, For, type JSX, Show } from "solid-js";
import { Button } from "../kit/button.tsx";
import { SelectField, TextField } from "../kit/field.tsx";
import { Icon } from "../kit/icon.tsx";
import { useKitTexts } from "../kit/kit-texts.tsx";
import type { Filter } from "./model.ts";
import type { TableState } from "./table-state.ts";

type FiltersProps = { readonly filters: readonly Filter[]; readonly state: TableState };

/**
 * The fields of the filters. On a phone they would fill the first screen: there a search stays, and the rest is under a
 * button with the number of active ones.
 */
export function FilterBar(props: FiltersProps): JSX.Element {
  const texts = useKitTexts();
  const id = createUniqueId();
  const [isOpen, setIsOpen] = createSignal(false);
  const search = (): Filter | undefined => props.filters.find((filter) => "isSearch" in filter);
  const others = (): readonly Filter[] => props.filters.filter(({ id: each }) => each !== search()?.id);
  const countOfSet = (): number => others().filter((filter) => props.state.filter(filter.id) !== "").length;
  return (
    <>
      <Show when={search()}>{(filter) => <FilterField filter={filter()} state={props.state} />}</Show>
      <Show
        when={others().length > 1}
        fallback={<For each={others()}>{(filter) => <FilterField filter={filter} state={props.state} />}</For>}
      >
        <Button
          class="table-filters-button"
          aria-expanded={isOpen()}
          aria-controls={id}
          onClick={() => setIsOpen(!isOpen())}
        >
          <Icon name="filter" />
          {texts().filters}
          <Show when={countOfSet() > 0}>
            <span class="table-filters-count">{countOfSet()}</span>
          </Show>
        </Button>
        <div class="table-filters" id={id} data-open={isOpen()}>
          <For each={others()}>{(filter) => <FilterField filter={filter} state={props.state} />}</For>
        </div>
      </Show>
    </>
  );
}

function FilterField(props: { readonly filter: Filter; readonly state: TableState }): JSX.Element {
  const texts = useKitTexts();
  const { filter } = props;
  if ("isSearch" in filter) {
    return (
      <TextField
        label={filter.label}
        type="search"
        data-search=""
        value={props.state.filter(filter.id)}
        onChange={(event) => props.state.setFilter(filter.id, event.currentTarget.value.trim())}
      />
    );
  }
  return (
    <SelectField
      label={filter.label}
      value={props.state.filter(filter.id)}
      onChange={(event) => props.state.setFilter(filter.id, event.currentTarget.value)}
    >
      <option value="" selected={props.state.filter(filter.id) === ""}>
        {texts().any}
      </option>
      <For each={filter.options}>
        {(option) => (
          <option value={option.value} selected={props.state.filter(filter.id) === option.value}>
            {option.label}
          </option>
        )}
      </For>
    </SelectField>
  );
}

/** The active filters, each with a way to remove it. */
export function FilterChips(props: FiltersProps): JSX.Element {
  const texts = useKitTexts();
  const active = (): readonly Filter[] => props.filters.filter(({ id }) => props.state.filter(id) !== "");
  const valueText = (filter: Filter): string => {
    const value = props.state.filter(filter.id);
    return "isSearch" in filter ? value : (filter.options.find((option) => option.value === value)?.label ?? value);
  };
  return (
    <Show when={active().length > 0}>
      <div class="chips">
        <For each={active()}>
          {(filter) => (
            <button type="button" class="chip" onClick={() => props.state.setFilter(filter.id, "")}>
              {filter.label}: <bdi>{valueText(filter)}</bdi>
              <span class="visually-hidden">, {texts().reset}</span>
              <Icon name="close" />
            </button>
          )}
        </For>
        <Button variant="quiet" onClick={() => props.state.clearFilters()}>
          {texts().clearFilters}
        </Button>
      </div>
    </Show>
  );
}
