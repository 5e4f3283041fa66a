import type { deliveryListResponse, queuedDeliveryResponse } from "@sluice/contracts/event-targets";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { EmptyState, ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { Status, type Tone } from "../../../kit/status.tsx";
import { ActButton } from "../../parts/act-button.tsx";
import { createAction } from "../../parts/actions.ts";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { dash, shownMoment, shownWord } from "../../shown.ts";
import { rich, t } from "../../translate.ts";
import { type Delivery, deliveriesPath, type Target } from "./event-target.ts";

const tones: Readonly<Record<Delivery["status"], Tone>> = {
  queued: "warn",
  sending: "warn",
  delivered: "ok",
  failed: "bad",
};
/** While something is under way, its result is looked for. */
const refreshMs = 2_000;

/** What was sent to a target and what it answered. */
export function DeliveryLogDialog(props: {
  readonly target: Target | null;
  readonly onClose: () => void;
}): JSX.Element {
  return (
    <Dialog
      isOpen={props.target !== null}
      onClose={props.onClose}
      title={t("Log of {name}", { name: props.target?.name ?? "" })}
      size="wide"
    >
      <Show when={props.target}>{(target) => <DeliveryLog target={target()} />}</Show>
    </Dialog>
  );
}

function DeliveryLog(props: { readonly target: Target }): JSX.Element {
  const [before, setBefore] = createSignal<string | number | null>(null);
  const action = createAction(deliveriesPath);
  const query = createQuery(() => ({
    queryKey: [deliveriesPath, props.target.target_id, before()],
    queryFn: ({ signal }) =>
      apiGet<typeof deliveryListResponse>(deliveriesPath, {
        signal,
        query: { target_id: props.target.target_id, cursor: before(), limit: 10 },
      }),
    refetchInterval: ({ state }: { state: { data?: { deliveries: readonly Delivery[] } | undefined } }) =>
      state.data?.deliveries.some(({ status }) => status === "queued" || status === "sending") ? refreshMs : false,
  }));
  const replay = ({ delivery_id }: Delivery): Promise<boolean> =>
    action.run(async () => {
      await apiPost<typeof queuedDeliveryResponse>("/backend/admin/event-target/replay/", { delivery_id });
      return t("The event will be sent again.");
    });
  return (
    <Switch fallback={<LoadingPart size="card" />}>
      <Match when={query.isError && query.data === undefined}>
        <ErrorState error={query.error} onRetry={() => void query.refetch()} />
      </Match>
      <Match when={query.data?.deliveries.length === 0}>
        <EmptyState title={t("Nothing was sent yet")}>{t("Send a test, or wait for an event.")}</EmptyState>
      </Match>
      <Match when={query.data}>
        {(page) => (
          <>
            <SimpleTable
              label={t("Deliveries")}
              rows={page().deliveries}
              columns={[
                { label: t("Event"), cell: (row) => <EventCell delivery={row} /> },
                { label: t("State"), cell: (row) => <Status tone={tones[row.status]}>{shownWord(row.status)}</Status> },
                { label: t("Attempts"), cell: (row) => <Attempts delivery={row} /> },
                {
                  label: t("Send again"),
                  cell: (row) => (
                    <Show when={row.status === "delivered" || row.status === "failed"} fallback={dash}>
                      <ActButton
                        operation="/backend/admin/event-target/replay/"
                        variant="quiet"
                        aria-label={t("Send {event_id} again", { event_id: row.event_id })}
                        disabled={action.isBusy() || props.target.status !== "active"}
                        onClick={() => void replay(row)}
                      >
                        {t("Send again")}
                      </ActButton>
                    </Show>
                  ),
                },
              ]}
            />
            <div class="dialog-actions">
              <Show when={before() !== null}>
                <Button onClick={() => setBefore(null)}>{t("Newest")}</Button>
              </Show>
              <Show when={page().next_cursor}>
                {(cursor) => <Button onClick={() => setBefore(cursor())}>{t("Older")}</Button>}
              </Show>
            </div>
          </>
        )}
      </Match>
    </Switch>
  );
}

function EventCell(props: { readonly delivery: Delivery }): JSX.Element {
  return (
    <>
      <code>{props.delivery.type}</code>
      <Show when={props.delivery.count > 1}> × {props.delivery.count}</Show>
      <div class="muted">{shownMoment(props.delivery.created_at)}</div>
      <details>
        <summary>
          <span class="event-id" title={props.delivery.event_id}>
            {props.delivery.event_id}
          </span>
        </summary>
        <pre class="event-text">{props.delivery.payload}</pre>
      </details>
    </>
  );
}

function Attempts(props: { readonly delivery: Delivery }): JSX.Element {
  return (
    <>
      <For each={props.delivery.attempts}>
        {(attempt) => (
          <div>
            {rich("{at}: {error}, {duration_ms} ms", {
              at: shownMoment(attempt.at),
              error: attempt.error ?? attempt.http_status ?? t("handed to the mail queue"),
              duration_ms: attempt.duration_ms,
            })}
            <Show when={attempt.response_start !== ""}>
              <pre class="event-text">{attempt.response_start}</pre>
            </Show>
          </div>
        )}
      </For>
      <Show when={props.delivery.next_attempt_at}>
        {(at) => <div class="muted">{rich("Next: {at}", { at: shownMoment(at()) })}</div>}
      </Show>
    </>
  );
}
