import type { deliveryListResponse, queuedDeliveryResponse } from "@sluice/contracts/event-targets";
import { createMutation, createQuery, useQueryClient } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { EmptyState, ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { Status, type Tone } from "../../../kit/status.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import { webhooksArea } from "./messages/messages.ts";
import { type Delivery, deliveriesPath, type Webhook } from "./webhook.ts";
import styles from "./webhooks.module.css";

const tones: Readonly<Record<Delivery["status"], Tone>> = {
  queued: "warn",
  sending: "warn",
  delivered: "ok",
  failed: "bad",
};
/** While something is under way, its result is looked for. */
const refreshMs = 2_000;

/** What was sent to a webhook and what it answered. */
export function DeliveryLogDialog(props: {
  readonly webhook: Webhook | null;
  readonly onClose: () => void;
}): JSX.Element {
  const texts = webhooksArea.texts();
  return (
    <Dialog isOpen={props.webhook !== null} onClose={props.onClose} title={texts.log} size="wide">
      <Show when={props.webhook}>{(webhook) => <DeliveryLog webhook={webhook()} />}</Show>
    </Dialog>
  );
}

function DeliveryLog(props: { readonly webhook: Webhook }): JSX.Element {
  const texts = webhooksArea.texts();
  const client = useQueryClient();
  const [before, setBefore] = createSignal<string | number | null>(null);
  const query = createQuery(() => ({
    queryKey: [deliveriesPath, props.webhook.target_id, before()],
    queryFn: ({ signal }) =>
      apiGet<typeof deliveryListResponse>(deliveriesPath, {
        signal,
        query: { target_id: props.webhook.target_id, cursor: before(), limit: 10 },
      }),
    refetchInterval: ({ state }: { state: { data?: { deliveries: readonly Delivery[] } | undefined } }) =>
      state.data?.deliveries.some(({ status }) => status === "queued" || status === "sending") ? refreshMs : false,
  }));
  const replay = createMutation(() => ({
    mutationFn: ({ delivery_id }: Delivery) =>
      apiPost<typeof queuedDeliveryResponse>("/backend/webhooks/replay/", { delivery_id }),
    onSuccess: () => {
      showToast(texts.replayed);
      void client.invalidateQueries({ queryKey: [deliveriesPath] });
    },
  }));
  return (
    <>
      <Show when={replay.error}>{(error) => <ErrorState error={error()} />}</Show>
      <Switch fallback={<LoadingPart size="card" />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data?.deliveries.length === 0}>
          <EmptyState title={texts.logEmpty}>{texts.logEmptyText}</EmptyState>
        </Match>
        <Match when={query.data}>
          {(page) => (
            <>
              <ul class={`plain-list ${styles["webhooks"]}`}>
                <For each={page().deliveries}>
                  {(delivery) => (
                    <DeliveryRow
                      delivery={delivery}
                      canReplay={props.webhook.status === "active" && !replay.isPending}
                      onReplay={() => replay.mutate(delivery)}
                    />
                  )}
                </For>
              </ul>
              <div class="dialog-actions">
                <Show when={before() !== null}>
                  <Button onClick={() => setBefore(null)}>{texts.newest}</Button>
                </Show>
                <Show when={page().next_cursor}>
                  {(cursor) => <Button onClick={() => setBefore(cursor())}>{texts.older}</Button>}
                </Show>
              </div>
            </>
          )}
        </Match>
      </Switch>
    </>
  );
}

function DeliveryRow(props: {
  readonly delivery: Delivery;
  readonly canReplay: boolean;
  readonly onReplay: () => void;
}): JSX.Element {
  const texts = webhooksArea.texts();
  const delivery = (): Delivery => props.delivery;
  const milliseconds = new Intl.NumberFormat(document.documentElement.lang, { style: "unit", unit: "millisecond" });
  const isOver = (): boolean => delivery().status === "delivered" || delivery().status === "failed";
  return (
    <li class={styles["webhook"]}>
      <div>
        <code>{delivery().type}</code>{" "}
        <Status tone={tones[delivery().status]}>{texts.deliveryNames[delivery().status]}</Status>
        <div class="muted">
          {formats.dateTime(delivery().created_at)} · <bdi>{delivery().event_id}</bdi>
        </div>
        <Show when={delivery().next_attempt_at}>
          {(at) => (
            <div class="muted">
              {texts.nextAttempt} {formats.dateTime(at())}
            </div>
          )}
        </Show>
        <ul class={`plain-list ${styles["attempts"]}`}>
          <For each={delivery().attempts}>
            {(attempt) => (
              <li>
                {formats.dateTime(attempt.at)} · {attempt.http_status ?? texts.noResponse} ·{" "}
                {milliseconds.format(attempt.duration_ms)}
                <Show when={attempt.http_status === null ? attempt.error : null}>
                  {(error) => <bdi dir="ltr"> · {error()}</bdi>}
                </Show>
                <Show when={attempt.response_start !== ""}>
                  <pre dir="ltr">{attempt.response_start}</pre>
                </Show>
              </li>
            )}
          </For>
        </ul>
        <details>
          <summary>{texts.payload}</summary>
          <pre dir="ltr">{delivery().payload}</pre>
        </details>
      </div>
      <Show when={isOver()}>
        <Button
          aria-label={`${texts.replay}: ${delivery().event_id}`}
          disabled={!props.canReplay}
          onClick={props.onReplay}
        >
          {texts.replay}
        </Button>
      </Show>
    </li>
  );
}
