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
import { priceLabels } from "../../unit-texts.ts";
import { modelsPath } from "./model-form.tsx";
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
          <Card title="Prices that differ">
            <p>
              {`Models compared: ${state().compared}. A price changes only when you accept it; your prices may differ on purpose.`}
            </p>
            <Show
              when={state().comparisons.length > 0}
              fallback={
                <EmptyState title="No price differs">
                  {state().compared > 0
                    ? "The catalog has what the providers charge."
                    : "No channel of a known provider serves a model that is in this data."}
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
      return outcomeText(answer, ({ model }) => `${model.name} now has the provider's prices.`);
    });
  };
  return (
    <SimpleTable
      label="Prices that differ"
      rows={props.rows}
      columns={[
        { label: "Model", cell: (row) => <code>{row.model}</code> },
        { label: "Price, USD: now and at the provider", cell: (row) => <Differences row={row} /> },
        {
          label: "From",
          cell: (row) => (
            <>
              {row.source}, <code>{row.upstream_model}</code>
              <For each={row.notes}>{(note) => <div>{note}</div>}</For>
            </>
          ),
        },
        {
          label: "Accept",
          cell: (row) => (
            <ActButton operation="/backend/admin/model/save/" isBusy={action.isBusy()} onClick={() => accept(row)}>
              Accept<span class="visually-hidden"> the prices of {row.model}</span>
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
        {({ price, from, to }) => <div>{`${priceLabels[price]}: ${from ?? "none of its own"} → ${to}`}</div>}
      </For>
      <Show when={long()}>
        {(tier) => <div>{`Long prompts: ${tierText(tier().from)} → ${tierText(tier().to)}`}</div>}
      </Show>
    </>
  );
}

function tierText(tier: NonNullable<Comparison["long_prompt"]>["from"]): string {
  return tier === null
    ? "none"
    : `above ${tier.above_tokens} tokens ${tier.input_usd_per_m} in, ${tier.output_usd_per_m} out`;
}
