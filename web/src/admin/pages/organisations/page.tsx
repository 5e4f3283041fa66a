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
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownCount, shownMoment } from "../../shown.ts";
import { organisationStatuses } from "../../values.ts";
import { CreateForm } from "./create-form.tsx";
import { type Organisation, organisationsPath } from "./organisation.ts";

const columns: readonly Column<Organisation>[] = [
  {
    id: "name",
    label: "Organisation",
    cell: (row) => <PageLink href={`/admin/organisations/${row.organisation_id}/`}>{row.name}</PageLink>,
    card: "title",
    isSortable: true,
  },
  { id: "organisation_id", label: "Id", cell: (row) => String(row.organisation_id) },
  { id: "gateway_user_id", label: "Account id", cell: (row) => String(row.gateway_user_id), isHiddenAtFirst: true },
  { id: "status", label: "Status", cell: (row) => <StateWord state={row.status} />, card: "badge" },
  { id: "owners", label: "Owners", cell: (row) => row.owners.join(", ") },
  { id: "members", label: "Members", cell: (row) => shownCount(row.members), align: "end" },
  { id: "projects", label: "Projects", cell: (row) => shownCount(row.projects), align: "end" },
  { id: "live_keys", label: "Keys", cell: (row) => shownCount(row.live_keys), align: "end" },
  {
    id: "group_name",
    label: "Group",
    cell: (row) => <PageLink href={`/admin/groups/${row.group_name}/`}>{row.group_name}</PageLink>,
  },
  { id: "remaining", label: "Balance, USD", cell: (row) => <Amount quota={row.remaining} />, align: "end" },
  { id: "used", label: "Used, USD", cell: (row) => <Amount quota={row.used} />, align: "end" },
  { id: "last_call_at", label: "Last call", cell: (row) => shownMoment(row.last_call_at, "never") },
  {
    id: "created_at",
    label: "Created",
    cell: (row) => shownMoment(row.created_at),
    isSortable: true,
    isHiddenAtFirst: true,
  },
];

const selection = selectionOf("organisations", organisationsPath);

/** All organisations; each has a page of its own. */
export function Page(): JSX.Element {
  useAdminTitle(() => "Organisations");
  const state = createTableState({ filters: ["q", "status"] });
  const list = createListQuery<Organisation>({ path: organisationsPath, state });
  const [isCreating, setIsCreating] = createSignal(false);
  const close = (): void => {
    setIsCreating(false);
  };
  return (
    <>
      <PageHead
        title="Organisations"
        text="People who share one account. Search by the start of a name or API key, or by id."
      />
      <DataTable
        {...list}
        name="admin-organisations"
        label="Organisations"
        columns={columns}
        state={state}
        rowId={(row) => String(row.organisation_id)}
        selection={selection}
        filters={[
          { id: "q", label: "Name, key or id", isSearch: true },
          { id: "status", label: "Status", options: optionsOf(organisationStatuses) },
        ]}
        actions={
          <IfAllowed operation="/backend/admin/organisation/create/">
            <Button variant="primary" onClick={() => setIsCreating(true)}>
              <Icon name="plus" />
              New organisation
            </Button>
          </IfAllowed>
        }
        empty={{
          title: "No organisations yet",
          text: "Users create them in the console, or you create one for a user.",
        }}
      />
      <Dialog isOpen={isCreating()} onClose={close} title="New organisation">
        <CreateForm onDone={close} />
      </Dialog>
    </>
  );
}
