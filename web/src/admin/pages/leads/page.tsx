import type { leadList, saveLeadInput } from "@sluice/contracts/leads";
import type { RowOf } from "@sluice/contracts/lists";
import type { JSX } from "solid-js";
import { apiPost } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Facts } from "../../../kit/card.tsx";
import { TextArea } from "../../../kit/field.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { useRefresh } from "../../parts/actions.ts";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { ChoiceField, optionsOf } from "../../parts/choice-field.tsx";
import { AdminForm } from "../../parts/form-parts.tsx";
import { createListRange, rangeFilters } from "../../parts/list-range.ts";
import { RangeBar } from "../../parts/range-bar.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownMoment, shownText } from "../../shown.ts";
import { t } from "../../translate.ts";
import { leadStatuses } from "../../values.ts";
import styles from "./leads.module.css";

type Lead = RowOf<typeof leadList>;

const path = "/backend/admin/lead/";

const columns: readonly Column<Lead>[] = [
  { id: "company", label: t("Company"), cell: (lead) => lead.company, card: "title" },
  { id: "contact", label: t("Contact"), cell: (lead) => lead.contact },
  { id: "email", label: t("E-mail"), cell: (lead) => lead.email },
  { id: "volume", label: t("Expected usage"), cell: (lead) => shownText(lead.volume) },
  { id: "campaign", label: t("Campaign"), cell: (lead) => shownText(lead.campaign), isHiddenAtFirst: true },
  { id: "status", label: t("Status"), cell: (lead) => <StateWord state={lead.status} />, card: "badge" },
  { id: "created_at", label: t("Asked"), cell: (lead) => listMoment(lead.created_at), isSortable: true },
  { id: "updated_at", label: t("Updated"), cell: (lead) => listMoment(lead.updated_at), isHiddenAtFirst: true },
];

const selection = selectionOf("leads", path);

/** Requests for offers, and their states. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Leads"));
  const range = createListRange();
  const state = createTableState({ filters: ["email", "status", ...rangeFilters] });
  const list = createListQuery<Lead>({ path, state });
  return (
    <>
      <PageHead
        title={t("Leads")}
        text={t("Companies that asked about larger usage through the public contact form.")}
      />
      <RangeBar state={range} />
      <DataTable
        {...list}
        name="admin-leads"
        label={t("Leads")}
        columns={columns}
        state={state}
        rowId={(lead) => String(lead.id)}
        selection={selection}
        filters={[
          { id: "email", label: t("E-mail"), isSearch: true },
          { id: "status", label: t("Status"), options: optionsOf(leadStatuses) },
        ]}
        empty={{
          title: t("No leads yet"),
          text: t("Requests from the public contact form appear here, newest first."),
        }}
        panel={{ title: (lead) => lead.company, content: (lead) => <LeadPanel lead={lead} /> }}
      />
    </>
  );
}

function LeadPanel(props: { readonly lead: Lead }): JSX.Element {
  const { lead } = props;
  const refresh = useRefresh(path);
  const form = createForm({
    initial: { status: lead.status as string, note: lead.note },
    body: ({ status, note }) => ({
      id: lead.id,
      version: lead.version,
      status,
      note,
    }),
    submit: async (_, body) => {
      await apiPost<typeof saveLeadInput>("/backend/admin/lead/save/", body);
      showToast(t("Lead saved"));
      await refresh();
    },
  });
  return (
    <>
      <Facts
        facts={[
          { name: t("Contact"), value: lead.contact },
          { name: t("E-mail"), value: <a href={`mailto:${lead.email}`}>{lead.email}</a> },
          { name: t("Expected usage"), value: shownText(lead.volume) },
          { name: t("Message"), value: <span class={styles["message"]}>{shownText(lead.message)}</span> },
          { name: t("Campaign"), value: shownText(lead.campaign) },
          { name: t("Asked"), value: shownMoment(lead.created_at) },
          { name: t("Updated"), value: shownMoment(lead.updated_at) },
        ]}
      />
      <AdminForm form={form} operation="/backend/admin/lead/save/" action={t("Save lead")}>
        <ChoiceField label={t("Status")} options={leadStatuses} {...form.text("status")} />
        <TextArea label={t("Note")} hint={t("For admins only; it is never sent.")} rows={5} {...form.text("note")} />
      </AdminForm>
    </>
  );
}
