import { createSignal, type JSX } from "solid-js";
import { Button } from "../../../kit/button.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { Amount } from "../../columns/amount.tsx";
import { listMoment } from "../../columns/list-moment.tsx";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { createRowActions } from "../../parts/row-actions.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount } from "../../shown.ts";
import { t } from "../../translate.ts";
import { organisationStatuses } from "../../values.ts";
import { CreateForm } from "./create-form.tsx";
import { type Organisation, organisationsPath } from "./organisation.ts";

const columns: readonly Column<Organisation>[] = [
  {
    id: "name",
    label: t("Organisation"),
    cell: (row) => <PageLink href={`/admin/organisations/${row.organisation_id}/`}>{row.name}</PageLink>,
    card: "title",
    isSortable: true,
  },
  { id: "organisation_id", label: t("ID"), cell: (row) => String(row.organisation_id) },
  { id: "gateway_user_id", label: t("Account ID"), cell: (row) => String(row.gateway_user_id), isHiddenAtFirst: true },
  { id: "status", label: t("Status"), cell: (row) => <StateWord state={row.status} />, card: "badge" },
  { id: "owners", label: t("Owners"), cell: (row) => row.owners.join(", ") },
  { id: "members", label: t("Members"), cell: (row) => shownCount(row.members), align: "end" },
  { id: "projects", label: t("Projects"), cell: (row) => shownCount(row.projects), align: "end" },
  { id: "live_keys", label: t("Keys"), cell: (row) => shownCount(row.live_keys), align: "end" },
  {
    id: "group_name",
    label: t("Group"),
    cell: (row) => <PageLink href={`/admin/groups/${row.group_name}/`}>{row.group_name}</PageLink>,
  },
  { id: "remaining", label: t("Balance, USD"), cell: (row) => <Amount quota={row.remaining} />, align: "end" },
  { id: "used", label: t("Used, USD"), cell: (row) => <Amount quota={row.used} />, align: "end" },
  { id: "last_call_at", label: t("Last call"), cell: (row) => listMoment(row.last_call_at, t("never")) },
  {
    id: "created_at",
    label: t("Created"),
    cell: (row) => listMoment(row.created_at),
    isSortable: true,
    isHiddenAtFirst: true,
  },
];

const selection = selectionOf("organisations", organisationsPath);

/** All organisations; each has a page of its own. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Organisations"));
  const state = createTableState({ filters: ["q", "status"] });
  const list = createListQuery<Organisation>({ path: organisationsPath, state });
  const ofRow = createRowActions<Organisation>({
    path: organisationsPath,
    id: (row) => String(row.organisation_id),
    name: (row) => row.name,
    action: ({ status }) => (status === "active" ? "organisations.suspend" : "organisations.reopen"),
  });
  const [isCreating, setIsCreating] = createSignal(false);
  const close = (): void => {
    setIsCreating(false);
  };
  return (
    <>
      <PageHead
        title={t("Organisations")}
        text={t("People who share one account. Search by the start of a name or API key, or by ID.")}
      />
      <DataTable
        {...list}
        name="admin-organisations"
        label={t("Organisations")}
        columns={columns}
        state={state}
        rowId={(row) => String(row.organisation_id)}
        selection={selection}
        rowActions={ofRow.actions}
        filters={[
          { id: "q", label: t("Name, key or ID"), isSearch: true },
          { id: "status", label: t("Status"), options: optionsOf(organisationStatuses) },
        ]}
        actions={
          <IfAllowed operation="/backend/admin/organisation/create/">
            <Button variant="primary" onClick={() => setIsCreating(true)}>
              <Icon name="plus" />
              {t("New organisation")}
            </Button>
          </IfAllowed>
        }
        empty={{
          title: t("No organisations yet"),
          text: t("Users create them in the console, or you create one for a user."),
        }}
      />
      {ofRow.dialog()}
      <Dialog isOpen={isCreating()} onClose={close} title={t("New organisation")}>
        <CreateForm onDone={close} />
      </Dialog>
    </>
  );
}
