import type { adminOrganisationResponse } from "@sluice/contracts/organisation-admin";
import { type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { t } from "../../translate.ts";
import { type OrganisationDetail, organisationPaths, organisationsPath } from "../organisations/organisation.ts";

export type Change = "rename" | "suspend" | "reopen";

const changes = {
  rename: { action: t("Save name"), tone: "primary", text: null, done: t("The organisation was renamed.") },
  suspend: {
    action: t("Suspend now"),
    tone: "danger",
    text: t(
      "Its API keys and access tokens are refused within a second, and nobody can order or change anything for it. Members can still read. The balance and data are kept; you can reopen it later.",
    ),
    done: t("The organisation is suspended."),
  },
  reopen: {
    action: t("Reopen"),
    tone: "primary",
    text: t("Its API keys and access tokens work again, and its members can change it."),
    done: t("The organisation is active again."),
  },
} as const;

/** Renames, suspends or reopens an organisation as it was loaded. */
export function SaveForm(props: {
  readonly change: Change;
  readonly organisation: OrganisationDetail["organisation"];
  readonly onDone: () => void;
}): JSX.Element {
  const refresh = useRefresh(...organisationPaths);
  const { action, tone, text, done } = changes[props.change];
  const form = createForm({
    initial: { name: props.organisation.name, reason: "" },
    check: ({ name, reason }) => ({
      ...(name.trim() === "" ? { name: t("Enter a name.") } : {}),
      ...reasonFault(reason),
    }),
    body: (values) => ({
      organisation_id: props.organisation.organisation_id,
      ...(props.change === "rename"
        ? { name: values.name.trim() }
        : { status: props.change === "suspend" ? "suspended" : "active" }),
      updated_at: props.organisation.updated_at,
      reason: values.reason.trim(),
    }),
    submit: async (_, body) => {
      await apiPost<typeof adminOrganisationResponse>(`${organisationsPath}save/`, body);
      await refresh();
      showToast(done);
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/organisation/save/"
      action={action}
      tone={tone}
      onCancel={props.onDone}
    >
      <Show when={props.change === "rename"} fallback={<p>{text}</p>}>
        <TextField label={t("Name")} autocomplete="off" maxlength={80} {...form.text("name")} />
      </Show>
      <ReasonField form={form} />
    </AdminForm>
  );
}
