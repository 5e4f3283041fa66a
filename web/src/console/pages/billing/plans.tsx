import type { planListResponse } from "@sluice/contracts/billing";
import { planWords } from "@sluice/contracts/plan-words";
import { useSearchParams } from "@solidjs/router";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { EmptyState, ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import { consoleLocale } from "../../locales.ts";
import styles from "./billing.module.css";
import { billingArea } from "./messages/messages.ts";
import { PayDialog } from "./pay-dialog.tsx";
import type { Plan } from "./plan.ts";
import { SubscribeDialog } from "./subscribe-dialog.tsx";

/** The plans that can be bought. */
export function createPlansQuery() {
  return createQuery(() => ({
    queryKey: ["plans"],
    queryFn: ({ signal }) => apiGet<typeof planListResponse>("/backend/billing/plans/", { signal }),
  }));
}

/** What is offered, and the way to buy it. */
export function Plans(props: { readonly query: ReturnType<typeof createPlansQuery> }): JSX.Element {
  const { query } = props;
  const texts = billingArea.texts();
  const [params, setParams] = useSearchParams();
  const [bought, setBought] = createSignal<Plan | null>(null);
  const [subscribed, setSubscribed] = createSignal<Plan | null>(null);
  /** The plan that a link names, as on the site: its dialog opens by itself. */
  const named = (): string => (typeof params["plan"] === "string" ? params["plan"] : "");
  const linked = (): Plan | null => query.data?.plans.find((plan) => plan.plan_code === named()) ?? null;
  const isGone = (): boolean => named() !== "" && query.data !== undefined && linked() === null;
  /** The one dialog that is open: what was clicked, or else what the link names. */
  const toSubscribe = (): Plan | null =>
    bought() === null ? (subscribed() ?? (linked()?.renews ? linked() : null)) : null;
  const toBuy = (): Plan | null => bought() ?? (linked()?.renews ? null : linked());
  const close = (): void => {
    setBought(null);
    setSubscribed(null);
    setParams({ plan: null }, { replace: true, scroll: false });
  };
  return (
    <div class={styles["offer"]}>
      <h2>{texts.plans}</h2>
      <Show when={isGone()}>
        <Notice tone="warn">{fill(texts.planGone, { plan: named() })}</Notice>
      </Show>
      <Switch fallback={<LoadingPart size="chart" />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data?.plans.length === 0}>
          <EmptyState title={texts.noPlans}>{texts.noPlansText}</EmptyState>
        </Match>
        <Match when={query.data?.plans}>
          {(plans) => (
            <div class={styles["plans"]}>
              <For each={plans()}>
                {(plan) => (
                  <PlanCard plan={plan} onBuy={() => setBought(plan)} onSubscribe={() => setSubscribed(plan)} />
                )}
              </For>
            </div>
          )}
        </Match>
      </Switch>
      <SubscribeDialog plan={toSubscribe()} onBuyMonth={setBought} onClose={close} />
      <PayDialog plan={toBuy()} onClose={close} />
    </div>
  );
}

function priceText({ own_amount: bounds, price_usd: price }: Plan): string {
  const { priceRange } = billingArea.texts();
  return bounds === null
    ? formats.usd(price)
    : fill(priceRange, { min: formats.usd(bounds.min_usd), max: formats.usd(bounds.max_usd) });
}

function PlanCard(props: {
  readonly plan: Plan;
  readonly onBuy: () => void;
  readonly onSubscribe: () => void;
}): JSX.Element {
  const texts = billingArea.texts();
  const { plan } = props;
  const words = planWords(plan, consoleLocale);
  return (
    <div class={styles["plan"]}>
      <h3 dir="auto">{words.name}</h3>
      <p class={styles["price"]}>
        <bdi>{priceText(plan)}</bdi> <small>{plan.kind === "monthly" ? texts.monthly : texts.once}</small>
      </p>
      <p class="muted">
        {fill(plan.own_amount === null ? texts.grants : texts.grantsRate, {
          amount: formats.quota(plan.quota),
          price: formats.usd(plan.price_usd),
        })}
      </p>
      <Show when={plan.group}>
        {(group) => (
          <p class="muted">
            {fill(texts.planGroup, { group: group().name, multiplier: formats.decimal(group().multiplier) })}
          </p>
        )}
      </Show>
      <Show when={words.description !== ""}>
        <p dir="auto">{words.description}</p>
      </Show>
      <Show when={words.features.length > 0}>
        <ul>
          <For each={words.features}>{(feature) => <li dir="auto">{feature}</li>}</For>
        </ul>
      </Show>
      <Show when={plan.renews}>
        <Button variant="primary" onClick={() => props.onSubscribe()} aria-label={`${texts.subscribe}: ${words.name}`}>
          {texts.subscribe}
        </Button>
      </Show>
      <Button onClick={() => props.onBuy()} aria-label={`${plan.renews ? texts.buyMonth : texts.buy}: ${words.name}`}>
        {plan.renews ? texts.buyMonth : texts.buy}
      </Button>
    </div>
  );
}
