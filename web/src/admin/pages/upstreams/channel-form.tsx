import type { JSX } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Checkbox, TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { AdminForm, FieldRow, orAbsent, wholeOrNull } from "../../parts/form-parts.tsx";
import { switchStatuses } from "../../values.ts";
import { AddressFields, addressOf, dialectsOf } from "./address-fields.tsx";
import { type Channel, channelPath } from "./channel.ts";
import { PathBoxes } from "./path-boxes.tsx";

/** Creates a channel, or changes the one that was loaded. Its credential goes in and is never shown. */
export function ChannelForm(props: { readonly channel: Channel | null; readonly onDone: () => void }): JSX.Element {
  const { channel } = props;
  const refresh = useRefresh(channelPath);
  const form = createForm({
    initial: {
      name: channel?.name ?? "",
      chat: addressOf(channel, "chat"),
      responses: addressOf(channel, "responses"),
      messages: addressOf(channel, "messages"),
      credential: "",
      isCredentialRemoved: false,
      status: (channel?.status ?? "disabled") as string,
      requests_per_minute: channel?.requests_per_minute?.toString() ?? "",
      concurrency_max: channel?.concurrency_max?.toString() ?? "",
      first_byte_timeout_ms: channel?.first_byte_timeout_ms?.toString() ?? "",
      idle_timeout_ms: channel?.idle_timeout_ms?.toString() ?? "",
      pass_through_paths: (channel?.pass_through_paths ?? []) as readonly string[],
      reason: "",
    },
    submit: async (values) => {
      await apiPost("/backend/admin/channel/save/", {
        ...(channel === null ? {} : { channel_id: channel.channel_id, updated_at: channel.updated_at }),
        name: values.name,
        upstream: { ...channel?.upstream, dialects: dialectsOf(values, channel) },
        credential: values.isCredentialRemoved ? null : orAbsent(values.credential),
        status: values.status,
        requests_per_minute: wholeOrNull(values.requests_per_minute),
        concurrency_max: wholeOrNull(values.concurrency_max),
        first_byte_timeout_ms: wholeOrNull(values.first_byte_timeout_ms),
        idle_timeout_ms: wholeOrNull(values.idle_timeout_ms),
        pass_through_paths: values.pass_through_paths,
        reason: orAbsent(values.reason),
      });
      showToast(`${values.name} saved`);
      await refresh();
      props.onDone();
    },
  });
  return (
    <AdminForm form={form} operation="/backend/admin/channel/save/" action="Save channel" onCancel={props.onDone}>
      <FieldRow>
        <TextField label="Name" {...form.text("name")} />
        <ChoiceField label="Status" options={switchStatuses} {...form.text("status")} />
      </FieldRow>
      <AddressFields text={form.text} />
      <TextField
        label="Credential"
        hint={
          channel?.has_credential === true
            ? "A credential is saved; enter another one to replace it."
            : "No credential is saved."
        }
        optional="stored encrypted"
        type="password"
        autocomplete="new-password"
        {...form.text("credential")}
      />
      {channel?.has_credential === true ? (
        <Checkbox label="Remove the credential" {...form.flag("isCredentialRemoved")} />
      ) : null}
      <FieldRow>
        <TextField label="Concurrent calls" optional="no limit" inputmode="numeric" {...form.text("concurrency_max")} />
        <TextField
          label="Calls per minute"
          optional="no limit"
          inputmode="numeric"
          {...form.text("requests_per_minute")}
        />
      </FieldRow>
      <FieldRow>
        <TextField
          label="First-byte timeout, ms"
          hint="Then the next channel is tried. The default is 25 s to a minute, longer for long prompts and outputs."
          optional="default"
          inputmode="numeric"
          {...form.text("first_byte_timeout_ms")}
        />
        <TextField
          label="Idle timeout, ms"
          hint="Between two packets of a response. Raise it for models that think for a long time."
          optional="default"
          inputmode="numeric"
          {...form.text("idle_timeout_ms")}
        />
      </FieldRow>
      <PathBoxes value={form.values().pass_through_paths} onChange={(paths) => form.set("pass_through_paths", paths)} />
      <TextField label="Reason" hint="Recorded in the audit log." optional="optional" {...form.text("reason")} />
    </AdminForm>
  );
}
