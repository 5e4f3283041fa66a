import { createMemo, createSignal, For, type JSX } from "solid-js";
import { SelectField, TextField } from "../../kit/field.tsx";
import { costOfTokens, toTokens } from "./token-cost.ts";

export type PriceCalculatorProps = {
  readonly texts: {
    readonly model: string;
    readonly inputTokens: string;
    readonly outputTokens: string;
    readonly cost: string;
    readonly note: string;
  };
  readonly models: readonly {
    readonly name: string;
    readonly label: string;
    readonly inputUsdPerM: string;
    readonly outputUsdPerM: string;
  }[];
};

/** What a number of tokens costs with each model. */
export function PriceCalculator(props: PriceCalculatorProps): JSX.Element {
  const [name, setName] = createSignal(props.models[0]?.name ?? "");
  const [input, setInput] = createSignal("100000");
  const [output, setOutput] = createSignal("20000");
  const cost = createMemo(() => {
    const model = props.models.find((each) => each.name === name());
    return model === undefined ? "0" : costOfTokens({ input: toTokens(input()), output: toTokens(output()) }, model);
  });
  return (
    <form class="calculator" onSubmit={(event) => event.preventDefault()}>
      <SelectField label={props.texts.model} value={name()} onChange={(event) => setName(event.currentTarget.value)}>
        <For each={props.models}>{(model) => <option value={model.name}>{model.label}</option>}</For>
      </SelectField>
      <TextField
        label={props.texts.inputTokens}
        inputmode="numeric"
        value={input()}
        onInput={(event) => setInput(event.currentTarget.value)}
      />
      <TextField
        label={props.texts.outputTokens}
        inputmode="numeric"
        value={output()}
        onInput={(event) => setOutput(event.currentTarget.value)}
      />
      <p class="calculator-result" aria-live="polite">
        <span>{props.texts.cost}</span>
        <output dir="ltr">${cost()}</output>
      </p>
    </form>
  );
}
