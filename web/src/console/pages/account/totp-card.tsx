import type { recoveryCodesResponse, totpBeginResponse } from "@sluice/contracts/accounts";
import type { ResponseOf } from "@sluice/contracts/wire";
import { useQueryClient } from "@tanstack/solid-query";
import { createSignal, type JSX, Match, Show, Switch } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { fill } from "../../../i18n/messages.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { TextField } from "../../../kit/field.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { formats } from "../../formats.ts";
import { accountArea } from "./messages/messages.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";
import type { User } from "./user.ts";

type Begun = ResponseOf<typeof totpBeginResponse>;

/**
 * The second factor of a login: set up, switched on with a code, switched off with password and code. The recovery
 * codes stay until their owner confirms they are kept.
 */
export function TotpCard(props: { readonly user: User }): JSX.Element {
  const texts = accountArea.texts();
  const client = useQueryClient();
  const [begun, setBegun] = createSignal<Begun | null>(null);
  const [codes, setCodes] = createSignal<readonly string[] | null>(null);
  const refresh = (): void => {
    // Turning on codes has ended the other sessions.
    for (const name of ["me", "sessions"]) {
      void client.invalidateQueries({ queryKey: [name] });
    }
  };
  const onMade = (made: readonly string[]): void => {
    setBegun(null);
    setCodes(made);
    refresh();
  };
  return (
    <Card title={texts.totp}>
      <Switch fallback={<BeginForm onBegun={setBegun} />}>
        <Match when={codes()}>{(made) => <RecoveryCodes codes={made()} onDone={() => setCodes(null)} />}</Match>
        <Match when={props.user.has_totp}>
          <ChangeForm codesLeft={props.user.recovery_codes_left} onMade={onMade} onOff={refresh} />
        </Match>
        <Match when={begun()}>{(parts) => <EnableForm begun={parts()} onMade={onMade} />}</Match>
      </Switch>
    </Card>
  );
}

function BeginForm(props: { readonly onBegun: (begun: Begun) => void }): JSX.Element {
  const texts = accountArea.texts();
  const form = createForm({
    initial: { password: "" },
    submit: async (values) =>
      props.onBegun(await apiPost<typeof totpBeginResponse>("/backend/auth/totp/begin/", values)),
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

function EnableForm(props: {
  readonly begun: Begun;
  readonly onMade: (codes: readonly string[]) => void;
}): JSX.Element {
  const texts = accountArea.texts();
  const form = createForm({
    initial: { code: "" },
    submit: async (values) => {
      const answer = await apiPost<typeof recoveryCodesResponse>("/backend/auth/totp/enable/", values);
      showToast(texts.totpEnabled);
      props.onMade(answer.recovery_codes);
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

const recoveryCodesFew = 3;

/** New recovery codes, or turning it all off: both require the password and a code. */
function ChangeForm(props: {
  readonly codesLeft: number;
  readonly onMade: (codes: readonly string[]) => void;
  readonly onOff: () => void;
}): JSX.Element {
  const texts = accountArea.texts();
  const [isOff, setIsOff] = createSignal(false);
  const form = createForm({
    initial: { password: "", code: "" },
    submit: async (values) => {
      if (isOff()) {
        await apiPost("/backend/auth/totp/disable/", values);
        showToast(texts.totpDisabled);
        props.onOff();
      } else {
        const answer = await apiPost<typeof recoveryCodesResponse>("/backend/auth/totp/recovery-codes/", values);
        showToast(texts.recoveryMade);
        props.onMade(answer.recovery_codes);
      }
    },
  });
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <Status tone="ok">{texts.totpOn}</Status>
      <Status tone={props.codesLeft <= recoveryCodesFew ? "warn" : "neutral"}>
        {fill(texts.recoveryLeft, { count: formats.number(props.codesLeft) })}
      </Status>
      <TextField label={texts.current} type="password" autocomplete="current-password" {...form.text("password")} />
      <TextField label={texts.codeOrRecovery} autocomplete="one-time-code" spellcheck={false} {...form.text("code")} />
      <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
      <div class="form-actions">
        <Button type="submit" isBusy={form.isSubmitting() && !isOff()} onClick={() => setIsOff(false)}>
          {texts.recoveryMake}
        </Button>
        <Button type="submit" isBusy={form.isSubmitting() && isOff()} onClick={() => setIsOff(true)}>
          {texts.totpDisable}
        </Button>
      </div>
    </form>
  );
}
