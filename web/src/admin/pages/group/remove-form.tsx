import type { removeGroupOutput } from "@sluice/contracts/groups";
import { type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { TextArea } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { outcomeText } from "../../parts/outcome-text.ts";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { rich, t } from "../../translate.ts";
import { type GroupMember, groupsPath, memberCount, namedAs } from "../groups/group.ts";
import { organisationPaths } from "../organisations/organisation.ts";

const usersOf = (text: string): string[] => text.split(/[\s,;]+/).filter((each) => each !== "");

/** Takes an additional group away from users: the one that is given, or those that the admin names. */
export function RemoveForm(props: {
  readonly group: string;
  /** Null if the admin names users. */
  readonly member: GroupMember | null;
  readonly onDone: () => void;
}): JSX.Element {
  const refresh = useRefresh(
    groupsPath,
    "/backend/admin/user/",
    "/backend/admin/user/detail/",
    ...organisationPaths,
    "/backend/admin/audit/",
  );
  const form = createForm({
    initial: { users: props.member?.id ?? "", reason: "" },
    check: ({ users, reason }) => ({
      ...(usersOf(users).length === 0 ? { users: t("Enter at least one user.") } : {}),
      ...reasonFault(reason),
    }),
    body: (values) => ({
      group_name: props.group,
      ...namedAs(props.member, usersOf(values.users)),
      reason: values.reason.trim(),
    }),
    submit: async (_, body) => {
      const answer = await apiPost<typeof removeGroupOutput>(`${groupsPath}remove/`, body);
      await refresh();
      showToast(
        outcomeText(answer, ({ changed }) =>
          t("{member} no longer in the group.", { member: memberCount(props.member, changed) }),
        ),
      );
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/group/remove/"
      action={props.member === null ? t("Remove users") : t("Remove")}
      tone="danger"
      onCancel={props.onDone}
    >
      <p>
        {rich(
          "Calls with keys that name {group} are refused from now on; other keys use the group with the highest rank that is left. An account’s own group can only be replaced.",
          { group: <strong>{props.group}</strong> },
        )}
      </p>
      <Show when={props.member === null}>
        <TextArea
          label={t("Users")}
          hint={t("E-mail addresses or user IDs, one per line.")}
          spellcheck={false}
          {...form.text("users")}
        />
      </Show>
      <ReasonField form={form} />
      <SecondPersonNotice what={t("Leaving an account in a cheaper group waits")} />
    </AdminForm>
  );
}
