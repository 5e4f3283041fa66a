import { modelKinds } from "@sluice/contracts/model-kinds";
import { pricedUnits } from "@sluice/contracts/priced-units";
import { For, type JSX, Match, Show, Switch } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Checkbox, TextField } from "../../../kit/field.tsx";
import { Badge, Status } from "../../../kit/status.tsx";
import { formats } from "../../formats.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { FieldRow } from "../../parts/form-parts.tsx";
import { shownMs } from "../../shown.ts";
import { rich, t } from "../../translate.ts";
import { priceLabels, unpricedText } from "../../unit-texts.ts";
import { bounds, hasProposedPrices, isReady, keepsItsPrices, type ModelRow, type RowFields } from "./chosen-models.ts";
import styles from "./provider.module.css";

const boundLabels = {
  context_tokens_max: t("Context window, tokens"),
  output_tokens_max: t("Maximum output, tokens"),
  image_tokens_max: t("Maximum per image, tokens"),
} as const;

type ItemProps = {
  readonly row: ModelRow;
  readonly onChange: (change: Partial<ModelRow>) => void;
};

/** A model of the list: whether it is taken over, under which name, at which prices. */
export function ModelItem(props: ItemProps): JSX.Element {
  const rowProblem = (): string | undefined => props.row.problems[""];
  return (
    <li class={styles["model"]} data-chosen={props.row.isChosen}>
      <div class={styles["modelHead"]}>
        <Checkbox
          label={<code>{props.row.fields.name}</code>}
          hint={<Summary row={props.row} />}
          checked={props.row.isChosen}
          onChange={(event) => {
            const isChosen = event.currentTarget.checked;
            props.onChange({ isChosen, isOpen: isChosen && !isReady(props.row) });
          }}
        />
        <div class={styles["modelState"]}>
          <ItemState row={props.row} />
          <Show when={props.row.isChosen}>
            <Button
              variant="quiet"
              aria-expanded={props.row.isOpen}
              aria-label={t("Edit {name}", { name: props.row.fields.name })}
              onClick={() => props.onChange({ isOpen: !props.row.isOpen })}
            >
              {t("Edit")}
            </Button>
          </Show>
        </div>
      </div>
      <Show when={rowProblem()}>
        <p role="alert" class={styles["problem"]}>
          {rowProblem()}
        </p>
      </Show>
      <Show when={props.row.isChosen && props.row.isOpen}>
        <ItemFields row={props.row} onChange={props.onChange} />
      </Show>
    </li>
  );
}

function Summary(props: { readonly row: ModelRow }): JSX.Element {
  const texts = (): string => {
    const { fields, proposal } = props.row;
    const size =
      fields.kind === "chat"
        ? [
            t("{context_tokens_max} context", {
              context_tokens_max: formats.compact(Number(fields.context_tokens_max) || 0),
            }),
          ]
        : [];
    const named =
      fields.name === proposal.upstream_model
        ? []
        : [t("called {upstream_model}", { upstream_model: proposal.upstream_model })];
    return [fields.kind, ...size, ...(keepsItsPrices(props.row) ? [] : pricesOf(fields)), ...named].join(" · ");
  };
  return <span class={styles["summary"]}>{texts()}</span>;
}

/** The prices that most calls are charged, in words. */
function pricesOf(fields: RowFields): string[] {
  const shown = [
    [fields.input_usd_per_m, "in"],
    [fields.output_usd_per_m, "out"],
    [fields.cache_read_usd_per_m, "cached"],
    [fields.request_usd, t("a call")],
    [fields.image_usd, t("an image")],
    [fields.second_usd, t("a second")],
  ] as const;
  const found = shown.filter(([text]) => /^\d+(\.\d+)?$/.test(text) && /[1-9]/.test(text));
  const isFree = found.length === 0 && fields.input_usd_per_m !== "" && fields.output_usd_per_m !== "";
  return isFree ? ["free"] : found.map(([text, word]) => `${formats.usd(text)} ${word}`);
}

