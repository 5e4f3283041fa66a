import type { JSX } from "solid-js";
import { Dynamic } from "solid-js/web";
import { latePart } from "../../../shell/loaded-page.tsx";
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
import { type ConsentRow, consentColumns } from "../../columns/consent-columns.tsx";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { type Me, mayCall } from "../../parts/rights.tsx";
import { known, t } from "../../translate.ts";

const KeyPanel = latePart(async () => (await import("./key-panel.tsx")).KeyPanel);

type ListOf<Row> = {
  readonly name: string;
  /** Its name in the contracts, if its rows can be chosen. */
  readonly list?: string;
  readonly path: string;
  readonly columns: readonly Column<Row>[];
  readonly rowId: (row: Row) => string;
  readonly empty: (owner: string) => string;
  /** What opens beside the list. */
  readonly panel?: { readonly title: (row: Row) => string; readonly content: (row: Row) => JSX.Element };
  /** What else the rows can be searched by. */
  readonly searches?: readonly SearchFilter[];
};

type Narrowed = {
  /** What the account belongs to, in the text for an empty list. */
  readonly owner: "user" | "organisation";
  /** The filters that choose the rows of the account. */
  readonly narrow: Readonly<Record<string, string>>;
};

/** A list of the admin with the rows of one account, and what it reads. */
function listOf<Row>(of: ListOf<Row>): { readonly reads: string; readonly Rows: (props: Narrowed) => JSX.Element } {
  const selection = of.list === undefined ? undefined : selectionOf(of.list, of.path);
  const Rows = (props: Narrowed): JSX.Element => {
    const searches = of.searches ?? [];
    const state = createTableState({ filters: searches.map(({ id }) => id) });
    const narrowed = { ...state, query: () => ({ ...state.query(), ...props.narrow }) };
    const list = createListQuery<Row>({ path: of.path, state: narrowed });
    return (
      <DataTable
        {...list}
        name={`admin-${props.owner}-${of.name}`}
        label={of.name}
        columns={of.columns}
        state={narrowed}
        rowId={of.rowId}
        selection={selection}
        filters={searches}
        empty={{ title: of.empty(known(props.owner)) }}
        {...(of.panel === undefined ? {} : { panel: of.panel })}
      />
    );
  };
  return { reads: `${of.path}list/`, Rows };
}

const usageSearches: readonly SearchFilter[] = [
  { id: "model", label: t("Model"), isSearch: true },
  { id: "asked_model", label: t("Model asked for"), isSearch: true },
  { id: "end_user", label: t("End user"), isSearch: true },
  { id: "tag", label: t("Tag"), isSearch: true },
];

const lists = {
  keys: listOf<KeyRow>({
    name: t("Keys"),
    list: "keys",
    path: "/backend/admin/key/",
    columns: keyColumns,
    rowId: (row) => String(row.key_id),
    empty: (owner) => t("This {owner} has no API keys", { owner }),
    panel: { title: (row) => row.name, content: (row) => <KeyPanel apiKey={row} /> },
  }),
  usage: listOf<UsageRow>({
    name: t("Usage"),
    path: "/backend/admin/usage/",
    columns: usageColumns,
    rowId: (row) => row.request_id,
    empty: (owner) => t("This {owner} has made no calls", { owner }),
    searches: usageSearches,
  }),
  orders: listOf<OrderRow>({
    name: t("Orders"),
    list: "orders",
    path: "/backend/admin/order/",
    columns: orderColumns,
    rowId: (row) => row.order_no,
    empty: (owner) => t("This {owner} has placed no orders", { owner }),
  }),
  payments: listOf<PaymentRow>({
    name: t("Payments"),
    list: "payments",
    path: "/backend/admin/payment/",
    columns: paymentColumns,
    rowId: (row) => String(row.payment_id),
    empty: (owner) => t("This {owner} has made no payments", { owner }),
  }),
  refunds: listOf<RefundRow>({
    name: t("Refunds"),
    list: "refunds",
    path: "/backend/admin/refund/",
    columns: refundColumns,
    rowId: (row) => row.refund_no,
    empty: (owner) => t("This {owner} has no refunds", { owner }),
  }),
  ledger: listOf<LedgerRow>({
    name: t("Ledger"),
    list: "ledger",
    path: "/backend/admin/ledger/",
    columns: ledgerColumns,
    rowId: (row) => String(row.entry_id),
    empty: (owner) => t("This {owner} has no ledger entries", { owner }),
  }),
  mails: listOf<MailRow>({
    name: t("E-mails"),
    list: "mails",
    path: "/backend/admin/mail/",
    columns: mailColumns,
    rowId: (row) => String(row.mail_id),
    empty: (owner) => t("No e-mails were sent to this {owner}", { owner }),
  }),
  consents: listOf<ConsentRow>({
    name: t("Consents"),
    list: "consents",
    path: "/backend/admin/consent/",
    columns: consentColumns,
    rowId: (row) => String(row.consent_id),
    empty: (owner) => t("This {owner} has accepted no legal page yet", { owner }),
  }),
  audit: listOf<AuditRow>({
    name: t("Audit"),
    list: "audit",
    path: "/backend/admin/audit/",
    columns: auditColumns,
    rowId: (row) => String(row.audit_id),
    empty: (owner) => t("No audit log entries about this {owner}", { owner }),
  }),
} as const;

export type AccountList = keyof typeof lists;

/** One of the lists, with the rows of one account. */
export function AccountRows(props: Narrowed & { readonly list: AccountList }): JSX.Element {
  return <Dynamic component={lists[props.list].Rows} owner={props.owner} narrow={props.narrow} />;
}

/** The tabs whose lists an admin may read, and all that show no list. Before the admin is known, all of them. */
export function readableTabs<Tab extends { readonly id: string }>(
  tabs: readonly Tab[],
  admin: ReturnType<Me["admin"]>,
): readonly Tab[] {
  return tabs.filter(({ id }) => admin === undefined || !isAccountList(id) || mayCall(admin, lists[id].reads));
}

export const isAccountList = (name: string): name is AccountList => name in lists;
