import type { profileResponse } from "@sluice/contracts/upstream-auth";
import { For, type JSX, Show } from "solid-js";
import { ApiError, apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { TextArea, TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { AdminForm, FieldRow } from "../../parts/form-parts.tsx";
import { t } from "../../translate.ts";
import { authTypes, profileStatuses } from "../../values.ts";
import { type Profile, profilePath } from "./profile.ts";
import { credentialFields, credentialToSend, settingFields, settingsToSend } from "./profile-fields.ts";

function initialOf(profile: Profile | null) {
  const settings = profile?.settings ?? {};
  const text = (name: string): string => {
    const value = settings[name];
    return Array.isArray(value) ? value.join(" ") : typeof value === "string" ? value : "";
  };
  return {
    name: profile?.name ?? "",
    provider: profile?.provider ?? "",
    auth_type: (profile?.auth_type ?? "api_key") as Profile["auth_type"],
    status: (profile?.status ?? "standby") as string,
    base_url: profile?.base_url ?? "",
    model_scope: profile?.model_scope.join("\n") ?? "",
    header: text("header"),
    prefix: profile === null ? "Bearer" : text("prefix"),
    client_email: text("client_email"),
    client_id: text("client_id"),
    token_url: text("token_url"),
    scopes: text("scopes"),
    api_key: "",
    private_key: "",
    private_key_id: "",
    refresh_token: "",
    client_secret: "",
    value: "",
  };
}

/** Errors in settings or credential are shown at their fields in the form. */
async function atFields(path: string, body: Readonly<Record<string, unknown>>): Promise<void> {
  try {
    await apiPost<typeof profileResponse>(path, body);
  } catch (error) {
    if (error instanceof ApiError) {
      const fields = Object.entries(error.fields).map(([name, text]) => [name.split(".").at(-1) ?? name, text]);
      const { code, message, status, requestId } = error;
      throw new ApiError({ code, message, status, requestId, fields: Object.fromEntries(fields) });
    }
    throw error;
  }
}

/** Creates an auth profile, or changes the one that was loaded. Its credential goes in and is never shown. */
export function ProfileForm(props: { readonly profile: Profile | null; readonly onDone: () => void }): JSX.Element {
  const { profile } = props;
  const refresh = useRefresh(profilePath);
  const form = createForm({
    initial: initialOf(profile),
    body: (values) => {
      const type = values.auth_type;
      return {
        ...(profile === null ? {} : { id: profile.id, version: profile.version }),
        name: values.name,
        provider: values.provider.trim(),
        auth_type: type,
        status: values.status,
        base_url: values.base_url,
        model_scope: values.model_scope
          .split("\n")
          .map((line) => line.trim())
          .filter((line) => line !== ""),
        settings: settingsToSend(type, values),
        credential: credentialToSend(type, values),
      };
    },
    submit: async (values, body) => {
      await atFields("/backend/upstream/auth-profiles/save/", body);
      showToast(t("{name} saved", { name: values.name }));
      await refresh();
      props.onDone();
    },
  });
  type Name = Parameters<typeof form.text>[0];
  return (
    <AdminForm
      form={form}
      operation="/backend/upstream/auth-profiles/save/"
      action={t("Save profile")}
      onCancel={props.onDone}
    >
      <FieldRow>
        <TextField label={t("Name")} {...form.text("name")} />
        <TextField label={t("Provider")} spellcheck={false} {...form.text("provider")} />
      </FieldRow>
      <FieldRow>
        <ChoiceField label={t("Login method")} options={authTypes} {...form.text("auth_type")} />
        <ChoiceField label={t("Status")} options={profileStatuses} {...form.text("status")} />
      </FieldRow>
      <TextField
        label={t("Address")}
        hint={t("Must begin with https://")}
        spellcheck={false}
        {...form.text("base_url")}
      />
      <For each={settingFields[form.values().auth_type]}>
        {(field) => (
          <TextField label={field.label} hint={field.hint} spellcheck={false} {...form.text(field.name as Name)} />
        )}
      </For>
      <Show when={profile !== null}>
        <p class="muted">{t("Leave these fields empty to keep the saved credential.")}</p>
      </Show>
      <For each={credentialFields[form.values().auth_type]}>
        {(field) =>
          field.name === "private_key" ? (
            <TextArea
              label={field.label}
              hint={field.hint}
              rows={6}
              autocomplete="off"
              spellcheck={false}
              {...form.text(field.name as Name)}
            />
          ) : (
            <TextField
              label={field.label}
              hint={field.hint}
              type="password"
              autocomplete="new-password"
              {...form.text(field.name as Name)}
            />
          )
        }
      </For>
      <TextArea
        label={t("Models")}
        hint={t("One per line; if empty, all models.")}
        rows={3}
        {...form.text("model_scope")}
      />
    </AdminForm>
  );
}
