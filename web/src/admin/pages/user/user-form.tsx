import type { userSaveResponse } from "@sluice/contracts/accounts";
import { type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { orAbsent, orNull } from "../../parts/field-values.ts";
import { AdminForm, FieldRow, ReasonField } from "../../parts/form-parts.tsx";
import { outcomeText } from "../../parts/outcome-text.ts";
import { createMe } from "../../parts/rights.tsx";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { t } from "../../translate.ts";
import { userStatuses, userTypes } from "../../values.ts";
import { type UserDetail, userDetailPath } from "./detail.ts";

/** Changes a user as it was loaded; when someone else was quicker, nothing is changed and the form says so. */
export function UserForm(props: { readonly user: UserDetail["user"]; readonly onDone: () => void }): JSX.Element {
  const { user } = props;
  const me = createMe();
  const refresh = useRefresh(userDetailPath, "/backend/admin/user/", "/backend/admin/audit/");
  const form = createForm({
    initial: {
      display_name: user.display_name ?? "",
      user_type: user.user_type as string,
      status: user.status as string,
      rate_multiplier: user.rate_multiplier,
      reason: "",
    },
    body: (values) => {
      const multiplier = values.rate_multiplier.trim();
      return {
        user_id: user.user_id,
        display_name: orNull(values.display_name),
        user_type: values.user_type,
        status: values.status,
        // A change of the multiplier requires more rights, so it is sent only when it has changed.
        ...(multiplier === user.rate_multiplier ? {} : { rate_multiplier: multiplier }),
        updated_at: user.updated_at,
        reason: orAbsent(values.reason),
      };
    },
    submit: async (_, body) => {
      const answer = await apiPost<typeof userSaveResponse>("/backend/admin/user/save/", body);
      await refresh();
      showToast(outcomeText(answer, () => t("The user was saved.")));
      props.onDone();
    },
  });
  const isLower = (): boolean => {
    const typed = form.values().rate_multiplier.trim();
    return typed !== "" && Number(typed) < Number(user.rate_multiplier);
  };
  return (
    <AdminForm form={form} operation="/backend/admin/user/save/" action={t("Save user")} onCancel={props.onDone}>
      <TextField label={t("Name")} optional={t("optional")} autocomplete="off" {...form.text("display_name")} />
      <FieldRow>
        <ChoiceField
          label={t("Status")}
          options={userStatuses.filter((status) => status !== "closed" || user.status === "closed")}
          {...form.text("status")}
        />
        <ChoiceField label={t("Type")} options={userTypes} {...form.text("user_type")} />
      </FieldRow>
      <TextField
        label={t("Rate multiplier")}
        hint={
          me.admin()?.is_super === false
            ? t("Call charges are multiplied by it. Only super-admins can change it.")
            : t("Call charges are multiplied by it; at most four decimal places, 1 means no change.")
        }
        disabled={me.admin()?.is_super === false}
        inputmode="decimal"
        autocomplete="off"
        {...form.text("rate_multiplier")}
      />
      <Show when={isLower()}>
        <SecondPersonNotice what={t("A lower multiplier waits, with everything else that is changed here,")} />
      </Show>
      <ReasonField form={form} isOptional />
    </AdminForm>
  );
}
