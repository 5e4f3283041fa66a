import type { targetListResponse } from "@sluice/contracts/event-targets";
import { createQuery, useQueryClient } from "@tanstack/solid-query";
import { createSignal, type JSX, Match, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { EmptyState, ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { ConsoleHead } from "../../console-head.tsx";
import { DeliveryLogDialog } from "./delivery-log.tsx";
import { MadeSecretDialog } from "./made-secret.tsx";
import { webhooksArea } from "./messages/messages.ts";
import { type Webhook, webhooksPath } from "./webhook.ts";
import { WebhookDialog } from "./webhook-dialog.tsx";
import { WebhookList } from "./webhook-list.tsx";

/** What is open in the dialog: nothing, a new webhook, or one to change. */
type Editing = { readonly webhook: Webhook | null } | null;

/** The addresses at which programs of the account learn what happens in it. */
export function Page(): JSX.Element {
  const texts = webhooksArea.texts();
  const client = useQueryClient();
  const [editing, setEditing] = createSignal<Editing>(null);
  const [logged, setLogged] = createSignal<Webhook | null>(null);
  const [secret, setSecret] = createSignal<string | null>(null);
  const query = createQuery(() => ({
    queryKey: [webhooksPath],
    queryFn: ({ signal }) => apiGet<typeof targetListResponse>(webhooksPath, { signal }),
  }));
  const changed = (): void => {
    void client.invalidateQueries({ queryKey: [webhooksPath] });
  };
  const create = (): JSX.Element => (
    <Button variant="primary" onClick={() => setEditing({ webhook: null })}>
      <Icon name="plus" />
      {texts.create}
    </Button>
  );
  return (
    <>
      <ConsoleHead texts={texts} actions={create()} />
      <Card title={texts.list}>
        <Switch fallback={<LoadingPart size="card" />}>
          <Match when={query.isError && query.data === undefined}>
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          </Match>
          <Match when={query.data?.targets.length === 0}>
            <EmptyState title={texts.emptyTitle} actions={create()}>
              {texts.emptyText}
            </EmptyState>
          </Match>
          <Match when={query.data?.targets}>
            {(webhooks) => (
              <WebhookList
                webhooks={webhooks()}
                onChanged={changed}
                onEdit={(webhook) => setEditing({ webhook })}
                onLog={setLogged}
                onSecret={setSecret}
              />
            )}
          </Match>
        </Switch>
      </Card>
      <WebhookDialog
        isOpen={editing() !== null}
        webhook={editing()?.webhook ?? null}
        onClose={() => setEditing(null)}
        onDone={(made) => {
          setEditing(null);
          setSecret(made);
          if (made === null) {
            showToast(texts.changed);
          }
          changed();
        }}
      />
      <MadeSecretDialog secret={secret()} onClose={() => setSecret(null)} />
      <DeliveryLogDialog
        webhook={logged()}
        onClose={() => {
          setLogged(null);
          changed();
        }}
      />
    </>
  );
}
