import type { subscriptionListResponse } from "@sluice/contracts/billing";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createMutation, createQuery, useQueryClient } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Card, Facts } from "../../../kit/card.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import { billingArea } from "./messages/messages.ts";

type Entry = ResponseOf<typeof subscriptionListResponse>["subscriptions"][number];

const tones = { active: "ok", cancelled: "neutral", expired: "neutral" } as const;

/** The subscriptions of the account, with a way to let them end. */
export function Subscription(): JSX.Element {
  const texts = billingArea.texts();
  const client = useQueryClient();
  const [ending, setEnding] = createSignal<Entry | null>(null);
  const query = createQuery(() => ({
    queryKey: ["subscriptions"],
    queryFn: ({ signal }) => apiGet<typeof subscriptionListResponse>("/backend/billing/subscription/list/", { signal }),
  }));
  const cancel = createMutation(() => ({
    mutationFn: (planCode: string) =>
      apiPost<typeof subscriptionListResponse>("/backend/billing/subscription/cancel/", { plan_code: planCode }),
    onSuccess: () => {
      setEnding(null);
      showToast(texts.cancelled);
      void client.invalidateQueries({ queryKey: ["subscriptions"] });
    },
  }));
  return (
    <Card title={texts.subscription}>
      <Switch fallback={<LoadingPart size="line" />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data?.subscriptions.length === 0}>
          <p class="muted">{texts.noSubscription}</p>
        </Match>
        <Match when={query.data?.subscriptions}>
          {(entries) => (
            <For each={entries()}>{(entry) => <EntryFacts entry={entry} onEnd={() => setEnding(entry)} />}</For>
          )}
        </Match>
      </Switch>
      <Show when={cancel.error}>{(error) => <ErrorState title={texts.failed} error={error()} />}</Show>
      <ConfirmDialog
        isOpen={ending() !== null}
        onClose={() => setEnding(null)}
        title={texts.cancelSubscription}
        action={texts.cancelSubscription}
        isBusy={cancel.isPending}
        onConfirm={() => cancel.mutate(ending()?.plan_code ?? "")}
      >
        {fill(texts.cancelText, { date: formats.date(ending()?.period_end ?? new Date(0)) })}
      </ConfirmDialog>
    </Card>
  );
}

function EntryFacts(props: { readonly entry: Entry; readonly onEnd: () => void }): JSX.Element {
  const texts = billingArea.texts();
  const { entry } = props;
  return (
    <>
      <Facts
        facts={[
          { name: texts.plan, value: <bdi>{entry.plan_code}</bdi> },
          ...(entry.group === null ? [] : [{ name: texts.group, value: <bdi>{entry.group}</bdi> }]),
          {
            name: texts.status,
            value: (
              <Status tone={tones[entry.status]}>
                {entry.is_cancelled_at_end && entry.status === "active"
                  ? texts.endsThen
                  : texts.subscriptionNames[entry.status]}
              </Status>
            ),
          },
          {
            name: texts.period,
            value: fill(texts.periodText, {
              from: formats.date(entry.period_start),
              to: formats.date(entry.period_end),
            }),
          },
          { name: texts.granted, value: formats.quota(entry.quota_granted) },
        ]}
      />
      <Show when={entry.status === "active" && !entry.is_cancelled_at_end && !entry.renews}>
        <div>
          <Button onClick={() => props.onEnd()}>{texts.cancelSubscription}</Button>
        </div>
      </Show>
    </>
  );
}
