import type { JSX } from "solid-js";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { formats } from "../../formats.ts";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownMoment } from "../../shown.ts";
import { type Credit, refusalTexts, registrationPath } from "./registration.ts";

const columns: readonly Column<Credit>[] = [
  {
    id: "email",
    label: "User",
    cell: (row) => (
      <PageLink href={`/admin/users/${row.user_id}/`}>
        <bdi>{row.email}</bdi>
      </PageLink>
    ),
    card: "title",
  },
  {
    id: "outcome",
    label: "Free credit",
    cell: (row) => <StateWord state={row.refusal === null ? "paid" : "refused"} />,
    card: "badge",
  },
  { id: "credit_quota", label: "Amount", cell: (row) => formats.quota(row.credit_quota), align: "end" },
  { id: "refusal", label: "Reason", cell: (row) => (row.refusal === null ? "–" : refusalTexts[row.refusal]) },
  { id: "network", label: "Network", cell: (row) => <bdi>{row.network}</bdi> },
  {
    id: "invitation_id",
    label: "Invitation",
    cell: (row) => (row.invitation_id === null ? "–" : String(row.invitation_id)),
    isHiddenAtFirst: true,
  },
  { id: "registered_at", label: "Registered", cell: (row) => shownMoment(row.registered_at), isHiddenAtFirst: true },
  { id: "decided_at", label: "Verified", cell: (row) => shownMoment(row.decided_at), isSortable: true },
];

const selection = selectionOf("registration-credits", `${registrationPath}credit/`);

/** What newcomers got for nothing, and why others did not. */
export function Credits(): JSX.Element {
  const state = createTableState({ filters: ["outcome"], prefix: "credit-" });
  const list = createListQuery<Credit>({ path: `${registrationPath}credit/`, state });
  return (
    <DataTable
      {...list}
      name="admin-registration-credits"
      label="Free credit of newcomers"
      columns={columns}
      state={state}
      rowId={(row) => String(row.user_id)}
      selection={selection}
      filters={[{ id: "outcome", label: "Outcome", options: optionsOf(["paid", "refused"]) }]}
      empty={{
        title: "No free credit yet",
        text: "What newcomers get appears here once they have verified their address.",
      }}
    />
  );
}
