import type { saveModelOutput } from "@sluice/contracts/catalog-admin";
import type { priceDataState } from "@sluice/contracts/price-data";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { For, type JSX, Show } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { Card } from "../../../kit/card.tsx";
import { EmptyState, ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { ActButton } from "../../parts/act-button.tsx";
import { createAction } from "../../parts/actions.ts";
import { outcomeText } from "../../parts/outcome-text.ts";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { rich, said, t } from "../../translate.ts";
import { priceLabels } from "../../unit-texts.ts";
import { modelsPath } from "./model.ts";
import { PriceSource, priceDataPath } from "./price-source.tsx";

type State = ResponseOf<typeof priceDataState>;
type Comparison = State["comparisons"][number];

/** What providers charge, where it differs from the catalog, and where newer prices come from. */
export function ProviderPrices(): JSX.Element {
  const query = createQuery(() => ({
    queryKey: [priceDataPath],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof priceDataState>(priceDataPath, { signal }),
  }));
  return (
    <Show
      when={query.data}
      fallback={
        <Show when={query.error} fallback={<LoadingPart />}>
          {(error) => <ErrorState error={error()} onRetry={() => void query.refetch()} />}
        </Show>
      }
    >
      {(state) => (
        <div class="section-stack">
          <PriceSource state={state()} />
          <Card title={t("Prices that differ")}>
            <p>
              {t(
                "Models compared: {compared}. A price changes only when you accept it; your prices may differ on purpose.",
                { compared: state().compared },
              )}
            </p>
            <Show
              when={state().comparisons.length > 0}
              fallback={
                <EmptyState title={t("No price differs")}>
                  {state().compared > 0
                    ? t("The catalog has what the providers charge.")
                    : t("No channel of a known provider serves a model that is in this data.")}
                </EmptyState>
              }
            >
              <Comparisons rows={state().comparisons} />
            </Show>
          </Card>
        </div>
      )}
    </Show>
  );
}

function Comparisons(props: { readonly rows: readonly Comparison[] }): JSX.Element {
  const action = createAction(priceDataPath, modelsPath, "/backend/admin/audit/");
  const accept = (row: Comparison): void => {
    void action.run(async () => {
      const answer = await apiPost<typeof saveModelOutput>(`${modelsPath}save/`, {
        name: row.model,
        ...Object.fromEntries(row.differences.map(({ price, to }) => [price, to])),
        ...(row.long_prompt === null ? {} : { long_prompt: row.long_prompt.to }),
        updated_at: row.updated_at,
        reason: row.source.slice(0, 500),
      });
      return outcomeText(answer, ({ model }) => t("{name} now has the provider's prices.", { name: model.name }));
    });
  };
  return (
    <SimpleTable
      label={t("Prices that differ")}
      rows={props.rows}
      columns={[
        { label: t("Model"), cell: (row) => <code>{row.model}</code> },
        { label: t("Price, USD: now and at the provider"), cell: (row) => <Differences row={row} /> },
        {
          label: t("From"),
          cell: (row) => (
            <>
              {said(row.source)}, <code>{row.upstream_model}</code>
              <For each={row.notes}>{(note) => <div>{note}</div>}</For>
            </>
          ),
        },
        {
          label: t("Accept"),
          cell: (row) => (
            <ActButton operation="/backend/admin/model/save/" isBusy={action.isBusy()} onClick={() => accept(row)}>
              {t("Accept")}
              <span class="visually-hidden">{rich("the prices of {model}", { model: row.model })}</span>
            </ActButton>
          ),
        },
      ]}
    />
  );
}

function Differences(props: { readonly row: Comparison }): JSX.Element {
  const long = () => props.row.long_prompt;
  return (
    <>
      <For each={props.row.differences}>
        {({ price, from, to }) => <div>{`${priceLabels[price]}: ${from ?? t("none of its own")} → ${to}`}</div>}
      </For>
      <Show when={long()}>
        {(tier) => (
          <div>{t("Long prompts: {from} → {to}", { from: tierText(tier().from), to: tierText(tier().to) })}</div>
        )}
      </Show>
    </>
  );
}

function tierText(tier: NonNullable<Comparison["long_prompt"]>["from"]): string {
  return tier === null
    ? t("none")
    : t("above {above_tokens} tokens {input_usd_per_m} in, {output_usd_per_m} out", {
        above_tokens: tier.above_tokens,
        input_usd_per_m: tier.input_usd_per_m,
        output_usd_per_m: tier.output_usd_per_m,
      });
}
