import { createUniqueId, For, type JSX } from "solid-js";
import "./radio-cards.css";

type RadioCardsProps<Id extends string> = {
  readonly label: string;
  readonly options: readonly { readonly id: Id; readonly label: string }[];
  readonly selected: Id | undefined;
  readonly onSelect: (id: Id) => void;
};

/** A choice among few options that are all visible: radio buttons with the look of buttons. */
export function RadioCards<Id extends string>(props: RadioCardsProps<Id>): JSX.Element {
  const name = createUniqueId();
  return (
    <fieldset class="radio-cards">
      <legend class="field-label">{props.label}</legend>
      <div class="radio-card-grid">
        <For each={props.options}>
          {(option) => (
            <label class="radio-card">
              <input
                type="radio"
                name={name}
                value={option.id}
                checked={option.id === props.selected}
                onChange={() => props.onSelect(option.id)}
              />
              <span>{option.label}</span>
            </label>
          )}
        </For>
      </div>
    </fieldset>
  );
}
