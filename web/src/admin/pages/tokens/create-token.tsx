import type { tokenCreateResponse } from "@sluice/contracts/management-tokens";
import { type AdminTokenScope, adminTokenScopes } from "@sluice/contracts/token-scopes";
import { For, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Checkbox, SelectField, TextField } from "../../../kit/field.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { t } from "../../translate.ts";
import { scopeTexts } from "./token.ts";

const daysOffered = [7, 30, 90, 180, 365] as const;
const empty = { name: "", scopes: [] as readonly AdminTokenScope[], expires_in_days: "30" };

/** Chooses what a program of the admin may do. */
export function CreateTokenDialog(props: {
  readonly isOpen: boolean;
  readonly isSuper: boolean;
  readonly onClose: () => void;
  readonly onMade: (secret: string) => void;
}): JSX.Element {
  const form = createForm({
    initial: empty,
    check: ({ name, scopes }) => ({
      ...(name.trim() === "" ? { name: t("Enter a name.") } : {}),
      ...(scopes.length === 0 ? { scopes: t("Choose what the token may do.") } : {}),
    }),
    submit: async ({ expires_in_days, ...values }) => {
      const { secret } = await apiPost<typeof tokenCreateResponse>("/backend/admin/token/create/", {
        ...values,
        expires_in_days: Number(expires_in_days),
      });
      form.reset(empty);
      props.onMade(secret);
    },
  });
  const choose = (scope: AdminTokenScope, isChosen: boolean): void => {
    const others = form.values().scopes.filter((each) => each !== scope);
    form.set("scopes", isChosen ? [...others, scope] : others);
  };
  const offered = (): readonly AdminTokenScope[] =>
    adminTokenScopes.filter((scope) => props.isSuper || scope !== "sensitive");
  return (
    <Dialog isOpen={props.isOpen} onClose={props.onClose} title={t("Create an access token")}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <TextField
          label={t("Name")}
          hint={t("For example, the program that will use it. The audit log shows the name with each action.")}
          autocomplete="off"
          maxlength={60}
          {...form.text("name")}
        />
        <fieldset class="token-scopes">
          <legend>{t("What it may do")}</legend>
          <For each={offered()}>
            {(scope) => (
              <Checkbox
                label={scopeTexts[scope].label}
                hint={scopeTexts[scope].hint}
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
        </fieldset>
        <SelectField label={t("Expires after")} {...form.text("expires_in_days")}>
          <For each={daysOffered}>{(days) => <option value={days}>{t("{days} days", { days })}</option>}</For>
        </SelectField>
        <Show when={form.problem()}>
          {(problem) => <ErrorState title={t("The token was not created")} error={problem()} />}
        </Show>
        <div class="dialog-actions">
          <Button type="submit" variant="primary" isBusy={form.isSubmitting()}>
            {t("Create")}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
