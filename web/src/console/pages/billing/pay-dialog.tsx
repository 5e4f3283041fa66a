import type { createdOrderResponse, mockSettleResponse } from "@sluice/contracts/billing";
import type { createdPayment, paymentOptionsResponse } from "@sluice/contracts/payments";
import { planWords } from "@sluice/contracts/plan-words";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createMutation, createQuery, useQueryClient } from "@tanstack/solid-query";
import { createEffect, createSignal, type JSX, Match, on, Show, Switch } from "solid-js";
import { apiGet, apiPost, newIdempotencyKey } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { CodeBlock } from "../../../kit/code.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { TextField } from "../../../kit/field.tsx";
import { RadioCards } from "../../../kit/radio-cards.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import { consoleLocale } from "../../locales.ts";
import { CouponField } from "./coupon-field.tsx";
import { billingArea } from "./messages/messages.ts";
import { quotaOfAmount } from "./own-amount.ts";
import { type Method, methodsOf } from "./payment-methods.ts";
import { changedByCredit, type Plan } from "./plan.ts";
import { createQuoteQuery, Price } from "./price.tsx";

type Options = ResponseOf<typeof paymentOptionsResponse>;
type Payment = ResponseOf<typeof createdPayment>;

/** Asks how to pay for a plan, and continues to the gateway. */
export function PayDialog(props: { readonly plan: Plan | null; readonly onClose: () => void }): JSX.Element {
  const texts = billingArea.texts();
  const options = createQuery(() => ({
    queryKey: ["payment-options"],
    queryFn: ({ signal }) => apiGet<typeof paymentOptionsResponse>("/backend/payment/options/", { signal }),
    enabled: props.plan !== null,
  }));
  return (
    <Dialog
      isOpen={props.plan !== null}
      onClose={props.onClose}
      title={fill(texts.payTitle, { plan: props.plan === null ? "" : planWords(props.plan, consoleLocale).name })}
    >
      <Show when={props.plan}>
        {(plan) => (
          <Switch fallback={<LoadingPart />}>
            <Match when={options.isError && options.data === undefined}>
              <ErrorState error={options.error} onRetry={() => void options.refetch()} />
            </Match>
            <Match when={options.data}>
              {(offered) => <PayForm plan={plan()} options={offered()} onClose={props.onClose} />}
            </Match>
          </Switch>
        )}
      </Show>
    </Dialog>
  );
}

function AmountField(props: {
  readonly plan: Plan;
  readonly amount: string;
  readonly onChange: (amount: string) => void;
}): JSX.Element {
  const texts = billingArea.texts();
  const range = (bounds: NonNullable<Plan["own_amount"]>): { hint: string } | { error: string } => {
    const text = fill(texts.ownAmountHint, {
      min: formats.usd(bounds.min_usd),
      max: formats.usd(bounds.max_usd),
      step: formats.usd(bounds.step_usd),
    });
    return quotaOfAmount(props.plan, props.amount.trim()) === null ? { error: text } : { hint: text };
  };
  return (
    <Show when={props.plan.own_amount}>
      {(bounds) => (
        <TextField
          label={texts.ownAmount}
          inputmode="decimal"
          autocomplete="off"
          {...range(bounds())}
          value={props.amount}
          onInput={(event) => props.onChange(event.currentTarget.value)}
        />
      )}
    </Show>
  );
}

/** An order that was placed, with the request that a dry run would send. */
function Placed(props: { readonly payment: Payment }): JSX.Element {
  const texts = billingArea.texts();
  return (
    <>
      <p>{fill(texts.orderMade, { order: props.payment.order.order_no })}</p>
      <Show when={props.payment.request}>
        {(request) => (
          <CodeBlock label={texts.request} code={`POST ${request().path}\n${request().body.replaceAll("&", "\n&")}`} />
        )}
      </Show>
    </>
  );
}