function ItemState(props: { readonly row: ModelRow }): JSX.Element {
  const test = () => props.row.test;
  const result = () => {
    const state = test();
    return state.kind === "done" ? state.result : null;
  };
  const skipped = () => {
    const state = test();
    return state.kind === "skipped" ? state.text : null;
  };
  return (
    <Switch>
      <Match when={test().kind === "running"}>
        <Status tone="info">{t("testing")}</Status>
      </Match>
      <Match when={result()}>
        {(seen) => (
          <Status tone={seen().is_ok ? "ok" : "bad"}>
            {seen().is_ok ? `works, ${shownMs(seen().latency_ms)}` : (seen().error ?? t("failed"))}
          </Status>
        )}
      </Match>
      <Match when={skipped()}>{(text) => <Status tone="neutral">{text()}</Status>}</Match>
      <Match when={keepsItsPrices(props.row)}>
        <Badge>{t("in the catalog, keeps its prices")}</Badge>
      </Match>
      <Match when={!isReady(props.row)}>
        <Badge>{t("no price known")}</Badge>
      </Match>
    </Switch>
  );
}

function ItemFields(props: ItemProps): JSX.Element {
  const field = (name: keyof RowFields) => ({
    name,
    get value() {
      return props.row.fields[name];
    },
    get error() {
      return props.row.problems[name] ?? null;
    },
    onInput: (event: { readonly currentTarget: { readonly value: string } }) =>
      props.onChange({
        fields: { ...props.row.fields, [name]: event.currentTarget.value },
        problems: { ...props.row.problems, [name]: undefined } as Record<string, string>,
      }),
  });
  const { proposal } = props.row;
  return (
    <div class={styles["fields"]}>
      <FieldRow>
        <TextField
          label={t("Name")}
          hint={t("The name clients send.")}
          autocomplete="off"
          spellcheck={false}
          {...field("name")}
        />
        <Show when={!keepsItsPrices(props.row)}>
          <TextField label={t("Display name")} autocomplete="off" {...field("display_name")} />
          <ChoiceField label={t("Kind")} options={modelKinds} {...field("kind")} />
        </Show>
      </FieldRow>
      <Show
        when={!keepsItsPrices(props.row)}
        fallback={<p class="muted">{t("The catalog has this model. Change its prices in Models.")}</p>}
      >
        <FieldRow>
          <For each={bounds}>
            {(bound) => (
              <TextField label={boundLabels[bound]} inputmode="numeric" autocomplete="off" {...field(bound)} />
            )}
          </For>
        </FieldRow>
        <FieldRow>
          <For each={pricedUnits}>
            {(unit) => (
              <TextField
                label={priceLabels[unit.price]}
                inputmode="decimal"
                autocomplete="off"
                {...(unpricedText(unit) === null ? {} : { hint: t("Empty: {unit}.", { unit: unpricedText(unit) }) })}
                {...field(unit.price)}
              />
            )}
          </For>
        </FieldRow>
        <ul class={styles["notes"]}>
          <Show when={proposal.are_limits_assumed}>
            <li>{t("The limits are common values: neither the provider nor the price data states them.")}</li>
          </Show>
          <li>{proposal.price_source ?? t("No price is known. Enter what you charge.")}</li>
          <Show when={proposal.long_prompt !== null && hasProposedPrices(proposal, props.row.fields)}>
            <li>
              {rich("Above {above_tokens} input tokens a call costs {input_usd_per_m} in, {output_usd_per_m} out.", {
                above_tokens: formats.number(proposal.long_prompt?.above_tokens ?? 0),
                input_usd_per_m: formats.usd(proposal.long_prompt?.input_usd_per_m ?? "0"),
                output_usd_per_m: formats.usd(proposal.long_prompt?.output_usd_per_m ?? "0"),
              })}
            </li>
          </Show>
          <For each={proposal.price_notes}>{(note) => <li>{note}</li>}</For>
        </ul>
      </Show>
    </div>
  );
}
