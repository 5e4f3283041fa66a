import { passThroughPaths } from "@sluice/contracts/pass-through";
import { For, type JSX } from "solid-js";
import { Checkbox } from "../../../kit/field.tsx";
import { rich, t } from "../../translate.ts";

type PathBoxesProps = {
  readonly value: readonly string[];
  readonly onChange: (paths: readonly string[]) => void;
};

/** Checkboxes for the paths without rules of their own that a channel passes through. */
export function PathBoxes(props: PathBoxesProps): JSX.Element {
  const choose = (path: string, isChosen: boolean): void => {
    props.onChange(passThroughPaths.filter((one) => (one === path ? isChosen : props.value.includes(one))));
  };
  return (
    <details open={props.value.length > 0}>
      <summary>
        {rich("Pass-through paths: {none}", { none: props.value.length === 0 ? t("none") : props.value.length })}
      </summary>
      <p class="muted">
        {rich(
          "Files, vector stores and responses belong to the provider's account: anyone who can use this channel sees, changes and deletes everyone's. A call costs what the model {code} costs per request, and needs an ability for it.",
          { code: <code>*</code> },
        )}
      </p>
      <For each={passThroughPaths}>
        {(path) => (
          <Checkbox
            label={path}
            name={`pass_through_paths:${path}`}
            checked={props.value.includes(path)}
            onChange={(event) => choose(path, event.currentTarget.checked)}
          />
        )}
      </For>
    </details>
  );
}
