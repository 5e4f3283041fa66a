import { type JSX, Show } from "solid-js";
import { apiFile } from "../../../api/client.ts";
import { saveFile } from "../../../api/save-file.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { accountArea } from "./messages/messages.ts";
import { ProofFields, proofOf } from "./proof-fields.tsx";
import type { User } from "./user.ts";

const empty = { password: "", code: "" };

/** A file with everything that the service knows about the person. */
export function DataCard(props: { readonly user: User }): JSX.Element {
  const texts = accountArea.texts();
  const form = createForm({
    initial: empty,
    submit: async (typed) => {
      saveFile(await apiFile("/backend/auth/data-export/", proofOf(typed)));
      form.reset(empty);
      showToast(texts.yourDataReady);
    },
  });
  return (
    <Card title={texts.yourData}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <p class="muted">{texts.yourDataText}</p>
        <ProofFields user={props.user} password={form.text("password")} code={form.text("code")} />
        <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
        <div class="form-actions">
          <Button type="submit" isBusy={form.isSubmitting()}>
            {texts.yourDataAction}
          </Button>
        </div>
      </form>
    </Card>
  );
}
