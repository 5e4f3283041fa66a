import type {
  queuedDeliveryResponse,
  targetCreateResponse,
  targetRemoveResponse,
} from "@sluice/contracts/event-targets";
import { createMutation } from "@tanstack/solid-query";
import { createSignal, For, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { ConfirmDialog } from "../../../kit/confirm-dialog.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { Status, type Tone } from "../../../kit/status.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import { webhooksArea } from "./messages/messages.ts";
import type { Webhook } from "./webhook.ts";
import styles from "./webhooks.module.css";

const tones: Readonly<Record<Webhook["status"], Tone>> = { active: "ok", off: "neutral", failed: "bad" };

type Asked = { readonly webhook: Webhook; readonly what: "rotate" | "remove" };

type ListProps = {
  readonly webhooks: readonly Webhook[];
  readonly onChanged: () => void;
  readonly onEdit: (webhook: Webhook) => void;
  readonly onLog: (webhook: Webhook) => void;
  readonly onSecret: (secret: string | null) => void;
};

/** Where each webhook leads and whether it works, with everything that can be done with it. */
export function WebhookList(props: ListProps): JSX.Element {
  const texts = webhooksArea.texts();
  const [asked, setAsked] = createSignal<Asked | null>(null);
  const test = createMutation(() => ({
    mutationFn: ({ target_id }: Webhook) =>
      apiPost<typeof queuedDeliveryResponse>("/backend/webhooks/test/", { target_id }),
    onSuccess: (_, webhook) => {
      showToast(texts.testQueued);
      props.onLog(webhook);
    },
  }));
  const act = createMutation(() => ({
    mutationFn: async ({ webhook: { target_id }, what }: Asked) => {
      if (what === "rotate") {
        const { secret } = await apiPost<typeof targetCreateResponse>("/backend/webhooks/rotate/", { target_id });
        props.onSecret(secret);
      } else {
        await apiPost<typeof targetRemoveResponse>("/backend/webhooks/remove/", { target_id });
        showToast(texts.removed);
      }
    },
    onSuccess: () => props.onChanged(),
    onSettled: () => setAsked(null),
  }));
  const isRemoval = (): boolean => asked()?.what === "remove";
  return (
    <>
      <Show when={test.error ?? act.error}>{(error) => <ErrorState error={error()} />}</Show>
      <ul class={`plain-list ${styles["webhooks"]}`}>
        <For each={props.webhooks}>
          {(webhook) => (
            <li class={styles["webhook"]}>
              <WebhookFacts webhook={webhook} />
              <div class={styles["actions"]}>
                <Button
                  aria-label={`${texts.test}: ${webhook.name}`}
                  disabled={webhook.status !== "active" || test.isPending}
                  onClick={() => test.mutate(webhook)}
                >
                  {texts.test}
                </Button>
                <Button aria-label={`${texts.log}: ${webhook.name}`} onClick={() => props.onLog(webhook)}>
                  {texts.log}
                </Button>
                <Button aria-label={`${texts.edit}: ${webhook.name}`} onClick={() => props.onEdit(webhook)}>
                  {texts.edit}
                </Button>
                <Button
                  aria-label={`${texts.rotate}: ${webhook.name}`}
                  onClick={() => setAsked({ webhook, what: "rotate" })}
                >
                  {texts.rotate}
                </Button>
                <Button
                  aria-label={`${texts.remove}: ${webhook.name}`}
                  onClick={() => setAsked({ webhook, what: "remove" })}
                >
                  {texts.remove}
                </Button>
              </div>
            </li>
          )}
        </For>
      </ul>
      <ConfirmDialog
        isOpen={asked() !== null}
        onClose={() => setAsked(null)}
        title={isRemoval() ? texts.removeTitle : texts.rotateTitle}
        action={isRemoval() ? texts.remove : texts.rotate}
        isBusy={act.isPending}
        onConfirm={() => {
          const what = asked();
          if (what !== null) {
            act.mutate(what);
          }
        }}
      >
        {fill(isRemoval() ? texts.removeText : texts.rotateText, { name: asked()?.webhook.name ?? "" })}
      </ConfirmDialog>
    </>
  );
}

function WebhookFacts(props: { readonly webhook: Webhook }): JSX.Element {
  const texts = webhooksArea.texts();
  const names: Readonly<Record<string, string>> = texts.eventNames;
  const webhook = (): Webhook => props.webhook;
  return (
    <div>
      <strong>
        <bdi>{webhook().name}</bdi>
      </strong>{" "}
      <Status tone={tones[webhook().status]}>{texts.statusNames[webhook().status]}</Status>
      <div>
        <bdi dir="ltr">{webhook().place}</bdi>
      </div>
      <div class="muted">
        {webhook()
          .events.map((event) => names[event] ?? event)
          .join(" · ")}
      </div>
      <Show when={webhook().failing_since}>
        {(since) => (
          <div class="muted">
            {texts.failingSince} {formats.dateTime(since())}
          </div>
        )}
      </Show>
    </div>
  );
}
