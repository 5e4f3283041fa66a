import { createMemo, createSignal, createUniqueId, For, type JSX } from "solid-js";
import { costOfTokens, toTokens } from "./token-cost.ts";

export type PriceCalculatorProps = {
  /** The BCP 47 tag that determines how amounts are formatted. */
  readonly formatTag: string;
  readonly texts: {
    readonly model: string;
    readonly inputTokens: string;
    readonly cachedTokens: string;
    readonly outputTokens: string;
    readonly cost: string;
    readonly note: string;
  };
  readonly models: readonly {
    readonly name: string;
    readonly label: string;
    readonly inputUsdPerM: string;
    readonly cachedUsdPerM: string;
    readonly outputUsdPerM: string;
  }[];
};

const placesMax = 12;

/** What a number of tokens costs with each model. */
export function PriceCalculator(props: PriceCalculatorProps): JSX.Element {
  const id = createUniqueId();
  const [name, setName] = createSignal(props.models[0]?.name ?? "");
  const [input, setInput] = createSignal("100000");
  const [cached, setCached] = createSignal("0");
  const [output, setOutput] = createSignal("20000");
  // A single token costs less than a millionth of a dollar, so small amounts need many decimals.
  const amount = new Intl.NumberFormat(props.formatTag, {
    style: "currency",
    currency: "USD",
    currencyDisplay: "narrowSymbol",
    maximumFractionDigits: placesMax,
  });
  const cost = createMemo(() => {
    const model = props.models.find((each) => each.name === name());
    const tokens = { input: toTokens(input()), cached: toTokens(cached()), output: toTokens(output()) };
    return amount.format((model === undefined ? "0" : costOfTokens(tokens, model)) as Intl.StringNumericLiteral);
  });
  return (
    <form class="calculator" onSubmit={(event) => event.preventDefault()}>
      <div class="field">
        <label class="field-label" for={id}>
          {props.texts.model}
        </label>
        <select id={id} class="input" value={name()} onChange={(event) => setName(event.currentTarget.value)}>
          <For each={props.models}>{(model) => <option value={model.name}>{model.label}</option>}</For>
        </select>
      </div>
      <TokenField label={props.texts.inputTokens} value={input()} onInput={setInput} />
      <TokenField label={props.texts.cachedTokens} value={cached()} onInput={setCached} />
      <TokenField label={props.texts.outputTokens} value={output()} onInput={setOutput} />
      <p class="calculator-result" aria-live="polite">
        <span>{props.texts.cost}</span>
        <output>
          <bdi>{cost()}</bdi>
        </output>
      </p>
    </form>
  );
}

/** As small as possible: the kit's fields take any attribute, and the code for that weighs more than all of this. */
function TokenField(props: {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}): JSX.Element {
  const id = createUniqueId();
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {props.label}
      </label>
      <input
        id={id}
        class="input"
        inputmode="numeric"
        autocomplete="off"
        value={props.value}
        onInput={(event) => props.onInput(event.currentTarget.value)}
      />
    </div>
  );
}
