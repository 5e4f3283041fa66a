import type { tokenCreateResponse } from "@sluice/contracts/management-tokens";
import { userTokenScopes } from "@sluice/contracts/token-scopes";
import { For, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Checkbox, SelectField, TextField } from "../../../kit/field.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { consoleLocale } from "../../locales.ts";
import { createMeQuery } from "../../parts/queries.ts";
import { proofOf } from "../account/proof-fields.tsx";
import { tokensArea } from "./messages/messages.ts";
import styles from "./tokens.module.css";

const daysOffered = [7, 30, 90, 180, 365] as const;
const empty = {
  name: "",
  scopes: [] as readonly string[],
  expires_in_days: "30",
  password: "",
  code: "",
};

/** Asks for the password, because a token outlives the session that creates it; where there is none, the login has to be recent. */
export function CreateTokenDialog(props: {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onMade: (secret: string) => void;
}): JSX.Element {
  const texts = tokensArea.texts();
  const me = createMeQuery();
  const days = new Intl.NumberFormat(consoleLocale, { style: "unit", unit: "day", unitDisplay: "long" });
  const form = createForm({
    initial: empty,
    check: ({ name, scopes }) => ({
      ...(name.trim() === "" ? { name: texts.nameMissing } : {}),
      ...(scopes.length === 0 ? { scopes: texts.noScope } : {}),
    }),
    submit: async ({ password, code, expires_in_days, ...values }) => {
      const { secret } = await apiPost<typeof tokenCreateResponse>("/backend/tokens/create/", {
        ...values,
        expires_in_days: Number(expires_in_days),
        ...proofOf({ password, code }),
      });
      form.reset(empty);
      props.onMade(secret);
    },
  });
  const choose = (scope: string, isChosen: boolean): void => {
    const others = form.values().scopes.filter((each) => each !== scope);
    form.set("scopes", isChosen ? [...others, scope] : others);
  };
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={texts.create}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <TextField label={texts.name} hint={texts.nameHint} autocomplete="off" maxlength={60} {...form.text("name")} />
        <fieldset class={styles["scopes"]}>
          <legend>{texts.scopes}</legend>
          <For each={userTokenScopes}>
            {(scope) => (
              <Checkbox
                label={texts.scopeNames[scope]}
                name="scopes"
                checked={form.values().scopes.includes(scope)}
                onChange={(event) => choose(scope, event.currentTarget.checked)}
              />
            )}
          </For>
          <Show when={form.errorOf("scopes")}>
            {(error) => (
              <p class="field-error" role="alert">
                {error()}
              </p>
            )}
          </Show>
          <p class="field-hint">{texts.scopesNote}</p>
        </fieldset>
        <SelectField label={texts.expires} {...form.text("expires_in_days")}>
          <For each={daysOffered}>{(count) => <option value={count}>{days.format(count)}</option>}</For>
        </SelectField>
        <Show when={me.data?.user.has_password !== false}>
          <TextField
            label={texts.password}
            type="password"
            autocomplete="current-password"
            {...form.text("password")}
          />
          <Show when={me.data?.user.has_totp === true || me.isError}>
            <TextField label={texts.code} autocomplete="one-time-code" {...form.text("code")} />
          </Show>
        </Show>
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
