import type { adjustmentList } from "@sluice/contracts/admin-lists/billing";
import type { RowOf } from "@sluice/contracts/lists";
import type { JSX } from "solid-js";
import { Facts } from "../../../kit/card.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { OwnerLink } from "../../columns/user-link.tsx";
import { formats } from "../../formats.ts";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { shownText } from "../../shown.ts";
import { t } from "../../translate.ts";
import { AdjustCard } from "./adjust-card.tsx";

type Adjustment = RowOf<typeof adjustmentList>;

const columns: readonly Column<Adjustment>[] = [
  { id: "at", label: t("At"), cell: (row) => listMoment(row.at), isSortable: true, card: "title" },
  { id: "admin", label: t("By"), cell: (row) => row.admin },
  { id: "email", label: t("Account of"), cell: (row) => <OwnerLink row={row} /> },
  { id: "gateway_user_id", label: t("Account ID"), cell: (row) => String(row.gateway_user_id) },
  { id: "amount", label: t("Amount, USD"), cell: (row) => formats.quota(row.amount), align: "end", card: "badge" },
  { id: "remaining_before", label: t("Before, USD"), cell: (row) => formats.quota(row.remaining_before), align: "end" },
  { id: "remaining_after", label: t("After, USD"), cell: (row) => formats.quota(row.remaining_after), align: "end" },
  { id: "reason", label: t("Reason"), cell: (row) => shownText(row.reason) },
];

const selection = selectionOf("adjustments", "/backend/admin/manual-adjust/");

/** Adds or deducts quota by hand, and lists earlier adjustments. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Adjust balance"));
  const state = createTableState({ filters: ["admin"] });
  const list = createListQuery<Adjustment>({ path: "/backend/admin/manual-adjust/", state });
  return (
    <>
      <PageHead title={t("Adjust balance")} text={t("Adds to or deducts from a user's balance, in US dollars.")} />
      <IfAllowed operation="/backend/admin/manual-adjust/">
        <AdjustCard />
      </IfAllowed>
      <DataTable
        {...list}
        name="admin-adjustments"
        label={t("Past adjustments")}
        columns={columns}
        state={state}
        rowId={(row) => String(row.audit_id)}
        selection={selection}
        filters={[{ id: "admin", label: t("By admin"), isSearch: true }]}
        empty={{
          title: t("No adjustments yet"),
          text: t("Adjustments made above are listed here, with their reasons."),
        }}
        panel={{
          title: (row) =>
            t("{amount} for account {gateway_user_id}", {
              amount: formats.quota(row.amount),
              gateway_user_id: row.gateway_user_id,
            }),
          content: (row) => <AdjustFacts row={row} />,
        }}
      />
    </>
  );
}

function AdjustFacts(props: { readonly row: Adjustment }): JSX.Element {
  return (
    <Facts
      facts={[
        { name: t("Account of"), value: <OwnerLink row={props.row} /> },
        { name: t("Amount"), value: formats.quota(props.row.amount) },
        { name: t("Before"), value: formats.quota(props.row.remaining_before) },
        { name: t("After"), value: formats.quota(props.row.remaining_after) },
        { name: t("Reason"), value: shownText(props.row.reason) },
        { name: t("By"), value: props.row.admin },
        { name: t("Ledger posting"), value: props.row.posting_id === null ? t("none") : String(props.row.posting_id) },
        { name: t("Request"), value: <code>{shownText(props.row.request_id)}</code> },
      ]}
    />
  );
}
