import { type JSX, Show } from "solid-js";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { TextField } from "../../../kit/field.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { organisationArea } from "./messages/messages.ts";

/** Asks for the name of an organisation. */
export function NameDialog(props: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly text?: string;
  readonly name: string;
  readonly send: (name: string) => Promise<void>;
}): JSX.Element {
  const texts = organisationArea.texts();
  const form = createForm({
    initial: { name: props.name },
    check: ({ name }) => (name.trim() === "" ? { name: texts.nameMissing } : {}),
    submit: async ({ name }) => await props.send(name.trim()),
  });
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={props.title}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <Show when={props.text}>{(text) => <p>{text()}</p>}</Show>
        <TextField label={texts.name} autocomplete="organization" maxlength={80} {...form.text("name")} />
        <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
        <div class="dialog-actions">
          <Button type="submit" variant="primary" isBusy={form.isSubmitting()}>
            {props.title}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
