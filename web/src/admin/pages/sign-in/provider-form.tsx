import type { savedProviderResponse, testedProviderResponse } from "@sluice/contracts/sign-in";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createMutation } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm, type Form } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { Checkbox, TextField } from "../../../kit/field.tsx";
import { ErrorState, Notice } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { AdminForm, FieldRow, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { outcomeText } from "../../parts/outcome-text.ts";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { rich, t } from "../../translate.ts";
import { kindNames, type Provider, providerListPath, providersPath } from "./provider.ts";

type Values = {
  readonly slug: string;
  readonly kind: string;
  readonly label: string;
  readonly issuer: string;
  readonly client_id: string;
  readonly client_secret: string;
  readonly is_enabled: boolean;
  readonly may_register: boolean;
  readonly reason: string;
};

/** Services that many operators use. */
const presets = [
  { slug: "google", kind: "oidc", label: "Google", issuer: "https://accounts.google.com" },
  { slug: "github", kind: "github", label: "GitHub", issuer: "https://github.com" },
] as const;

function valuesOf(provider: Provider | null): Values {
  return {
    slug: provider?.slug ?? "",
    kind: provider?.kind ?? "oidc",
    label: provider?.label ?? "",
    issuer: provider?.issuer ?? "",
    client_id: provider?.client_id ?? "",
    client_secret: "",
    is_enabled: provider?.is_enabled ?? true,
    may_register: provider?.may_register ?? true,
    reason: "",
  };
}

function faultsOf(values: Values, isNew: boolean): Partial<Record<keyof Values, string>> {
  return {
    ...(/^[a-z][a-z0-9-]{0,29}$/.test(values.slug.trim())
      ? {}
      : { slug: t("Use up to 30 lower-case letters, digits and -, a letter first.") }),
    ...(values.label.trim() === "" ? { label: t("Enter the name.") } : {}),
    ...(URL.canParse(values.issuer.trim()) ? {} : { issuer: t("Enter an address like https://login.example.org.") }),
    ...(values.client_id.trim() === "" ? { client_id: t("Enter the client ID.") } : {}),
    ...(isNew && values.client_secret.trim() === "" ? { client_secret: t("Enter the client secret.") } : {}),
    ...reasonFault(values.reason),
  };
}

/** Changes a service as it was loaded, or adds one. */
export function ProviderForm(props: {
  readonly provider: Provider | null;
  readonly callbackBase: string;
  readonly onDone: () => void;
}): JSX.Element {
  const { provider } = props;
  const refresh = useRefresh(providerListPath, "/backend/admin/audit/");
  const form = createForm<Values>({
    initial: valuesOf(provider),
    check: (values) => faultsOf(values, provider === null),
    submit: async (values) => {
      const answer = await apiPost<typeof savedProviderResponse>(`${providersPath}save/`, {
        ...values,
        slug: values.slug.trim(),
        label: values.label.trim(),
        issuer: values.issuer.trim(),
        client_id: values.client_id.trim(),
        reason: values.reason.trim(),
        ...(provider === null ? {} : { updated_at: provider.updated_at }),
      });
      await refresh();
      showToast(outcomeText(answer, () => t("The service was saved.")));
      props.onDone();
    },
  });
  const callbackUrl = (): string => props.callbackBase.replace("with//", `with/${form.values().slug.trim() || "…"}/`);
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/sign-in-provider/save/"
      action={provider === null ? t("Add service") : t("Save service")}
      onCancel={props.onDone}
    >
      <Show when={provider === null}>
        <Presets form={form} />
      </Show>
      <NameFields form={form} isNew={provider === null} />
      <div class="field">
        <span class="field-label">{t("Callback address")}</span>
        <CopyText text={callbackUrl()} label={t("Copy the callback address")} />
        <span class="field-hint">{t("Register it at the service.")}</span>
      </div>
      <ClientFields form={form} isNew={provider === null} />
      <Checkbox
        label={t("People without an account get one")}
        hint={t("Only if the service confirms their e-mail address. They have no password until they reset it.")}
        {...form.flag("may_register")}
      />
      <Checkbox
        label={t("Show on the login page")}
        hint={t("It must respond before it is saved. If off, nobody can sign in with it; links are kept.")}
        {...form.flag("is_enabled")}
      />
      <SecondPersonNotice what={t("A service that is shown waits")} />
      <ReasonField form={form} />
    </AdminForm>
  );
}

function Presets(props: { readonly form: Form<Values> }): JSX.Element {
  return (
    <div class="button-row">
      {presets.map((preset) => (
        <Button
          onClick={() => {
            for (const [name, value] of Object.entries(preset)) {
              props.form.set(name as keyof typeof preset, value);
            }
          }}
        >
          {preset.label}
        </Button>
      ))}
    </div>
  );
}

function NameFields(props: { readonly form: Form<Values>; readonly isNew: boolean }): JSX.Element {
  return (
    <>
      <FieldRow>
        <TextField
          label={t("Name")}
          hint={t("The button says “Continue with” and this name.")}
          autocomplete="off"
          maxlength={40}
          {...props.form.text("label")}
        />
        <TextField
          label={t("Short name")}
          hint={t("Part of the callback address. It can't be changed later.")}
          autocomplete="off"
          spellcheck={false}
          disabled={!props.isNew}
          {...props.form.text("slug")}
        />
      </FieldRow>
      <ChoiceField
        label={t("Protocol")}
        options={Object.entries(kindNames).map(([value, label]) => ({ value, label }))}
        {...props.form.text("kind")}
      />
      <TextField
        label={t("Issuer")}
        hint={t("The address that the service calls itself, without /.well-known; for GitHub the address of its site.")}
        inputmode="url"
        autocomplete="off"
        spellcheck={false}
        {...props.form.text("issuer")}
      />
      <IssuerTest form={props.form} />
    </>
  );
}

/** Asks the issuer before anything is saved. */
function IssuerTest(props: { readonly form: Form<Values> }): JSX.Element {
  const test = createMutation(() => ({
    mutationFn: () => {
      const { kind, issuer } = props.form.values();
      return apiPost<typeof testedProviderResponse>(`${providersPath}test/`, { kind, issuer: issuer.trim() });
    },
  }));
  const pkce = ({ has_pkce }: ResponseOf<typeof testedProviderResponse>): string =>
    has_pkce === true ? t("It checks PKCE.") : t("It does not say whether it checks PKCE.");
  return (
    <div class="field">
      <div class="button-row">
        <Button isBusy={test.isPending} onClick={() => test.mutate()}>
          {t("Test the issuer")}
        </Button>
      </div>
      <Switch>
        <Match when={test.error}>
          {(error) => <ErrorState title={t("The issuer can't be used")} error={error()} />}
        </Match>
        <Match when={test.data}>
          {(found) => (
            <Notice tone="ok">
              {rich("It responds. Logins are at {authorization_endpoint}. {found}", {
                authorization_endpoint: <bdi>{found().authorization_endpoint}</bdi>,
                found: pkce(found()),
              })}
            </Notice>
          )}
        </Match>
      </Switch>
    </div>
  );
}

function ClientFields(props: { readonly form: Form<Values>; readonly isNew: boolean }): JSX.Element {
  return (
    <FieldRow>
      <TextField label={t("Client ID")} autocomplete="off" spellcheck={false} {...props.form.text("client_id")} />
      <TextField
        label={t("Client secret")}
        hint={props.isNew ? t("Stored encrypted, and never shown again.") : t("Leave it empty to keep the stored one.")}
        type="password"
        autocomplete="new-password"
        spellcheck={false}
        {...props.form.text("client_secret")}
      />
    </FieldRow>
  );
}
