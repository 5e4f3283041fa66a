import type { saveGroupOutput } from "@sluice/contracts/groups";
import { type JSX, Show } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm, type Form } from "../../../form/create-form.ts";
import { Checkbox, TextArea, TextField } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { AdminForm, FieldRow, ReasonField, reasonFault } from "../../parts/form-parts.tsx";
import { outcomeText } from "../../parts/outcome-text.ts";
import { SecondPersonNotice } from "../../parts/second-person.tsx";
import { t } from "../../translate.ts";
import { groupVisibilities } from "../../values.ts";
import { type GroupDetail, groupsPath, visibilityNames } from "./group.ts";

const rankMax = 1_000;

type Values = {
  readonly name: string;
  readonly description: string;
  readonly multiplier: string;
  readonly visibility: string;
  readonly rank: string;
  readonly is_start: boolean;
  /** One per line. */
  readonly email_domains: string;
  readonly reason: string;
};

function valuesOf(group: GroupDetail["group"] | null): Values {
  return {
    name: group?.name ?? "",
    description: group?.description ?? "",
    multiplier: group?.multiplier ?? "1",
    visibility: group?.visibility ?? "assigned",
    rank: String(group?.rank ?? 0),
    is_start: group?.is_start ?? false,
    email_domains: group?.email_domains.join("\n") ?? "",
    reason: "",
  };
}

/** Changes a group as it was loaded, or creates one. */
export function GroupForm(props: {
  readonly group: GroupDetail["group"] | null;
  readonly onDone: () => void;
}): JSX.Element {
  const { group } = props;
  const refresh = useRefresh(groupsPath, `${groupsPath}detail/`, "/backend/admin/user/", "/backend/admin/audit/");
  const form = createForm<Values>({
    initial: valuesOf(group),
    check: ({ multiplier, rank, reason }) => ({
      ...(/^\d{1,5}(\.\d{1,6})?$/.test(multiplier.trim())
        ? {}
        : { multiplier: t("Enter a number like 0.8, with at most six decimal places.") }),
      ...(/^\d{1,4}$/.test(rank.trim()) && Number(rank) <= rankMax
        ? {}
        : { rank: t("Enter a whole number from 0 to {rankMax}.", { rankMax }) }),
      ...reasonFault(reason),
    }),
    body: (values) => ({
      name: values.name.trim(),
      description: values.description,
      multiplier: values.multiplier.trim(),
      visibility: values.visibility,
      rank: Number(values.rank),
      is_start: values.is_start,
      email_domains: values.email_domains.split(/[\s,;]+/).filter((domain) => domain !== ""),
      ...(group === null ? {} : { updated_at: group.updated_at }),
      reason: values.reason.trim(),
    }),
    submit: async (_, body) => {
      const answer = await apiPost<typeof saveGroupOutput>(`${groupsPath}save/`, body);
      await refresh();
      showToast(outcomeText(answer, () => t("The group was saved.")));
      props.onDone();
    },
  });
  const isCheap = (): boolean => {
    const typed = Number(form.values().multiplier);
    return typed < Math.max(1, Number(group?.multiplier ?? 1));
  };
  return (
    <AdminForm
      form={form}
      operation="/backend/admin/group/save/"
      action={group === null ? t("Create group") : t("Save group")}
      onCancel={props.onDone}
    >
      <FieldRow>
        <TextField
          label={t("Name")}
          hint={t("Lower-case letters, digits, - and _. It can't be changed later.")}
          autocomplete="off"
          disabled={group !== null}
          {...form.text("name")}
        />
        <TextField
          label={t("Multiplier")}
          hint={t("Calls cost their price times this and the user’s own multiplier. 1 changes nothing.")}
          inputmode="decimal"
          autocomplete="off"
          {...form.text("multiplier")}
        />
      </FieldRow>
      <FieldRow>
        <ChoiceField
          label={t("Who may use it")}
          options={groupVisibilities.map((value) => ({ value, label: visibilityNames[value] }))}
          hint={t("A public group is used only by keys that name it.")}
          {...form.text("visibility")}
        />
        <TextField
          label={t("Rank")}
          hint={t("Keys without a group of their own use the user’s group with the highest rank.")}
          inputmode="numeric"
          autocomplete="off"
          {...form.text("rank")}
        />
      </FieldRow>
      <TextArea
        label={t("Description")}
        optional={t("optional")}
        hint={t("Users see it where they choose a group.")}
        {...form.text("description")}
      />
      <StartFields form={form} />
      <Show when={isCheap()}>
        <SecondPersonNotice what={t("A change that makes calls cheaper waits")} />
      </Show>
      <ReasonField form={form} />
    </AdminForm>
  );
}

/** Which new accounts start in the group. */
function StartFields(props: { readonly form: Form<Values> }): JSX.Element {
  return (
    <>
      <Checkbox
        label={t("New accounts start in this group")}
        hint={t("It replaces the group where they start now. Existing accounts stay where they are.")}
        {...props.form.flag("is_start")}
      />
      <TextArea
        label={t("New accounts from these domains start here")}
        optional={t("optional")}
        hint={t("One per line, like example.org. List subdomains separately.")}
        spellcheck={false}
        {...props.form.text("email_domains")}
      />
    </>
  );
}
