import type { JSX } from "solid-js";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { t } from "../../translate.ts";
import { type Credit, refusalTexts, registrationPath } from "./registration.ts";

const columns: readonly Column<Credit>[] = [
  {
    id: "email",
    label: t("User"),
    cell: (row) => (
      <PageLink href={`/admin/users/${row.user_id}/`}>
        <bdi>{row.email}</bdi>
      </PageLink>
    ),
    card: "title",
  },
  {
    id: "outcome",
    label: t("Free credit"),
    cell: (row) => <StateWord state={row.refusal === null ? "paid" : "refused"} />,
    card: "badge",
  },
  { id: "credit_quota", label: t("Amount"), cell: (row) => formats.quota(row.credit_quota), align: "end" },
  { id: "refusal", label: t("Reason"), cell: (row) => (row.refusal === null ? "–" : refusalTexts[row.refusal]) },
  { id: "network", label: t("Network"), cell: (row) => <bdi>{row.network}</bdi> },
  {
    id: "invitation_id",
    label: t("Invitation"),
    cell: (row) => (row.invitation_id === null ? "–" : String(row.invitation_id)),
    isHiddenAtFirst: true,
  },
  { id: "registered_at", label: t("Registered"), cell: (row) => listMoment(row.registered_at), isHiddenAtFirst: true },
  { id: "decided_at", label: t("Verified"), cell: (row) => listMoment(row.decided_at), isSortable: true },
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
      label={t("Free credit of new users")}
      columns={columns}
      state={state}
      rowId={(row) => String(row.user_id)}
      selection={selection}
      filters={[{ id: "outcome", label: t("Outcome"), options: optionsOf(["paid", "refused"]) }]}
      empty={{
        title: t("No free credit yet"),
        text: t("What new users get appears here once they have verified their address."),
      }}
    />
  );
}
