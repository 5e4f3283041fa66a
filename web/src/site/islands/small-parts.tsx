import { createSignal, createUniqueId, For, type JSX, onCleanup } from "solid-js";

/**
 * Controls of the islands, as small as possible: the kit's take any attribute, and the code for that weighs more than
 * an island may.
 */

const copiedMs = 2_000;

export function CopyButton(props: {
  readonly text: string;
  readonly texts: { readonly copy: string; readonly copied: string };
  /** Whether the button shows its words. */
  readonly hasLabel?: boolean;
}): JSX.Element {
  const [isCopied, setIsCopied] = createSignal(false);
  let timer: ReturnType<typeof setTimeout> | undefined;
  onCleanup(() => clearTimeout(timer));
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(props.text);
    setIsCopied(true);
    clearTimeout(timer);
    timer = setTimeout(() => setIsCopied(false), copiedMs);
  };
  return (
    <>
      <button
        type="button"
        class="button copy"
        data-variant={props.hasLabel === true ? undefined : "quiet"}
        aria-label={props.hasLabel === true ? undefined : props.texts.copy}
        onClick={() => void copy()}
      >
        <svg class="icon" width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
          <path d={isCopied() ? "M3 8.5 6.5 12 13 4.5" : "M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z"} />
        </svg>
        <span hidden={props.hasLabel !== true}>{isCopied() ? props.texts.copied : props.texts.copy}</span>
      </button>
      <span class="visually-hidden" role="status">
        {isCopied() ? props.texts.copied : ""}
      </span>
    </>
  );
}

/** A selection list with its label beside it. */
export function Choice(props: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onChange: (value: string) => void;
}): JSX.Element {
  const id = createUniqueId();
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {props.label}
      </label>
      <select id={id} class="input" onChange={(event) => props.onChange(event.currentTarget.value)}>
        <For each={props.options}>
          {([value, label]) => (
            <option value={value} selected={value === props.value}>
              {label}
            </option>
          )}
        </For>
      </select>
    </div>
  );
}
