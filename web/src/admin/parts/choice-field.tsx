import { For, type JSX, splitProps } from "solid-js";
import { SelectField } from "../../kit/field.tsx";
import { shownWord } from "../shown.ts";

type ChoiceFieldProps = {
  readonly label: string;
  readonly hint?: string;
  readonly options: readonly (string | { readonly value: string; readonly label: string })[];
  readonly name: string;
  readonly value: string;
  readonly error?: string | null;
  readonly disabled?: boolean;
  readonly onInput: (event: { readonly currentTarget: { readonly value: string } }) => void;
};

/** One value from a list, in the form of `createForm`. */
export function ChoiceField(props: ChoiceFieldProps): JSX.Element {
  const [own, rest] = splitProps(props, ["options"]);
  return (
    <SelectField {...rest}>
      <For each={own.options}>
        {(option) => {
          const { value, label } = typeof option === "string" ? { value: option, label: shownWord(option) } : option;
          return (
            <option value={value} selected={value === props.value}>
              {label}
            </option>
          );
        }}
      </For>
    </SelectField>
  );
}

/** Filter options from the values of a contract. */
export function optionsOf(values: readonly string[]): readonly { readonly value: string; readonly label: string }[] {
  return values.map((value) => ({ value, label: shownWord(value) }));
}
