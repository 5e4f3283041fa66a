import type { JSX } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { orAbsent, wholeOrNull } from "../../parts/field-values.ts";
import { AdminForm, FieldRow, ReasonField } from "../../parts/form-parts.tsx";
import { t } from "../../translate.ts";
import { switchStatuses } from "../../values.ts";
import { type Channel, type Credential, channelPath } from "./channel.ts";

/** Adds a credential to a channel, or changes the one that was loaded. It goes in and is never shown. */
export function CredentialForm(props: {
  readonly channelId: Channel["channel_id"];
  readonly credential: Credential | null;
  readonly onDone: () => void;
}): JSX.Element {
  const { credential } = props;
  const refresh = useRefresh(channelPath);
  const form = createForm({
    initial: {
      label: credential?.label ?? "",
      secret: "",
      status: (credential?.status ?? "enabled") as string,
      weight: (credential?.weight ?? 1).toString(),
      requests_per_minute: credential?.requests_per_minute?.toString() ?? "",
      concurrency_max: credential?.concurrency_max?.toString() ?? "",
      reason: "",
    },
    body: (values) => ({
      channel_id: props.channelId,
      ...(credential === null ? {} : { credential_id: credential.credential_id }),
      label: values.label,
      credential: orAbsent(values.secret),
      status: values.status,
      weight: wholeOrNull(values.weight),
      requests_per_minute: wholeOrNull(values.requests_per_minute),
      concurrency_max: wholeOrNull(values.concurrency_max),
      reason: orAbsent(values.reason),
    }),
    submit: async (values, body) => {
      await apiPost("/backend/admin/channel/credential/save/", body);
      showToast(t("{label} saved", { label: values.label }));
      await refresh();
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/channel/credential/save/"
      action={t("Save credential")}
      onCancel={props.onDone}
    >
      <FieldRow>
        <TextField label={t("Label")} hint={t("Only admins see it.")} {...form.text("label")} />
        <ChoiceField label={t("Status")} options={switchStatuses} {...form.text("status")} />
      </FieldRow>
      <TextField
        label={t("Credential")}
        hint={credential === null ? t("As the provider gave it.") : t("Enter another one to replace it.")}
        optional={t("stored encrypted")}
        type="password"
        autocomplete="new-password"
        {...form.text("secret")}
      />
      <FieldRow>
        <TextField
          label={t("Weight")}
          hint={t("Its share of the channel's calls.")}
          inputmode="numeric"
          {...form.text("weight")}
        />
        <TextField
          label={t("Concurrent calls")}
          optional={t("no limit")}
          inputmode="numeric"
          {...form.text("concurrency_max")}
        />
        <TextField
          label={t("Calls per minute")}
          optional={t("no limit")}
          inputmode="numeric"
          {...form.text("requests_per_minute")}
        />
      </FieldRow>
      <ReasonField form={form} isOptional />
    </AdminForm>
  );
}