function PayForm(props: { readonly plan: Plan; readonly options: Options; readonly onClose: () => void }): JSX.Element {
  const texts = billingArea.texts();
  const client = useQueryClient();
  const methods = methodsOf(props.options);
  const isTrial = props.options.is_mock_offered;
  const offered = isTrial ? methods : methods.filter(({ isReady }) => isReady);
  const [chosen, setChosen] = createSignal(offered.find(({ isReady }) => isReady) ?? offered[0]);
  const [amount, setAmount] = createSignal(props.plan.own_amount?.min_usd ?? props.plan.price_usd);
  const [coupon, setCoupon] = createSignal<string | null>(null);
  const [shown, setShown] = createSignal<Payment | null>(null);
  /** What the order adds; null while the amount is not one of those offered. */
  const granted = (): bigint | null =>
    props.plan.own_amount === null ? BigInt(props.plan.quota) : quotaOfAmount(props.plan, amount().trim());
  const bought = () => ({
    plan_code: props.plan.plan_code,
    ...(props.plan.own_amount === null ? {} : { amount_usd: amount().trim() }),
    ...(coupon() === null ? {} : { coupon_code: coupon() ?? "" }),
  });
  const quote = createQuoteQuery(() => (granted() === null ? null : bought()));
  const isPriced = (): boolean => granted() !== null && quote.data !== undefined;
  // The key stays the same while the purchase does, so that neither a second press nor one after a dry run places another order.
  let idempotencyKey = newIdempotencyKey();
  createEffect(
    on([chosen, amount, coupon], () => {
      idempotencyKey = newIdempotencyKey();
      setShown(null);
    }),
  );
  const refresh = (): void => {
    for (const name of changedByCredit) {
      void client.invalidateQueries({ queryKey: [name] });
    }
  };
  const pay = createMutation(() => ({
    mutationFn: ({ method, isDry }: { readonly method: Method; readonly isDry: boolean }) =>
      apiPost<typeof createdPayment>(
        method.path,
        { ...bought(), vendor: method.id, dry_run: isDry },
        { idempotencyKey },
      ),
    onSuccess: (payment) => {
      refresh();
      if (payment.checkout_url === null) {
        setShown(payment);
      } else {
        location.assign(payment.checkout_url);
      }
    },
  }));
  /** The order of the dry run, or one without a payment method. */
  const placeOrder = async () => {
    const tried = shown()?.order;
    if (tried !== undefined) {
      return tried;
    }
    const path = "/backend/billing/order/create/";
    const options = { idempotencyKey: newIdempotencyKey() };
    return (await apiPost<typeof createdOrderResponse>(path, bought(), options)).order;
  };
  const settle = createMutation(() => ({
    mutationFn: async () => {
      const order = await placeOrder();
      await apiPost<typeof mockSettleResponse>("/backend/payment/mock-settle/", { order_no: order.order_no });
      return order;
    },
    onSuccess: ({ quota }) => {
      refresh();
      showToast(fill(texts.mockDone, { amount: formats.quota(quota) }));
      props.onClose();
    },
  }));
  const start = (isDry: boolean): void => {
    const method = chosen();
    if (method !== undefined) {
      pay.mutate({ method, isDry });
    }
  };
  return (
    <div class="form">
      <AmountField plan={props.plan} amount={amount()} onChange={setAmount} />
      <Show when={offered.length > 0} fallback={<Notice tone="warn">{texts.noMethod}</Notice>}>
        <RadioCards
          label={texts.method}
          options={offered}
          selected={chosen()?.id}
          onSelect={(id) => setChosen(offered.find((method) => method.id === id))}
        />
        <p class="muted">{texts.payPage}</p>
      </Show>
      <CouponField applied={coupon()} onApply={setCoupon} />
      <Show when={granted() !== null}>
        <Price query={quote} />
      </Show>
      <Show when={isTrial}>
        <Notice tone="info">{texts.dryRunHint}</Notice>
      </Show>
      <Show when={pay.error ?? settle.error}>{(error) => <ErrorState title={texts.failed} error={error()} />}</Show>
      <Show when={shown()}>{(payment) => <Placed payment={payment()} />}</Show>
      <div class="dialog-actions">
        <Show when={isTrial}>
          <Button isBusy={settle.isPending} disabled={!isPriced()} onClick={() => settle.mutate()}>
            {texts.mock}
          </Button>
          <Button isBusy={pay.isPending} disabled={!isPriced()} onClick={() => start(true)}>
            {texts.dryRun}
          </Button>
        </Show>
        <Button
          variant="primary"
          isBusy={pay.isPending}
          disabled={chosen()?.isReady !== true || !isPriced()}
          onClick={() => start(false)}
        >
          {texts.pay}
        </Button>
      </div>
    </div>
  );
}
