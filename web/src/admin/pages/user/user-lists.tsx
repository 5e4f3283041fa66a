import type { JSX } from "solid-js";
import { Dynamic } from "solid-js/web";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column, SearchFilter } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import {
  type AuditRow,
  auditColumns,
  type KeyRow,
  keyColumns,
  type MailRow,
  mailColumns,
  type UsageRow,
  usageColumns,
} from "../../columns/account-columns.tsx";
import {
  type LedgerRow,
  ledgerColumns,
  type OrderRow,
  orderColumns,
  type PaymentRow,
  paymentColumns,
  type RefundRow,
  refundColumns,
} from "../../columns/billing-columns.tsx";
import { KeyPanel } from "./key-panel.tsx";

type ListOf<Row> = {
  readonly name: string;
  readonly path: string;
  readonly columns: readonly Column<Row>[];
  readonly rowId: (row: Row) => string;
  readonly empty: string;
  /** The name of the filter for the user. */
  readonly filter?: string;
  /** What opens beside the list. */
  readonly panel?: { readonly title: (row: Row) => string; readonly content: (row: Row) => JSX.Element };
  /** What else the rows can be searched by. */
  readonly searches?: readonly SearchFilter[];
};

/** A list of the admin with the rows of one user. */
function listOf<Row>(of: ListOf<Row>): (props: { readonly userId: string }) => JSX.Element {
  return (props) => {
    const searches = of.searches ?? [];
    const state = createTableState({ filters: searches.map(({ id }) => id) });
    const narrowed = { ...state, query: () => ({ ...state.query(), [of.filter ?? "user_id"]: props.userId }) };
    const list = createListQuery<Row>({ path: of.path, state: narrowed });
    return (
      <DataTable
        {...list}
        name={`admin-user-${of.name}`}
        label={of.name}
        columns={of.columns}
        state={narrowed}
        rowId={of.rowId}
        filters={searches}
        empty={{ title: of.empty }}
        {...(of.panel === undefined ? {} : { panel: of.panel })}
      />
    );
  };
}

const usageSearches: readonly SearchFilter[] = [
  { id: "model", label: "Model", isSearch: true },
  { id: "asked_model", label: "Model asked for", isSearch: true },
];

const lists = {
  keys: listOf<KeyRow>({
    name: "Keys",
    path: "/backend/admin/key/",
    columns: keyColumns,
    rowId: (row) => String(row.key_id),
    empty: "This user has no API keys",
    panel: { title: (row) => row.name, content: (row) => <KeyPanel apiKey={row} /> },
  }),
  usage: listOf<UsageRow>({
    name: "Usage",
    path: "/backend/admin/usage/",
    columns: usageColumns,
    rowId: (row) => row.request_id,
    empty: "This user has made no calls",
    searches: usageSearches,
  }),
  orders: listOf<OrderRow>({
    name: "Orders",
    path: "/backend/admin/order/",
    columns: orderColumns,
    rowId: (row) => row.order_no,
    empty: "This user has placed no orders",
  }),
  payments: listOf<PaymentRow>({
    name: "Payments",
    path: "/backend/admin/payment/",
    columns: paymentColumns,
    rowId: (row) => String(row.payment_id),
    empty: "This user has made no payments",
  }),
  refunds: listOf<RefundRow>({
    name: "Refunds",
    path: "/backend/admin/refund/",
    columns: refundColumns,
    rowId: (row) => row.refund_no,
    empty: "This user has no refunds",
  }),
  ledger: listOf<LedgerRow>({
    name: "Ledger",
    path: "/backend/admin/ledger/",
    columns: ledgerColumns,
    rowId: (row) => String(row.entry_id),
    empty: "This user has no ledger entries",
  }),
  mails: listOf<MailRow>({
    name: "Mails",
    path: "/backend/admin/mail/",
    columns: mailColumns,
    rowId: (row) => String(row.mail_id),
    empty: "No mails were sent to this user",
  }),
  audit: listOf<AuditRow>({
    name: "Audit",
    path: "/backend/admin/audit/",
    columns: auditColumns,
    rowId: (row) => String(row.audit_id),
    empty: "There are no audit log entries about this user",
    filter: "about_user_id",
  }),
} as const;

/** The list of one tab. */
export function UserList(props: { readonly tab: string; readonly userId: string }): JSX.Element {
  const component = () => (props.tab in lists ? lists[props.tab as keyof typeof lists] : lists.keys);
  return <Dynamic component={component()} userId={props.userId} />;
}
