import { useQueryClient } from "@tanstack/solid-query";
import { type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { TextField } from "../../../kit/field.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { accountArea } from "./messages/messages.ts";
import type { User } from "./user.ts";

const empty = { current_password: "", new_password: "" };

/** Changes the password, which logs the other sessions out; a first one is set by a link. */
export function PasswordCard(props: { readonly user: User }): JSX.Element {
  const texts = accountArea.texts();
  return (
    <Card title={texts.password}>
      <Show
        when={props.user.has_password}
        fallback={
          <>
            <p>{texts.noPassword}</p>
            <a class="button" href="/reset-password/" rel="external">
              {texts.setPassword}
            </a>
          </>
        }
      >
        <ChangeForm />
      </Show>
    </Card>
  );
}

function ChangeForm(): JSX.Element {
  const texts = accountArea.texts();
  const client = useQueryClient();
  const form = createForm({
    initial: empty,
    submit: async (values) => {
      await apiPost("/backend/auth/password/change/", values);
      form.reset(empty);
      showToast(texts.changed);
      void client.invalidateQueries({ queryKey: ["sessions"] });
    },
  });
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <TextField
        label={texts.current}
        type="password"
        autocomplete="current-password"
        {...form.text("current_password")}
      />
      <TextField label={texts.next} type="password" autocomplete="new-password" {...form.text("new_password")} />
      <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
      <div class="form-actions">
        <Button type="submit" isBusy={form.isSubmitting()}>
          {texts.change}
        </Button>
      </div>
    </form>
  );
}
