import type { JSX } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Checkbox, TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { orAbsent, wholeOrNull } from "../../parts/field-values.ts";
import { AdminForm, FieldRow, ReasonField } from "../../parts/form-parts.tsx";
import { t } from "../../translate.ts";
import { switchStatuses } from "../../values.ts";
import { type Channel, channelPath } from "./channel.ts";
import { LimitFields } from "./limit-fields.tsx";
import { PathBoxes } from "./path-boxes.tsx";
import { ProbeFields } from "./probe-fields.tsx";
import { AddressFields, RequestFields } from "./settings-fields.tsx";
import { settingsProblems, toSettings, toValues } from "./settings-values.ts";

const initialOf = (channel: Channel, isCopy: boolean) => ({
  ...toValues(channel.upstream),
  name: isCopy ? t("{name} copy", { name: channel.name }) : channel.name,
  credential: "",
  isCredentialRemoved: false,
  status: (isCopy ? "disabled" : channel.status) as string,
  requests_per_minute: channel.requests_per_minute?.toString() ?? "",
  concurrency_max: channel.concurrency_max?.toString() ?? "",
  first_byte_timeout_ms: channel.first_byte_timeout_ms?.toString() ?? "",
  idle_timeout_ms: channel.idle_timeout_ms?.toString() ?? "",
  pass_through_paths: channel.pass_through_paths as readonly string[],
  probe_minutes: isCopy ? "" : (channel.probe_minutes?.toString() ?? ""),
  probe_model: isCopy ? "" : (channel.probe_model ?? ""),
  reason: "",
});

/** Changes the channel that was loaded, or creates a copy of it. Its credential goes in and is never shown. */
export function ChannelForm(props: {
  readonly channel: Channel;
  readonly isCopy?: boolean;
  readonly onDone: () => void;
}): JSX.Element {
  const { channel } = props;
  const isCopy = props.isCopy === true;
  const operation = isCopy ? "/backend/admin/channel/adopt/" : "/backend/admin/channel/save/";
  const hasCredential = channel.has_credential && !isCopy;
  const refresh = useRefresh(channelPath);
  const form = createForm({
    initial: initialOf(channel, isCopy),
    check: settingsProblems,
    body: (values) => {
      const settings = {
        name: values.name,
        upstream: toSettings(values, channel.upstream),
        status: values.status,
        requests_per_minute: wholeOrNull(values.requests_per_minute),
        concurrency_max: wholeOrNull(values.concurrency_max),
        first_byte_timeout_ms: wholeOrNull(values.first_byte_timeout_ms),
        idle_timeout_ms: wholeOrNull(values.idle_timeout_ms),
        pass_through_paths: values.pass_through_paths,
        reason: orAbsent(values.reason),
      };
      const credential = orAbsent(values.credential);
      return isCopy
        ? { ...settings, credential, models: channel.abilities }
        : {
            ...settings,
            channel_id: channel.channel_id,
            updated_at: channel.updated_at,
            credential: values.isCredentialRemoved ? null : credential,
            probe_minutes: wholeOrNull(values.probe_minutes),
            probe_model: orAbsent(values.probe_model.trim()) ?? null,
          };
    },
    submit: async (values, body) => {
      await apiPost(operation, body);
      const isDisabled = values.status === "disabled";
      showToast(
        isDisabled
          ? t("{name} saved; it is disabled and gets no calls.", { name: values.name })
          : t("{name} saved", { name: values.name }),
      );
      await refresh();
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation={operation}
      action={isCopy ? t("Create channel") : t("Save channel")}
      onCancel={props.onDone}
    >
      <FieldRow>
        <TextField label={t("Name")} {...form.text("name")} />
        <ChoiceField label={t("Status")} options={switchStatuses} {...form.text("status")} />
      </FieldRow>
      <AddressFields form={form} />
      <TextField
        label={t("Credential")}
        hint={
          hasCredential ? t("A credential is saved; enter another one to replace it.") : t("No credential is saved.")
        }
        optional={t("stored encrypted")}
        type="password"
        autocomplete="new-password"
        {...form.text("credential")}
      />
      {hasCredential ? <Checkbox label={t("Remove the credential")} {...form.flag("isCredentialRemoved")} /> : null}
      <LimitFields form={form} />
      {isCopy ? null : <ProbeFields form={form} />}
      <details>
        <summary>{t("Requests: query, headers, fields")}</summary>
        <div class="form">
          <RequestFields form={form} />
        </div>
      </details>
      <PathBoxes value={form.values().pass_through_paths} onChange={(paths) => form.set("pass_through_paths", paths)} />
      <ReasonField form={form} isOptional />
    </AdminForm>
  );
}
