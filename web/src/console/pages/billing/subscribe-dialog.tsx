import type { paymentOptionsResponse } from "@sluice/contracts/payments";
import { planWords } from "@sluice/contracts/plan-words";
import type { startedRenewal } from "@sluice/contracts/renewals";
import { createMutation, createQuery } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import { consoleLocale } from "../../locales.ts";
import { billingArea } from "./messages/messages.ts";
import type { Plan } from "./plan.ts";

type SubscribeDialogProps = {
  readonly plan: Plan | null;
  readonly onBuyMonth: (plan: Plan) => void;
  readonly onClose: () => void;
};

/** Says what a plan that renews costs, and continues to the gateway's page. One month of it can be bought instead. */
export function SubscribeDialog(props: SubscribeDialogProps): JSX.Element {
  const texts = billingArea.texts();
  const options = createQuery(() => ({
    queryKey: ["payment-options"],
    queryFn: ({ signal }) => apiGet<typeof paymentOptionsResponse>("/backend/payment/options/", { signal }),
    enabled: props.plan !== null,
  }));
  const start = createMutation(() => ({
    mutationFn: (planCode: string) =>
      apiPost<typeof startedRenewal>("/backend/billing/renewal/start/", { plan_code: planCode }),
    onSuccess: ({ checkout_url: address }) => location.assign(address),
  }));
  const close = (): void => {
    start.reset();
    props.onClose();
  };
  return (
    <Dialog
      isOpen={props.plan !== null}
      onClose={close}
      title={fill(texts.subscribeTitle, { plan: props.plan === null ? "" : planWords(props.plan, consoleLocale).name })}
    >
      <Show when={props.plan}>
        {(plan) => (
          <Switch fallback={<LoadingPart />}>
            <Match when={options.isError && options.data === undefined}>
              <ErrorState error={options.error} onRetry={() => void options.refetch()} />
            </Match>
            <Match when={options.data}>
              {(offered) => (
                <div class="form">
                  <p>
                    {fill(texts.subscribeText, {
                      price: formats.usd(plan().price_usd),
                      amount: formats.quota(plan().quota),
                    })}
                  </p>
                  <Show when={offered().is_card_ready} fallback={<Notice tone="warn">{texts.noMethod}</Notice>}>
                    <p class="muted">{texts.subscribePage}</p>
                  </Show>
                  <Show when={start.error}>{(error) => <ErrorState title={texts.failed} error={error()} />}</Show>
                  <div class="dialog-actions">
                    <Button onClick={() => props.onBuyMonth(plan())}>{texts.buyMonth}</Button>
                    <Button
                      variant="primary"
                      isBusy={start.isPending}
                      disabled={!offered().is_card_ready}
                      onClick={() => start.mutate(plan().plan_code)}
                    >
                      {texts.pay}
                    </Button>
                  </div>
                </div>
              )}
            </Match>
          </Switch>
        )}
      </Show>
    </Dialog>
  );
}
