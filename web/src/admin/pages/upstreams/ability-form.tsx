import type { JSX } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Checkbox, TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { orAbsent, wholeOrNull } from "../../parts/field-values.ts";
import { AdminForm, FieldRow, ReasonField } from "../../parts/form-parts.tsx";
import { t } from "../../translate.ts";
import { type Channel, channelPath } from "./channel.ts";

/** Lets a channel serve a model for a group, or changes how. */
export function AbilityForm(props: {
  readonly channelId: Channel["channel_id"];
  readonly onDone: () => void;
}): JSX.Element {
  const refresh = useRefresh(channelPath);
  const form = createForm({
    initial: {
      model: "",
      upstream_model: "",
      group_name: "default",
      is_enabled: true,
      priority: "0",
      weight: "1",
      reason: "",
    },
    body: (values) => ({
      channel_id: props.channelId,
      model: values.model.trim(),
      upstream_model: values.upstream_model.trim() === "" ? null : values.upstream_model.trim(),
      group_name: values.group_name.trim(),
      is_enabled: values.is_enabled,
      priority: wholeOrNull(values.priority),
      weight: wholeOrNull(values.weight),
      reason: orAbsent(values.reason),
    }),
    submit: async (values, body) => {
      await apiPost("/backend/admin/ability/save/", body);
      showToast(t("{model} saved", { model: values.model }));
      await refresh();
      props.onDone();
    },
  });
  return (
    <AdminForm form={form} operation="/backend/admin/ability/save/" action={t("Save")} onCancel={props.onDone}>
      <FieldRow>
        <TextField label={t("Model")} spellcheck={false} {...form.text("model")} />
        <TextField label={t("Group")} spellcheck={false} {...form.text("group_name")} />
      </FieldRow>
      <TextField
        label={t("Provider's name of the model")}
        hint={t("Only if the provider calls it something else, such as a deployment or vendor/model.")}
        optional={t("the same")}
        spellcheck={false}
        {...form.text("upstream_model")}
      />
      <FieldRow>
        <TextField
          label={t("Priority")}
          hint={t("The lowest number goes first; 0 is the lowest.")}
          inputmode="numeric"
          {...form.text("priority")}
        />
        <TextField
          label={t("Weight")}
          hint={t("Relative to channels of the same priority.")}
          inputmode="numeric"
          {...form.text("weight")}
        />
      </FieldRow>
      <Checkbox label={t("Enabled")} {...form.flag("is_enabled")} />
      <ReasonField form={form} isOptional />
    </AdminForm>
  );
}
