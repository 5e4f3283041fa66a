import { planNameIn } from "@sluice/contracts/plan-words";
import type { renewalListResponse, renewalPageResponse, renewalResponse } from "@sluice/contracts/renewals";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createMutation, createQuery, useQueryClient } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Card, Facts } from "../../../kit/card.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { ErrorState, Notice } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import { consoleLocale } from "../../locales.ts";
import styles from "./billing.module.css";
import { billingArea } from "./messages/messages.ts";

type Entry = ResponseOf<typeof renewalListResponse>["renewals"][number];

const tones: Readonly<Record<string, "ok" | "bad" | "neutral">> = { active: "ok", past_due: "bad" };
const base = "/backend/billing/renewal/";

/** The plans that the customer's card is charged for every month, with ways to change the card and to cancel. */
export function Renewals(): JSX.Element {
  const texts = billingArea.texts();
  const client = useQueryClient();
  const [ending, setEnding] = createSignal<Entry | null>(null);
  const query = createQuery(() => ({
    queryKey: ["renewals"],
    queryFn: ({ signal }) => apiGet<typeof renewalListResponse>(`${base}list/`, { signal }),
  }));
  const cancel = createMutation(() => ({
    mutationFn: (renewalNo: string) => apiPost<typeof renewalResponse>(`${base}cancel/`, { renewal_no: renewalNo }),
    onSuccess: () => {
      setEnding(null);
      showToast(texts.renewalCancelled);
      void client.invalidateQueries({ queryKey: ["renewals"] });
      void client.invalidateQueries({ queryKey: ["subscriptions"] });
    },
    onError: () => setEnding(null),
  }));
  const manage = createMutation(() => ({
    mutationFn: (renewalNo: string) => apiPost<typeof renewalPageResponse>(`${base}manage/`, { renewal_no: renewalNo }),
    onSuccess: ({ url }) => location.assign(url),
  }));
  /** One that has ended is shown until the customer has another one. */
  const shown = (): readonly Entry[] => {
    const entries = query.data?.renewals ?? [];
    const live = entries.filter(({ status }) => status !== "ended");
    return live.length > 0 ? live : entries.slice(0, 1);
  };
  return (
    <Switch>
      <Match when={query.isError && query.data === undefined}>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Match>
      <Match when={shown().length > 0}>
        <Card title={texts.renewals}>
          <For each={shown()}>
            {(entry) => (
              <Renewal
                entry={entry}
                isBusy={manage.isPending}
                onManage={() => manage.mutate(entry.renewal_no)}
                onEnd={() => setEnding(entry)}
              />
            )}
          </For>
          <Show when={cancel.error ?? manage.error}>
            {(error) => <ErrorState title={texts.failed} error={error()} />}
          </Show>
          <ConfirmDialog
            isOpen={ending() !== null}
            onClose={() => setEnding(null)}
            title={texts.cancelSubscription}
            action={texts.cancelSubscription}
            isBusy={cancel.isPending}
            onConfirm={() => cancel.mutate(ending()?.renewal_no ?? "")}
          >
            {fill(texts.cancelRenewalText, { date: formats.date(ending()?.period_end ?? new Date(0)) })}
          </ConfirmDialog>
        </Card>
      </Match>
    </Switch>
  );
}

type RenewalProps = {
  readonly entry: Entry;
  readonly isBusy: boolean;
  readonly onManage: () => void;
  readonly onEnd: () => void;
};

function Renewal(props: RenewalProps): JSX.Element {
  const texts = billingArea.texts();
  return (
    <div class={styles["entry"]}>
      <Show when={props.entry.status === "past_due" && props.entry.kept_until}>
        {(date) => <Notice tone="warn">{fill(texts.chargeFailed, { date: formats.date(date()) })}</Notice>}
      </Show>
      <Facts facts={factsOf(props.entry)} />
      <Show when={props.entry.status !== "ended" && props.entry.next}>
        {(next) => (
          <Notice tone="info">
            {fill(texts.newTerms, {
              date: formats.date(next().from),
              price: formats.usd(next().price_usd),
              amount: formats.quota(next().quota),
            })}
          </Notice>
        )}
      </Show>
      <Show when={props.entry.status !== "ended"}>
        <div class={styles["actions"]}>
          <Button isBusy={props.isBusy} onClick={() => props.onManage()}>
            {texts.changeCard}
          </Button>
          <Show when={!props.entry.is_cancelled_at_end}>
            <Button onClick={() => props.onEnd()}>{texts.cancelSubscription}</Button>
          </Show>
        </div>
      </Show>
    </div>
  );
}

function factsOf(entry: Entry): { readonly name: string; readonly value: JSX.Element }[] {
  const texts = billingArea.texts();
  const isEnding = entry.is_cancelled_at_end && entry.status === "active";
  const names: Readonly<Record<string, string>> = texts.renewalNames;
  const charge = { price: formats.usd(entry.price_usd), date: formats.date(entry.period_end ?? new Date(0)) };
  return [
    { name: texts.plan, value: <bdi>{planNameIn(entry, consoleLocale)}</bdi> },
    {
      name: texts.status,
      value: <Status tone={tones[entry.status] ?? "neutral"}>{isEnding ? texts.endsThen : names[entry.status]}</Status>,
    },
    ...(entry.status === "active" && !isEnding
      ? [{ name: texts.nextCharge, value: fill(texts.nextChargeText, charge) }]
      : []),
    ...(isEnding ? [{ name: texts.expires, value: charge.date }] : []),
  ];
}
