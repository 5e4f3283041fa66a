import { useSearchParams } from "@solidjs/router";
import { type JSX, Match, Switch } from "solid-js";
import { Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { Tabs } from "../../../kit/tabs.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import {
  changeName,
  gatewayName,
  type LedgerRow,
  ledgerColumns,
  OrderLink,
  type PaymentRow,
  paymentColumns,
  type RefundRow,
  refundColumns,
} from "../../columns/billing-columns.tsx";
import { OrganisationLink, UserLink } from "../../columns/user-link.tsx";
import { formats } from "../../formats.ts";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { StateWord } from "../../parts/state-word.tsx";
import { shownMoment, shownText } from "../../shown.ts";
import { t } from "../../translate.ts";
import { paymentGateways, refundStatuses } from "../../values.ts";
import { MoneyCheck } from "./money-check.tsx";
import { Notices } from "./notices.tsx";

const tabs = [
  { id: "payments", label: t("Payments") },
  { id: "refunds", label: t("Refunds") },
  { id: "notices", label: t("Gateway messages") },
  { id: "ledger", label: t("Ledger") },
  { id: "check", label: t("Money check") },
] as const;

/** Clears the parameters that not all of the lists share. */
const nothingChosen = { open: null, cursor: null, sort: null, status: null, result: null, is_open: null };

const paymentSelection = selectionOf("payments", "/backend/admin/payment/");
const refundSelection = selectionOf("refunds", "/backend/admin/refund/");
const ledgerSelection = selectionOf("ledger", "/backend/admin/ledger/");

/** What came in, what went back, and what both did to quota. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Payments"));
  const [params, setParams] = useSearchParams();
  const tab = () => tabs.find(({ id }) => id === params["tab"])?.id ?? "payments";
  return (
    <>
      <PageHead title={t("Payments")} text={t("Each list can be exported for accounting, with every matching row.")} />
      <Tabs
        label={t("Money")}
        tabs={tabs}
        selected={tab()}
        onSelect={(id) => setParams({ ...nothingChosen, tab: id }, { scroll: false })}
      >
        <Switch fallback={<Payments />}>
          <Match when={tab() === "refunds"}>
            <Refunds />
          </Match>
          <Match when={tab() === "notices"}>
            <Notices />
          </Match>
          <Match when={tab() === "ledger"}>
            <Ledger />
          </Match>
          <Match when={tab() === "check"}>
            <MoneyCheck />
          </Match>
        </Switch>
      </Tabs>
    </>
  );
}

function Payments(): JSX.Element {
  const state = createTableState({ filters: ["order_no", "transaction_id", "gateway"] });
  const list = createListQuery<PaymentRow>({ path: "/backend/admin/payment/", state });
  return (
    <DataTable
      {...list}
      name="admin-payments"
      label={t("Payments")}
      columns={paymentColumns}
      state={state}
      rowId={(row) => String(row.payment_id)}
      selection={paymentSelection}
      filters={[
        { id: "order_no", label: t("Order"), isSearch: true },
        { id: "transaction_id", label: t("Transaction"), isSearch: true },
        { id: "gateway", label: t("Gateway"), options: optionsOf(paymentGateways) },
      ]}
      empty={{ title: t("No payments yet"), text: t("Payments appear here once a gateway has confirmed them.") }}
      panel={{ title: (row) => row.transaction_id, content: (row) => <PaymentFacts row={row} /> }}
    />
  );
}

function PaymentFacts(props: { readonly row: PaymentRow }): JSX.Element {
  const { row } = props;
  return (
    <Facts
      facts={[
        { name: t("Transaction"), value: <CopyText text={row.transaction_id} label={t("Copy the transaction")} /> },
        {
          name: t("Gateway"),
          value: gatewayName(row.gateway, row.account),
        },
        { name: t("Order"), value: <OrderLink orderNo={row.order_no} /> },
        { name: t("Order is"), value: <StateWord state={row.order_status} /> },
        { name: t("Plan"), value: row.plan_code },
        { name: t("Payer"), value: <UserLink userId={row.user_id} email={row.email} /> },
        { name: t("Organisation"), value: <OrganisationLink row={row} /> },
        { name: t("Amount"), value: `${formats.usd(row.amount_usd)} ${row.currency}` },
        { name: t("Refunded"), value: formats.usd(row.refunded_usd) },
        { name: t("Received"), value: shownMoment(row.created_at) },
      ]}
    />
  );
}

function Refunds(): JSX.Element {
  const state = createTableState({ filters: ["order_no", "status"] });
  const list = createListQuery<RefundRow>({ path: "/backend/admin/refund/", state });
  return (
    <DataTable
      {...list}
      name="admin-refunds"
      label={t("Refunds")}
      columns={refundColumns}
      state={state}
      rowId={(row) => row.refund_no}
      selection={refundSelection}
      filters={[
        { id: "order_no", label: t("Order"), isSearch: true },
        { id: "status", label: t("Status"), options: optionsOf(refundStatuses) },
      ]}
      empty={{ title: t("No refunds yet"), text: t("Start a refund from its order.") }}
      panel={{ title: (row) => row.refund_no, content: (row) => <RefundFacts row={row} /> }}
    />
  );
}

function RefundFacts(props: { readonly row: RefundRow }): JSX.Element {
  const { row } = props;
  return (
    <Facts
      facts={[
        { name: t("Order"), value: <OrderLink orderNo={row.order_no} /> },
        { name: t("Status"), value: <StateWord state={row.status} /> },
        { name: t("Amount"), value: formats.usd(row.amount_usd) },
        { name: t("Quota deducted"), value: formats.quota(row.quota) },
        { name: t("Reason"), value: row.reason },
        { name: t("Gateway ID"), value: <code>{shownText(row.gateway_refund_id)}</code> },
        { name: t("Error"), value: shownText(row.error) },
        { name: t("Requested"), value: shownMoment(row.created_at) },
        { name: t("Updated"), value: shownMoment(row.updated_at) },
      ]}
    />
  );
}

/** What changes the balance of an account. */
const changes = [
  "order_credit",
  "subscription_grant",
  "subscription_expiry",
  "usage_quota",
  "manual_adjust",
  "refund",
  "refund_failed",
  "registration_credit",
  "referral_reward",
  "referral_taken_back",
  "import_opening",
].map((value) => ({ value, label: changeName(value) }));

function Ledger(): JSX.Element {
  const state = createTableState({ filters: ["gateway_user_id", "reference", "change_type"] });
  const list = createListQuery<LedgerRow>({ path: "/backend/admin/ledger/", state });
  return (
    <DataTable
      {...list}
      name="admin-ledger"
      label={t("Ledger")}
      columns={ledgerColumns}
      state={state}
      rowId={(row) => String(row.entry_id)}
      selection={ledgerSelection}
      filters={[
        { id: "gateway_user_id", label: t("Account ID"), isSearch: true },
        { id: "reference", label: t("Reference"), isSearch: true },
        { id: "change_type", label: t("Change"), options: changes },
      ]}
      empty={{
        title: t("The ledger is empty"),
        text: t("Every change is recorded as a debit and a credit."),
      }}
    />
  );
}
