import type { madeKeyResponse } from "@sluice/contracts/keys";
import { createSignal, For, type JSX, Show } from "solid-js";
import { apiPost, newIdempotencyKey } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { SelectField, TextField } from "../../../kit/field.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { createProjectsQuery } from "../../parts/organisation-queries.ts";
import { checkKey, emptyKey, toKeyInput } from "./key-fields.ts";
import styles from "./keys.module.css";
import { LimitFields } from "./limit-fields.tsx";
import type { MadeKey } from "./made-key.tsx";
import { keysArea } from "./messages/messages.ts";

/** A name creates a key; the limits below it are optional. The input is kept when the dialog is closed. */
export function CreateKeyDialog(props: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onMade: (key: MadeKey) => void;
}): JSX.Element {
  const texts = keysArea.texts();
  const [projectId, setProjectId] = createSignal("");
  const organisation = createProjectsQuery();
  const openProjects = () => (organisation.data?.projects ?? []).filter(({ status }) => status === "active");
  // The key stays the same until an API key was created, so that a repeated press creates no second one.
  let idempotencyKey = newIdempotencyKey();
  const form = createForm({
    initial: emptyKey,
    check: (values) => checkKey(values, texts),
    submit: async (values) => {
      const input = { ...toKeyInput(values), ...(projectId() === "" ? {} : { project_id: projectId() }) };
      const { secret, key } = await apiPost<typeof madeKeyResponse>("/backend/keys/create/", input, { idempotencyKey });
      idempotencyKey = newIdempotencyKey();
      form.reset(emptyKey);
      if (secret === null) {
        props.onClose();
      } else {
        props.onMade({ keyId: String(key.key_id), secret });
      }
    },
  });
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={texts.create}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <TextField
          label={texts.fields.name.label}
          hint={texts.fields.name.hint}
          autocomplete="off"
          maxlength={100}
          {...form.text("name")}
        />
        <Show when={openProjects().length > 0}>
          <SelectField
            label={texts.project}
            value={projectId()}
            onInput={(event) => setProjectId(event.currentTarget.value)}
          >
            <option value="">{texts.noProject}</option>
            <For each={openProjects()}>
              {({ project_id, name }) => <option value={String(project_id)}>{name}</option>}
            </For>
          </SelectField>
        </Show>
        <details class={styles["limits"]}>
          <summary>{texts.limits}</summary>
          <LimitFields form={form} />
        </details>
        <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
        <div class="dialog-actions">
          <Button type="submit" variant="primary" isBusy={form.isSubmitting()}>
            {texts.create}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
