import type { paymentOptionsResponse } from "@sluice/contracts/payments";
import { planNameIn, planWords } from "@sluice/contracts/plan-words";
import type { startedTopUpResponse, topUpResponse } from "@sluice/contracts/top-ups";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createMutation, createQuery, useQueryClient } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Card, Facts } from "../../../kit/card.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { SelectField, TextField } from "../../../kit/field.tsx";
import { ErrorState, Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import { consoleLocale } from "../../locales.ts";
import { billingArea } from "./messages/messages.ts";
import type { Plan } from "./plan.ts";
import { createPlansQuery } from "./plans.tsx";

type TopUp = NonNullable<ResponseOf<typeof topUpResponse>["top_up"]>;

const path = "/backend/billing/top-up/";
const stopTexts = {
  declined: "topUpStoppedDeclined",
  terms: "topUpStoppedTerms",
  returned: "topUpStoppedReturned",
} as const satisfies Record<NonNullable<TopUp["stop_reason"]>, string>;
const isUsd = (text: string): boolean => /^\d{1,7}(\.\d{1,2})?$/.test(text) && /[1-9]/.test(text);

/** Automatic top-ups by a method saved at the card gateway; nothing where that is not offered and none is on. */
export function AutoTopUp(): JSX.Element {
  const plans = createPlansQuery();
  const options = createQuery(() => ({
    queryKey: ["payment-options"],
    queryFn: ({ signal }) => apiGet<typeof paymentOptionsResponse>("/backend/payment/options/", { signal }),
  }));
  const query = createQuery(() => ({
    queryKey: ["top-up"],
    queryFn: ({ signal }) => apiGet<typeof topUpResponse>(path, { signal }),
  }));
  const topUps = (): readonly Plan[] => (plans.data?.plans ?? []).filter(({ kind }) => kind === "wallet_balance");
  const kept = (): TopUp | null => (query.data?.top_up?.status === "pending" ? null : (query.data?.top_up ?? null));
  const isOffered = (): boolean => options.data?.is_card_ready === true && topUps().length > 0;
  // The card of the plans itself says when these could not be loaded.
  const failed = () => [options, query].filter(({ isError, data }) => isError && data === undefined);
  return (
    <Switch>
      <Match when={failed()[0]}>
        {(first) => (
          <Card title={billingArea.texts().topUpTitle}>
            <ErrorState
              error={first().error}
              onRetry={() => void Promise.all(failed().map((part) => part.refetch()))}
            />
          </Card>
        )}
      </Match>
      <Match when={query.data !== undefined && (kept() !== null || isOffered())}>
        <Card title={billingArea.texts().topUpTitle}>
          <Show when={kept()} fallback={<StartForm plans={topUps()} />}>
            {(topUp) => <Kept topUp={topUp()} isPaused={options.data?.is_card_ready === false} />}
          </Show>
        </Card>
      </Match>
    </Switch>
  );
}

function Kept(props: {
  readonly topUp: TopUp;
  /** The card gateway is switched off, so that nothing is charged until it is on again. */
  readonly isPaused: boolean;
}): JSX.Element {
  const texts = billingArea.texts();
  const client = useQueryClient();
  const [isAsked, setIsAsked] = createSignal(false);
  const remove = createMutation(() => ({
    mutationFn: () => apiPost<typeof topUpResponse>(`${path}remove/`, {}),
    onSuccess: () => {
      setIsAsked(false);
      showToast(texts.topUpRemoved);
      void client.invalidateQueries({ queryKey: ["top-up"] });
    },
  }));
  return (
    <>
      <Show when={props.topUp.stop_reason}>
        {(reason) => <Notice tone="warn">{texts[stopTexts[reason()]]}</Notice>}
      </Show>
      <Show when={props.isPaused && props.topUp.stop_reason === null}>
        <Notice tone="warn">{texts.topUpPaused}</Notice>
      </Show>
      <Facts
        facts={[
          { name: texts.plan, value: <bdi>{planNameIn(props.topUp, consoleLocale)}</bdi> },
          { name: texts.topUpPrice, value: formats.usd(props.topUp.price_usd) },
          { name: texts.topUpThreshold, value: formats.usd(props.topUp.threshold_usd) },
          {
            name: texts.topUpMonth,
            value: fill(texts.topUpCharged, {
              charged: formats.usd(props.topUp.charged_usd),
              max: formats.usd(props.topUp.month_max_usd),
            }),
          },
        ]}
      />
      <Show when={remove.error}>{(error) => <ErrorState title={texts.failed} error={error()} />}</Show>
      <p>
        <Button onClick={() => setIsAsked(true)}>{texts.topUpRemove}</Button>
      </p>
      <ConfirmDialog
        isOpen={isAsked()}
        onClose={() => setIsAsked(false)}
        title={texts.topUpRemoveTitle}
        action={texts.topUpRemove}
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        {texts.topUpRemoveText}
      </ConfirmDialog>
    </>
  );
}

function StartForm(props: { readonly plans: readonly Plan[] }): JSX.Element {
  const texts = billingArea.texts();
  const planOf = (code: string): Plan | undefined => props.plans.find(({ plan_code }) => plan_code === code);
  const form = createForm({
    initial: { plan_code: props.plans[0]?.plan_code ?? "", amount_usd: "", threshold_usd: "5", month_max_usd: "100" },
    check: ({ plan_code: code, amount_usd: amount, threshold_usd: threshold, month_max_usd: max }) => ({
      ...(planOf(code)?.own_amount == null || isUsd(amount) ? {} : { amount_usd: texts.topUpAmountFault }),
      ...(isUsd(threshold) ? {} : { threshold_usd: texts.topUpAmountFault }),
      ...(isUsd(max) ? {} : { month_max_usd: texts.topUpAmountFault }),
    }),
    submit: async ({ amount_usd: amount, ...values }) => {
      const hasAmount = planOf(values.plan_code)?.own_amount != null;
      const { checkout_url } = await apiPost<typeof startedTopUpResponse>(`${path}start/`, {
        ...values,
        ...(hasAmount ? { amount_usd: amount } : {}),
      });
      location.assign(checkout_url);
    },
  });
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <p>{texts.topUpText}</p>
      <SelectField
        label={texts.plan}
        value={form.values().plan_code}
        onChange={(event) => form.set("plan_code", event.currentTarget.value)}
      >
        <For each={props.plans}>
          {(plan) => (
            <option value={plan.plan_code}>
              {plan.own_amount === null
                ? `${planWords(plan, consoleLocale).name}, ${formats.usd(plan.price_usd)}`
                : planWords(plan, consoleLocale).name}
            </option>
          )}
        </For>
      </SelectField>
      <Show when={planOf(form.values().plan_code)?.own_amount != null}>
        <TextField label={texts.ownAmount} inputmode="decimal" autocomplete="off" {...form.text("amount_usd")} />
      </Show>
      <TextField
        label={`${texts.topUpThreshold}, USD`}
        inputmode="decimal"
        autocomplete="off"
        {...form.text("threshold_usd")}
      />
      <TextField
        label={`${texts.topUpMonth}, USD`}
        inputmode="decimal"
        autocomplete="off"
        {...form.text("month_max_usd")}
      />
      <Show when={form.problem()}>{(error) => <ErrorState title={texts.failed} error={error()} />}</Show>
      <p>
        <Button type="submit" variant="primary" isBusy={form.isSubmitting()}>
          {texts.topUpStart}
        </Button>
      </p>
    </form>
  );
}
