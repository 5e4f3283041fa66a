import type { totpBeginAnswer } from "@sluice/contracts/accounts";
import type { AnswerOf } from "@sluice/contracts/wire";
import { useQueryClient } from "@tanstack/solid-query";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { TextField } from "../../../kit/field.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { accountArea } from "./messages/messages.ts";

type Begun = AnswerOf<typeof totpBeginAnswer>;

/** The second factor of a login: set up, switched on by a code, switched off by password and code. */
export function TotpCard(props: { readonly hasTotp: boolean }): JSX.Element {
  const texts = accountArea.texts();
  const [begun, setBegun] = createSignal<Begun | null>(null);
  return (
    <Card title={texts.totp}>
      <Switch fallback={<BeginForm onBegun={setBegun} />}>
        <Match when={props.hasTotp}>
          <DisableForm onDone={() => setBegun(null)} />
        </Match>
        <Match when={begun()}>{(parts) => <EnableForm begun={parts()} />}</Match>
      </Switch>
    </Card>
  );
}

function BeginForm(props: { readonly onBegun: (begun: Begun) => void }): JSX.Element {
  const texts = accountArea.texts();
  const form = createForm({
    initial: { password: "" },
    submit: async (values) => props.onBegun(await apiPost<typeof totpBeginAnswer>("/backend/auth/totp/begin/", values)),
  });
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <p class="muted">{texts.totpOff}</p>
      <TextField label={texts.current} type="password" autocomplete="current-password" {...form.text("password")} />
      <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
      <div class="form-actions">
        <Button type="submit" isBusy={form.isSubmitting()}>
          {texts.totpBegin}
        </Button>
      </div>
    </form>
  );
}

function EnableForm(props: { readonly begun: Begun }): JSX.Element {
  const texts = accountArea.texts();
  const client = useQueryClient();
  const form = createForm({
    initial: { code: "" },
    submit: async (values) => {
      await apiPost("/backend/auth/totp/enable/", values);
      showToast(texts.totpEnabled);
      await client.invalidateQueries({ queryKey: ["me"] });
    },
  });
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <p>{texts.totpSecret}</p>
      <CopyText text={props.begun.secret} label={texts.totpSecretLabel} />
      <p class="muted">{texts.totpUri}</p>
      <CopyText text={props.begun.uri} label={texts.totpUri} />
      <TextField label={texts.code} inputmode="numeric" autocomplete="one-time-code" {...form.text("code")} />
      <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
      <div class="form-actions">
        <Button type="submit" isBusy={form.isSubmitting()}>
          {texts.totpEnable}
        </Button>
      </div>
    </form>
  );
}

function DisableForm(props: { readonly onDone: () => void }): JSX.Element {
  const texts = accountArea.texts();
  const client = useQueryClient();
  const form = createForm({
    initial: { password: "", code: "" },
    submit: async (values) => {
      await apiPost("/backend/auth/totp/disable/", values);
      props.onDone();
      showToast(texts.totpDisabled);
      await client.invalidateQueries({ queryKey: ["me"] });
    },
  });
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <Status tone="ok">{texts.totpOn}</Status>
      <TextField label={texts.current} type="password" autocomplete="current-password" {...form.text("password")} />
      <TextField label={texts.code} inputmode="numeric" autocomplete="one-time-code" {...form.text("code")} />
      <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
      <div class="form-actions">
        <Button type="submit" isBusy={form.isSubmitting()}>
          {texts.totpDisable}
        </Button>
      </div>
    </form>
  );
}
