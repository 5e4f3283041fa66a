import type { quoteResponse } from "@sluice/contracts/invoices";
import type { ResponseOf } from "@sluice/contracts/wire";
import { type CreateQueryResult, createQuery, keepPreviousData } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import { billingArea } from "./messages/messages.ts";

type Quote = ResponseOf<typeof quoteResponse>;

/** What an order would cost now; nothing is asked while there is nothing to buy. */
export function createQuoteQuery(bought: () => Readonly<Record<string, string>> | null): CreateQueryResult<Quote> {
  return createQuery(() => ({
    queryKey: ["quote", bought()],
    queryFn: ({ signal }) =>
      apiGet<typeof quoteResponse>("/backend/billing/order/quote/", { query: bought() ?? {}, signal }),
    enabled: bought() !== null,
    placeholderData: keepPreviousData,
  }));
}

/** The price of an order with its tax, and what the order adds. */
export function Price(props: { readonly query: CreateQueryResult<Quote> }): JSX.Element {
  const texts = billingArea.texts();
  return (
    <Switch fallback={<LoadingPart />}>
      <Match when={props.query.isError}>
        <ErrorState error={props.query.error} onRetry={() => void props.query.refetch()} />
      </Match>
      <Match when={props.query.data}>
        {(quote) => (
          <p>
            {fill(texts.payText, { price: formats.usd(quote().amount_usd), amount: formats.quota(quote().quota) })}
            <Show when={quote().tax_rate}>
              {(rate) => (
                <>
                  {" "}
                  {fill(texts.taxIncluded, {
                    tax: formats.usd(quote().tax_usd),
                    name: quote().tax_name,
                    rate: rate(),
                  })}
                </>
              )}
            </Show>
          </p>
        )}
      </Match>
    </Switch>
  );
}
