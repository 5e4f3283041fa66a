import type { userResponse } from "@sluice/contracts/accounts";
import { localeNames } from "@sluice/contracts/locale-names";
import { allLocales } from "@sluice/contracts/locales";
import { useQueryClient } from "@tanstack/solid-query";
import { For, type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { SelectField, TextField } from "../../../kit/field.tsx";
import { ErrorState } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { consoleLocale } from "../../locales.ts";
import { accountArea } from "./messages/messages.ts";
import type { User } from "./user.ts";

/** The name, and the language of console and emails. */
export function ProfileCard(props: { readonly user: User }): JSX.Element {
  const texts = accountArea.texts();
  const client = useQueryClient();
  const form = createForm({
    initial: { display_name: props.user.display_name ?? "", locale: props.user.locale },
    submit: async ({ display_name, locale }) => {
      await apiPost<typeof userResponse>("/backend/auth/profile/save/", {
        display_name: display_name.trim() === "" ? null : display_name,
        locale,
      });
      if (locale !== consoleLocale && allLocales.some((each) => each === locale)) {
        // The page is reloaded, because all of its texts are in the previous language.
        window.location.reload();
        return;
      }
      showToast(texts.saved);
      void client.invalidateQueries({ queryKey: ["me"] });
    },
  });
  return (
    <Card title={texts.profile}>
      <form class="form" onSubmit={form.onSubmit} noValidate>
        <TextField label={texts.name} optional={texts.optional} autocomplete="name" {...form.text("display_name")} />
        <SelectField
          label={texts.language}
          hint={texts.languageHint}
          value={form.values().locale}
          error={form.errorOf("locale")}
          onChange={(event) => form.set("locale", event.currentTarget.value)}
        >
          <For each={allLocales}>
            {(locale) => (
              <option value={locale} selected={locale === form.values().locale}>
                {localeNames[locale]}
              </option>
            )}
          </For>
        </SelectField>
        <Show when={form.problem()}>{(problem) => <ErrorState title={texts.failed} error={problem()} />}</Show>
        <div class="form-actions">
          <Button type="submit" isBusy={form.isSubmitting()}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Card>
  );
}
