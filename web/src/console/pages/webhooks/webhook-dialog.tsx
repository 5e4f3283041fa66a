import type { targetCreateResponse, targetResponse } from "@sluice/contracts/event-targets";
import { userEventTypes } from "@sluice/contracts/event-types";
import { For, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Checkbox, TextField } from "../../../kit/field.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { webhooksArea } from "./messages/messages.ts";
import type { Webhook } from "./webhook.ts";
import styles from "./webhooks.module.css";

type DialogProps = {
  readonly isOpen: boolean;
  /** The webhook to change; null for a new one. */
  readonly webhook: Webhook | null;
  readonly onClose: () => void;
  /** The secret of a new webhook; null for a changed one. */
  readonly onDone: (secret: string | null) => void;
};

/** Adds a webhook, or changes one. */
export function WebhookDialog(props: DialogProps): JSX.Element {
  const texts = webhooksArea.texts();
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={props.webhook === null ? texts.create : texts.edit}>
      <WebhookForm webhook={props.webhook} onDone={props.onDone} />
    </Dialog>
  );
}

function WebhookForm(props: Pick<DialogProps, "webhook" | "onDone">): JSX.Element {
  const texts = webhooksArea.texts();
  const names: Readonly<Record<string, string>> = texts.eventNames;
  const { webhook } = props;
  const form = createForm({
    initial: {
      name: webhook?.name ?? "",
      url: webhook?.place ?? "",
      events: webhook?.events ?? ([] as readonly string[]),
      is_enabled: webhook === null || webhook.status === "active",
    },
    check: ({ name, url, events }) => ({
      ...(name.trim() === "" ? { name: texts.nameMissing } : {}),
      ...(URL.canParse(url.trim()) ? {} : { url: texts.urlMissing }),
      ...(events.length === 0 ? { events: texts.noEvent } : {}),
    }),
    submit: async ({ is_enabled, url, ...wish }) => {
      const input = { ...wish, url: url.trim() };
      if (webhook === null) {
        const { secret } = await apiPost<typeof targetCreateResponse>("/backend/webhooks/create/", input);
        props.onDone(secret);
      } else {
        const { target_id, version } = webhook;
        await apiPost<typeof targetResponse>("/backend/webhooks/save/", { ...input, target_id, version, is_enabled });
        props.onDone(null);
      }
    },
  });
  const choose = (event: string, isChosen: boolean): void => {
    const others = form.values().events.filter((each) => each !== event);
    form.set("events", isChosen ? [...others, event] : others);
  };
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <TextField label={texts.name} autocomplete="off" maxlength={60} {...form.text("name")} />
      <TextField
        label={texts.url}
        hint={texts.urlHint}
        type="url"
        dir="ltr"
        autocomplete="off"
        maxlength={1000}
        {...form.text("url")}
      />
      <fieldset class={styles["events"]}>
        <legend>{texts.events}</legend>
        <For each={userEventTypes}>
          {(event) => (
            <Checkbox
              label={names[event]}
              hint={<code>{event}</code>}
              name="events"
              checked={form.values().events.includes(event)}
              onChange={(change) => choose(event, change.currentTarget.checked)}
            />
          )}
        </For>
        <Show when={form.errorOf("events")}>
          {(error) => (
            <p class="field-error" role="alert">
              {error()}
            </p>
          )}
        </Show>
      </fieldset>
      <Show when={webhook !== null}>
        <Checkbox label={texts.enabled} {...form.flag("is_enabled")} />
      </Show>
      <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
      <div class="dialog-actions">
        <Button type="submit" variant="primary" isBusy={form.isSubmitting()}>
          {webhook === null ? texts.create : texts.save}
        </Button>
      </div>
    </form>
  );
}
