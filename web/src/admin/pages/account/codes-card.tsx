import type { recoveryCodesResponse, totpBeginResponse } from "@sluice/contracts/accounts";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createSignal, For, type JSX, Match, onCleanup, onMount, Show, Switch } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm, type Form } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Card, Facts } from "../../../kit/card.tsx";
import { CopyButton, CopyText } from "../../../kit/code.tsx";
import { TextField } from "../../../kit/field.tsx";
import { ErrorState, Notice } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm } from "../../parts/form-parts.tsx";
import { rich, t } from "../../translate.ts";
import { mePath, sessionsPath } from "./paths.ts";

type Begun = ResponseOf<typeof totpBeginResponse>;

const base = "/backend/auth/admin/totp/";
const codesFew = 3;

/** The second factor of the login. The recovery codes stay until the admin confirms they are kept. */
export function CodesCard(props: { readonly hasCodes: boolean; readonly codesLeft: number }): JSX.Element {
  const [begun, setBegun] = createSignal<Begun | null>(null);
  const [codes, setCodes] = createSignal<readonly string[] | null>(null);
  // Turning on codes has ended the other sessions.
  const refresh = useRefresh(mePath, sessionsPath);
  const onMade = async (made: readonly string[]): Promise<void> => {
    setBegun(null);
    setCodes(made);
    await refresh();
  };
  return (
    <Card title={t("Authenticator")}>
      <Switch fallback={<BeginForm onBegun={setBegun} />}>
        <Match when={codes()}>{(made) => <RecoveryCodes codes={made()} onDone={() => setCodes(null)} />}</Match>
        <Match when={props.hasCodes}>
          <ChangeForm codesLeft={props.codesLeft} onMade={onMade} onOff={refresh} />
        </Match>
        <Match when={begun()}>{(parts) => <EnableForm begun={parts()} onMade={onMade} />}</Match>
      </Switch>
    </Card>
  );
}

function BeginForm(props: { readonly onBegun: (begun: Begun) => void }): JSX.Element {
  const form = createForm({
    initial: { password: "" },
    submit: async (values) => props.onBegun(await apiPost<typeof totpBeginResponse>(`${base}begin/`, values)),
  });
  return (
    <AdminForm form={form} operation={null} action={t("Set up")}>
      <p class="muted">
        {t("With an authenticator, you log in with a code from your phone as well as your password.")}
      </p>
      <PasswordField form={form} />
    </AdminForm>
  );
}

function PasswordField<Values extends { readonly password: string }>(props: {
  readonly form: Form<Values>;
}): JSX.Element {
  return (
    <TextField
      label={t("Your password")}
      type="password"
      autocomplete="current-password"
      {...props.form.text("password")}
    />
  );
}

type Made = (codes: readonly string[]) => Promise<void>;

function EnableForm(props: { readonly begun: Begun; readonly onMade: Made }): JSX.Element {
  const form = createForm({
    initial: { code: "" },
    submit: async (values) => {
      const answer = await apiPost<typeof recoveryCodesResponse>(`${base}enable/`, values);
      showToast(t("The authenticator is on."));
      await props.onMade(answer.recovery_codes);
    },
  });
  return (
    <AdminForm form={form} operation={null} action={t("Turn on")}>
      <p>{t("Enter this secret in your authenticator app, then enter the code it shows.")}</p>
      <Facts
        facts={[
          { name: t("Secret"), value: <CopyText text={props.begun.secret} label={t("Copy the secret")} /> },
          { name: "URI", value: <CopyText text={props.begun.uri} label={t("Copy the URI")} /> },
        ]}
      />
      <TextField label={t("One-time code")} inputmode="numeric" autocomplete="one-time-code" {...form.text("code")} />
    </AdminForm>
  );
}

/** New recovery codes, or turning it all off: both require the password and a code. */
function ChangeForm(props: {
  readonly codesLeft: number;
  readonly onMade: Made;
  readonly onOff: () => Promise<void>;
}): JSX.Element {
  const [isOff, setIsOff] = createSignal(false);
  const form = createForm({
    initial: { password: "", code: "" },
    submit: async (values) => {
      if (isOff()) {
        await apiPost(`${base}disable/`, values);
        showToast(t("The authenticator is off."));
        await props.onOff();
      } else {
        const answer = await apiPost<typeof recoveryCodesResponse>(`${base}recovery-codes/`, values);
        showToast(t("The old recovery codes no longer work."));
        await props.onMade(answer.recovery_codes);
      }
    },
  });
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <Status tone="ok">{t("Each login needs a code from your authenticator.")}</Status>
      <Status tone={props.codesLeft <= codesFew ? "warn" : "neutral"}>
        {rich("Recovery codes left: {codesLeft}", { codesLeft: props.codesLeft })}
      </Status>
      <Show when={form.problem()}>
        {(problem) => <ErrorState title={t("Nothing was changed")} error={problem()} />}
      </Show>
      <PasswordField form={form} />
      <TextField
        label={t("Code from your authenticator, or a recovery code")}
        autocomplete="one-time-code"
        spellcheck={false}
        {...form.text("code")}
      />
      <div class="form-actions">
        <Button type="submit" isBusy={form.isSubmitting() && !isOff()} onClick={() => setIsOff(false)}>
          {t("Create new recovery codes")}
        </Button>
        <Button type="submit" variant="danger" isBusy={form.isSubmitting() && isOff()} onClick={() => setIsOff(true)}>
          {t("Turn off")}
        </Button>
      </div>
    </form>
  );
}

/** Nothing else stores them: they are gone when the admin confirms that they are kept. */
function RecoveryCodes(props: { readonly codes: readonly string[]; readonly onDone: () => void }): JSX.Element {
  const leave = (event: BeforeUnloadEvent): void => event.preventDefault();
  onMount(() => addEventListener("beforeunload", leave));
  onCleanup(() => removeEventListener("beforeunload", leave));
  return (
    <>
      <Notice tone="warn">
        {t(
          "Each recovery code lets you log in once without your authenticator. They are shown only now: keep them somewhere other than on your phone.",
        )}
      </Notice>
      <ol data-codes="">
        <For each={props.codes}>
          {(code) => (
            <li>
              <code>{code}</code>
            </li>
          )}
        </For>
      </ol>
      <div class="form-actions">
        <CopyButton text={() => props.codes.join("\n")} label={t("Copy all codes")} />
        <Button variant="primary" onClick={() => props.onDone()}>
          {t("I have saved them")}
        </Button>
      </div>
    </>
  );
}
