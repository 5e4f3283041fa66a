import type { adminOrganisationResponse } from "@sluice/contracts/organisation-admin";
import type { JSX } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { t } from "../../translate.ts";
import { organisationPaths, organisationsPath } from "./organisation.ts";

/** Creates an organisation for a user. */
export function CreateForm(props: { readonly onDone: () => void }): JSX.Element {
  const refresh = useRefresh(...organisationPaths);
  const form = createForm({
    initial: { name: "", owner: "", reason: "" },
    check: ({ name, owner, reason }) => ({
      ...(name.trim() === "" ? { name: t("Enter a name.") } : {}),
      ...(owner.trim() === "" ? { owner: t("Enter an e-mail address or a user ID.") } : {}),
      ...reasonFault(reason),
    }),
    body: (values) => ({
      name: values.name.trim(),
      owner: values.owner.trim(),
      reason: values.reason.trim(),
    }),
    submit: async (_, body) => {
      await apiPost<typeof adminOrganisationResponse>(`${organisationsPath}create/`, body);
      await refresh();
      showToast(t("The organisation was created."));
      form.reset();
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/organisation/create/"
      action={t("Create organisation")}
      onCancel={props.onDone}
    >
      <TextField label={t("Name")} autocomplete="off" maxlength={80} {...form.text("name")} />
      <TextField
        label={t("Owner")}
        hint={t("The e-mail address or ID of an active user. The organisation gets an empty balance of its own.")}
        autocomplete="off"
        {...form.text("owner")}
      />
      <ReasonField form={form} />
    </AdminForm>
  );
}
