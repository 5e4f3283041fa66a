import { type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { TextField } from "../../../kit/field.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { accountArea } from "./messages/messages.ts";
import { ProofFields, proofOf } from "./proof-fields.tsx";
import type { User } from "./user.ts";

const empty = { email: "", password: "", code: "" };

/** Sends a link to a new address, which the account gets when it is opened. */
export function EmailCard(props: { readonly user: User }): JSX.Element {
  const texts = accountArea.texts();
  const form = createForm({
    initial: empty,
    submit: async ({ email, ...typed }) => {
      await apiPost("/backend/auth/email/change/", { email, ...proofOf(typed) });
      form.reset(empty);
      showToast(texts.emailSent);
    },
  });
  return (
    <Card title={texts.changeEmail}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <p class="muted">{texts.changeEmailText}</p>
        <TextField label={texts.newEmail} type="email" autocomplete="email" {...form.text("email")} />
        <ProofFields user={props.user} password={form.text("password")} code={form.text("code")} />
        <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
        <div class="form-actions">
          <Button type="submit" isBusy={form.isSubmitting()}>
            {texts.changeEmail}
          </Button>
        </div>
      </form>
    </Card>
  );
}
