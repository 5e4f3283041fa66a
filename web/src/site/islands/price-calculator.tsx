import { decimalToScaled, parseDecimal, scaledToDecimal } from "@sluice/contracts/money";
import { createMemo, createSignal, For, type JSX } from "solid-js";
import { SelectField, TextField } from "../../kit/field.tsx";

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

const places = 12;
const tokensPerPrice = 1_000_000n;
const tokensLengthMax = 12;

/** The exact cost of tokens at decimal prices for a million, as decimal text. */
export function costOfTokens(
  tokens: { readonly input: bigint; readonly output: bigint },
  price: { readonly inputUsdPerM: string; readonly outputUsdPerM: string },
): string {
  const input = tokens.input * decimalToScaled(parseDecimal(price.inputUsdPerM), places);
  const output = tokens.output * decimalToScaled(parseDecimal(price.outputUsdPerM), places);
  return scaledToDecimal((input + output) / tokensPerPrice, places);
}

function toTokens(text: string): bigint {
  const digits = text.replace(/\D/g, "").slice(0, tokensLengthMax);
  return digits === "" ? 0n : BigInt(digits);
}

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
