import type { subscriptionListResponse } from "@sluice/contracts/billing";
import { planNameIn } from "@sluice/contracts/plan-words";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery } from "@tanstack/solid-query";
import { For, type JSX, Match, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { Card, Facts } from "../../../kit/card.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import { formats } from "../../formats.ts";
import { consoleLocale } from "../../locales.ts";
import styles from "./billing.module.css";
import { billingArea } from "./messages/messages.ts";

type Entry = ResponseOf<typeof subscriptionListResponse>["subscriptions"][number];

const tones = { active: "ok", cancelled: "neutral", expired: "neutral" } as const;

/** The monthly plans of the account. Those that renew are cancelled where their charges are. */
export function Subscription(): JSX.Element {
  const texts = billingArea.texts();
  const query = createQuery(() => ({
    queryKey: ["subscriptions"],
    queryFn: ({ signal }) => apiGet<typeof subscriptionListResponse>("/backend/billing/subscription/list/", { signal }),
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
            <For each={entries()}>
              {(entry) => (
                <div class={styles["entry"]}>
                  <EntryFacts entry={entry} />
                </div>
              )}
            </For>
          )}
        </Match>
      </Switch>
    </Card>
  );
}

/** A month that no subscription pays for again ends by itself, so that there is nothing to cancel. */
function EntryFacts(props: { readonly entry: Entry }): JSX.Element {
  const texts = billingArea.texts();
  const { entry } = props;
  return (
    <Facts
      facts={[
        { name: texts.plan, value: <bdi>{planNameIn(entry, consoleLocale)}</bdi> },
        ...(entry.group === null ? [] : [{ name: texts.group, value: <bdi>{entry.group}</bdi> }]),
        {
          name: texts.status,
          value: (
            <Status tone={tones[entry.status]}>
              {entry.status === "active" && (entry.is_cancelled_at_end || !entry.renews)
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
  );
}
