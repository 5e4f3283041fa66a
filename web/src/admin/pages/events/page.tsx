import type {
  queuedDeliveryResponse,
  targetCreateResponse,
  targetListResponse,
  targetRemoveResponse,
} from "@sluice/contracts/event-targets";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet, apiPost } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { CodeBlock } from "../../../kit/code.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { EmptyState, ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { createAction } from "../../parts/actions.ts";
import { createMe } from "../../parts/rights.tsx";
import { t } from "../../translate.ts";
import { DeliveryLogDialog } from "./delivery-log.tsx";
import { deliveriesPath, type Target, targetsPath } from "./event-target.ts";
import { TargetDialog } from "./target-dialog.tsx";
import { TargetTable } from "./target-table.tsx";
import "./events.css";

type Editing = { readonly target: Target | null } | null;
type Asked = { readonly target: Target; readonly what: "rotate" | "remove" } | null;

/** Where the operator learns what happens, and what was sent there. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Events"));
  const me = createMe();
  const action = createAction(targetsPath, deliveriesPath);
  const [editing, setEditing] = createSignal<Editing>(null);
  const [asked, setAsked] = createSignal<Asked>(null);
  const [logged, setLogged] = createSignal<Target | null>(null);
  const [secret, setSecret] = createSignal<string | null>(null);
  const query = createQuery(() => ({
    queryKey: [targetsPath],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof targetListResponse>(targetsPath, { signal }),
  }));
  const isSuper = (): boolean => me.admin()?.is_super === true;
  const create = (): JSX.Element => (
    <Show when={isSuper()}>
      <Button variant="primary" onClick={() => setEditing({ target: null })}>
        <Icon name="plus" />
        {t("Add a destination")}
      </Button>
    </Show>
  );
  const test = async (target: Target): Promise<void> => {
    const isQueued = await action.run(async () => {
      const { target_id } = target;
      await apiPost<typeof queuedDeliveryResponse>("/backend/admin/event-target/test/", { target_id });
      return t("A test is on its way.");
    });
    if (isQueued) {
      setLogged(target);
    }
  };
  const act = async ({ target: { target_id, name }, what }: NonNullable<Asked>): Promise<void> => {
    await action.run(async () => {
      if (what === "remove") {
        await apiPost<typeof targetRemoveResponse>("/backend/admin/event-target/remove/", { target_id });
        return t("{name} was removed.", { name });
      }
      const made = await apiPost<typeof targetCreateResponse>("/backend/admin/event-target/rotate/", { target_id });
      setSecret(made.secret);
      return t("{name} has a new secret.", { name });
    });
    setAsked(null);
  };
  return (
    <>
      <PageHead
        title={t("Events")}
        text={t(
          "Webhooks get every event, signed by the Standard Webhooks rules. Mailboxes and chats get one message per cause in ten minutes.",
        )}
        actions={create()}
      />
      <Card title={t("Where events are sent")}>
        <Switch fallback={<LoadingPart size="card" />}>
          <Match when={query.isError && query.data === undefined}>
            <ErrorState error={query.error} onRetry={() => void query.refetch()} />
          </Match>
          <Match when={query.data?.targets.length === 0}>
            <EmptyState title={t("No destinations yet")} actions={create()}>
              {t("Add a webhook, a mailbox or a chat, to learn that a channel is down before your customers do.")}
            </EmptyState>
          </Match>
          <Match when={query.data?.targets}>
            {(targets) => (
              <TargetTable
                targets={targets()}
                canChange={isSuper()}
                isBusy={action.isBusy()}
                onTest={(target) => void test(target)}
                onLog={setLogged}
                onEdit={(target) => setEditing({ target })}
                onRotate={(target) => setAsked({ target, what: "rotate" })}
                onRemove={(target) => setAsked({ target, what: "remove" })}
              />
            )}
          </Match>
        </Switch>
      </Card>
      <TargetDialog
        isOpen={editing() !== null}
        target={editing()?.target ?? null}
        onClose={() => setEditing(null)}
        onDone={(made) => {
          setEditing(null);
          setSecret(made);
          void query.refetch();
        }}
      />
      <DeliveryLogDialog target={logged()} onClose={() => setLogged(null)} />
      <SecretDialog secret={secret()} onClose={() => setSecret(null)} />
      <ConfirmDialog
        isOpen={asked() !== null}
        onClose={() => setAsked(null)}
        title={asked()?.what === "remove" ? t("Remove this destination?") : t("Replace the secret?")}
        action={asked()?.what === "remove" ? t("Remove") : t("Replace")}
        isBusy={action.isBusy()}
        onConfirm={() => {
          const what = asked();
          if (what !== null) {
            void act(what);
          }
        }}
      >
        {asked()?.what === "remove"
          ? t("“{name}” gets no more events, and its log is deleted.", { name: asked()?.target.name ?? "" })
          : t("For 24 hours, messages to “{name}” are signed with both.", { name: asked()?.target.name ?? "" })}
      </ConfirmDialog>
    </>
  );
}

/** The secret is shown only here. */
function SecretDialog(props: { readonly secret: string | null; readonly onClose: () => void }): JSX.Element {
  return (
    <Dialog isOpen={props.secret !== null} title={t("The secret of the webhook")} onClose={props.onClose}>
      <Show when={props.secret}>
        {(secret) => (
          <>
            <Notice tone="warn">
              {t("Copy it now: it is shown only once. The receiver checks signatures with it.")}
            </Notice>
            <CodeBlock code={secret()} label={t("Secret")} />
          </>
        )}
      </Show>
      <div class="dialog-actions">
        <Button variant="primary" onClick={props.onClose}>
          {t("I have saved it")}
        </Button>
      </div>
    </Dialog>
  );
}
