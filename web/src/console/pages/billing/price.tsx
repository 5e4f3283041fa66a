import type { checkedCouponResponse } from "@sluice/contracts/coupons";
import type { quoteResponse } from "@sluice/contracts/invoices";
import type { ResponseOf } from "@sluice/contracts/wire";
import { type CreateQueryResult, createQuery, keepPreviousData } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import { billingArea } from "./messages/messages.ts";

type Checked = ResponseOf<typeof checkedCouponResponse>;
/** With what a coupon changes, if there is one. */
type Quote = ResponseOf<typeof quoteResponse> & Partial<Checked>;

/** What an order would cost now; nothing is asked while there is nothing to buy. */
export function createQuoteQuery(bought: () => Readonly<Record<string, string>> | null): CreateQueryResult<Quote> {
  return createQuery(() => ({
    queryKey: ["quote", bought()],
    queryFn: ({ signal }): Promise<Quote> =>
      "coupon_code" in (bought() ?? {})
        ? apiPost<typeof checkedCouponResponse>("/backend/billing/coupon/check/", bought() ?? {})
        : apiGet<typeof quoteResponse>("/backend/billing/order/quote/", { query: bought() ?? {}, signal }),
    // Each attempt with an unknown coupon counts.
    retry: false,
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
            <CouponEffect quote={quote()} />
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

/** The price before the coupon, and what that changes. */
function CouponEffect(props: { readonly quote: Quote }): JSX.Element {
  const texts = billingArea.texts();
  const bonus = (): bigint => BigInt(props.quote.bonus_quota ?? 0);
  return (
    <Show when={props.quote.coupon_code}>
      {(code) => (
        <>
          {bonus() > 0n
            ? fill(texts.couponBonus, { code: code(), amount: formats.quota(bonus()) })
            : fill(texts.couponDiscount, {
                before: formats.usd(props.quote.price_usd ?? "0.00"),
                code: code(),
                discount: formats.usd(props.quote.discount_usd ?? "0.00"),
              })}{" "}
        </>
      )}
    </Show>
  );
}
