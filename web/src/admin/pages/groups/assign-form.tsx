import type { assignGroupOutput } from "@sluice/contracts/groups";
import { type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { TextArea, TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { AdminForm, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { outcomeText } from "../../parts/outcome-text.ts";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { t } from "../../translate.ts";
import { organisationPaths } from "../organisations/organisation.ts";
import { type GroupMember, groupDetailPath, groupsPath, memberCount, namedAs } from "./group.ts";

const changedPaths = [
  groupsPath,
  groupDetailPath,
  "/backend/admin/user/",
  "/backend/admin/user/detail/",
  ...organisationPaths,
];
const usersMax = 100;

const usersOf = (text: string): string[] =>
  text
    .split(/[\s,;]+/)
    .map((each) => each.trim())
    .filter((each) => each !== "");

/** Puts users into a group: those that are given, or those that the admin names. */
export function AssignForm(props: {
  /** Null if the admin types it. */
  readonly group: string | null;
  /** Null if the admin names users. */
  readonly member: GroupMember | null;
  readonly onDone: () => void;
}): JSX.Element {
  const refresh = useRefresh(...changedPaths, "/backend/admin/audit/");
  const form = createForm({
    initial: {
      group_name: props.group ?? "",
      users: props.member?.id ?? "",
      as: "additional",
      ends_on: "",
      reason: "",
    },
    check: ({ users, reason }) => ({
      ...(usersOf(users).length === 0 || usersOf(users).length > usersMax
        ? { users: t("Name 1 to {usersMax} users.", { usersMax }) }
        : {}),
      ...reasonFault(reason),
    }),
    body: (values) => {
      const isAdditional = values.as === "additional";
      return {
        group_name: values.group_name.trim(),
        ...namedAs(props.member, usersOf(values.users)),
        as: values.as,
        ends_at: isAdditional && values.ends_on !== "" ? `${values.ends_on}T23:59:59Z` : null,
        reason: values.reason.trim(),
      };
    },
    submit: async (_, body) => {
      const answer = await apiPost<typeof assignGroupOutput>(`${groupsPath}assign/`, body);
      await refresh();
      showToast(
        outcomeText(answer, ({ changed }) =>
          t("{member} in the group.", { member: memberCount(props.member, changed) }),
        ),
      );
      props.onDone();
    },
  });
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/group/assign/"
      action={props.member === null ? t("Add users") : t("Add")}
      onCancel={props.onDone}
    >
      <Show when={props.group === null}>
        <TextField label={t("Group")} autocomplete="off" {...form.text("group_name")} />
      </Show>
      <Show when={props.member === null}>
        <TextArea
          label={t("Users")}
          hint={t(
            "E-mail addresses or user IDs, one per line, at most {usersMax}. If one is unknown, nothing is changed.",
            { usersMax },
          )}
          spellcheck={false}
          {...form.text("users")}
        />
      </Show>
      <ChoiceField
        label={t("How")}
        options={[
          { value: "additional", label: t("In addition to the account’s own group") },
          { value: "account", label: t("Instead of the account’s own group") },
        ]}
        hint={t("Keys without a group of their own use the group with the highest rank; of equals, the account’s own.")}
        {...form.text("as")}
      />
      <Show when={form.values().as === "additional"}>
        <TextField
          label={t("Until")}
          optional={t("optional")}
          type="date"
          hint={t("The end of this day, UTC. If empty, until you remove them.")}
          {...form.text("ends_on")}
        />
      </Show>
      <SecondPersonNotice what={t("A group that is cheaper than what an account has now waits")} />
      <ReasonField form={form} />
    </AdminForm>
  );
}
