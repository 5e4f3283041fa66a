import type { targetCreateResponse, targetResponse } from "@sluice/contracts/event-targets";
import { operatorEventTypes, type TargetKind, targetKinds } from "@sluice/contracts/event-types";
import { For, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Checkbox, SelectField, TextField } from "../../../kit/field.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { t } from "../../translate.ts";
import { eventTexts, kindTexts, type Target } from "./event-target.ts";
import { noPlace, PlaceFields, placeOf } from "./place-fields.tsx";

type DialogProps = {
  readonly isOpen: boolean;
  /** The target to change; null for a new one. */
  readonly target: Target | null;
  readonly onClose: () => void;
  /** The secret of a new webhook, if it is one. */
  readonly onDone: (secret: string | null) => void;
};

/** Adds a place for events, or changes one. */
export function TargetDialog(props: DialogProps): JSX.Element {
  return (
    <Dialog
      isOpen={props.isOpen}
      onClose={props.onClose}
      title={props.target === null ? t("Add a destination for events") : t("Change a destination for events")}
    >
      <TargetForm target={props.target} onDone={props.onDone} />
    </Dialog>
  );
}

const initialOf = (target: Target | null) => ({
  ...noPlace,
  name: target?.name ?? "",
  kind: (target?.kind ?? "webhook") as TargetKind,
  events: target?.events ?? ([] as readonly string[]),
  is_enabled: target === null || target.status === "active",
  is_moved: target === null,
});

function TargetForm(props: Pick<DialogProps, "target" | "onDone">): JSX.Element {
  const { target } = props;
  const form = createForm({
    initial: initialOf(target),
    check: ({ name, events }) => ({
      ...(name.trim() === "" ? { name: t("Enter a name.") } : {}),
      ...(events.length === 0 ? { events: t("Choose at least one event.") } : {}),
    }),
    submit: async ({ name, kind, events, is_enabled, is_moved, ...place }) => {
      const wish = { name, events, ...(is_moved ? { place: placeOf(kind, place) } : {}) };
      if (target === null) {
        const made = await apiPost<typeof targetCreateResponse>("/backend/admin/event-target/create/", wish);
        props.onDone(made.secret);
      } else {
        const { target_id, version } = target;
        const change = { ...wish, target_id, version, is_enabled };
        await apiPost<typeof targetResponse>("/backend/admin/event-target/save/", change);
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
      <TextField label={t("Name")} autocomplete="off" maxlength={60} {...form.text("name")} />
      <Show when={target === null}>
        <SelectField label={t("Kind")} {...form.text("kind")}>
          <For each={targetKinds}>{(kind) => <option value={kind}>{kindTexts[kind]}</option>}</For>
        </SelectField>
      </Show>
      <Show when={target !== null}>
        <Checkbox label={t("Send them to another address")} {...form.flag("is_moved")} />
      </Show>
      <Show when={form.values().is_moved}>
        <PlaceFields kind={form.values().kind} form={form} />
      </Show>
      <fieldset class="event-choice">
        <legend>{t("Events")}</legend>
        <For each={operatorEventTypes}>
          {(event) => (
            <Checkbox
              label={eventTexts[event]}
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
      <Show when={target !== null}>
        <Checkbox label={t("Switched on")} {...form.flag("is_enabled")} />
      </Show>
      <Show when={form.problem()}>
        {(problem) => <ErrorState title={t("The destination was not saved")} error={problem()} />}
      </Show>
      <div class="dialog-actions">
        <Button type="submit" variant="primary" isBusy={form.isSubmitting()}>
          {target === null ? t("Add") : t("Save")}
        </Button>
      </div>
    </form>
  );
}
