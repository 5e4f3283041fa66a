import type { ledgerList, orderList, paymentList, refundList } from "@sluice/contracts/admin-lists/billing";
import type { RowOf } from "@sluice/contracts/lists";
import { ledgerSubject } from "../../i18n/ledger-subject.ts";
import { Status } from "../../kit/status.tsx";
import type { Column } from "../../table/model.ts";
import { formats } from "../formats.ts";
import { PageLink } from "../parts/page-link.tsx";
import { StateWord } from "../parts/state-word.tsx";
import { shownText, shownWord } from "../shown.ts";
import { t } from "../translate.ts";
import { listMoment, shortMoment } from "./list-moment.tsx";
import { OrganisationLink, OwnerLink, UserLink } from "./user-link.tsx";

export type OrderRow = RowOf<typeof orderList>;
export type PaymentRow = RowOf<typeof paymentList>;
export type RefundRow = RowOf<typeof refundList>;
export type LedgerRow = RowOf<typeof ledgerList>;

const ways: Readonly<Record<OrderRow["pay_channel"], string>> = {
  none: t("not chosen"),
  mock: t("test payment"),
  walletpay: t("wallet"),
  cardpay: t("card"),
  code: t("redemption code"),
};

/** How an order was paid, or would be: the same words in lists and panels. */
export function paymentMethod({ pay_channel: way, vendor }: Pick<OrderRow, "pay_channel" | "vendor">): string {
  const name = vendor === null ? "" : shownWord(vendor.replace(/^cardpay_/, ""));
  return name === "" || name === ways[way] ? ways[way] : `${name}, ${ways[way]}`;
}

/** The word for a gateway, and which of our accounts there it was, if there are several. */
export function gatewayName(gateway: string, account = gateway): string {
  const name = gateway in ways ? ways[gateway as OrderRow["pay_channel"]] : gateway;
  return account === gateway ? name : t("{gateway}, account {account}", { gateway: name, account });
}

export const orderColumns: readonly Column<OrderRow>[] = [
  { id: "order_no", label: t("Order"), cell: (row) => <code>{row.order_no}</code>, card: "title" },
  { id: "email", label: t("Payer"), cell: (row) => <UserLink userId={row.user_id} email={row.email} /> },
  {
    id: "organisation",
    label: t("Organisation"),
    cell: (row) => <OrganisationLink row={row} />,
    isHiddenAtFirst: true,
  },
  { id: "plan_name", label: t("Plan"), cell: (row) => row.plan_name },
  {
    id: "amount_usd",
    label: t("Amount, USD"),
    cell: (row) => formats.usd(row.amount_usd),
    align: "end",
    isSortable: true,
  },
  { id: "pay_channel", label: t("Payment method"), cell: (row) => paymentMethod(row) },
  {
    id: "status",
    label: t("Status"),
    cell: (row) =>
      row.review_reason === null ? (
        <StateWord state={row.status} />
      ) : (
        <Status tone="bad">{t("{status}, needs review", { status: shownWord(row.status) })}</Status>
      ),
    card: "badge",
  },
  { id: "created_at", label: t("Created"), cell: (row) => listMoment(row.created_at), isSortable: true },
  { id: "paid_at", label: t("Paid"), cell: (row) => listMoment(row.paid_at), isHiddenAtFirst: true },
  { id: "credited_at", label: t("Credited"), cell: (row) => listMoment(row.credited_at), isHiddenAtFirst: true },
];

export const paymentColumns: readonly Column<PaymentRow>[] = [
  { id: "transaction_id", label: t("Transaction"), cell: (row) => <code>{row.transaction_id}</code>, card: "title" },
  {
    id: "order_no",
    label: t("Order"),
    cell: (row) => <OrderLink orderNo={row.order_no} />,
    isHiddenAtFirst: true,
  },
  { id: "email", label: t("Payer"), cell: (row) => <UserLink userId={row.user_id} email={row.email} /> },
  {
    id: "organisation",
    label: t("Organisation"),
    cell: (row) => <OrganisationLink row={row} />,
    isHiddenAtFirst: true,
  },
  {
    id: "gateway",
    label: t("Gateway"),
    cell: (row) => gatewayName(row.gateway, row.account),
  },
  {
    id: "amount_usd",
    label: t("Amount, USD"),
    cell: (row) => formats.usd(row.amount_usd),
    align: "end",
    isSortable: true,
  },
  { id: "refunded_usd", label: t("Refunded, USD"), cell: (row) => formats.usd(row.refunded_usd), align: "end" },
  { id: "order_status", label: t("Order is"), cell: (row) => <StateWord state={row.order_status} />, card: "badge" },
  { id: "created_at", label: t("Received"), cell: (row) => listMoment(row.created_at), isSortable: true },
];

export const refundColumns: readonly Column<RefundRow>[] = [
  { id: "refund_no", label: t("Refund"), cell: (row) => <code>{row.refund_no}</code>, card: "title" },
  { id: "order_no", label: t("Order"), cell: (row) => <OrderLink orderNo={row.order_no} /> },
  { id: "email", label: t("Payer"), cell: (row) => <UserLink userId={row.user_id} email={row.email} /> },
  {
    id: "organisation",
    label: t("Organisation"),
    cell: (row) => <OrganisationLink row={row} />,
    isHiddenAtFirst: true,
  },
  { id: "amount_usd", label: t("Amount, USD"), cell: (row) => formats.usd(row.amount_usd), align: "end" },
  { id: "quota", label: t("Deducted, USD"), cell: (row) => formats.quota(row.quota), align: "end" },
  { id: "status", label: t("Status"), cell: (row) => <StateWord state={row.status} />, card: "badge" },
  { id: "reason", label: t("Reason"), cell: (row) => row.reason },
  { id: "error", label: t("Error"), cell: (row) => shownText(row.error), isHiddenAtFirst: true },
  { id: "created_at", label: t("Requested"), cell: (row) => listMoment(row.created_at), isSortable: true },
];

/** What changed a balance. */
export function changeName(type: string): string {
  return type === "usage_quota" ? t("usage of models") : shownWord(type);
}

export const ledgerColumns: readonly Column<LedgerRow>[] = [
  { id: "change_type", label: t("Change"), cell: (row) => changeName(row.change_type), card: "title" },
  {
    id: "account",
    label: t("Account"),
    cell: (row) => <OwnerLink row={row} name={row.account} />,
  },
  { id: "amount", label: t("Amount, USD"), cell: (row) => formats.quota(row.amount), align: "end" },
  {
    id: "balance_after",
    label: t("Balance after, USD"),
    cell: (row) => formats.quota(row.balance_after),
    align: "end",
  },
  { id: "reference", label: t("Reference"), cell: (row) => <LedgerReference row={row} /> },
  { id: "note", label: t("Note"), cell: (row) => shownText(row.note), isHiddenAtFirst: true },
  { id: "created_at", label: t("At"), cell: (row) => listMoment(row.created_at), isSortable: true },
];

export function OrderLink(props: { readonly orderNo: string }) {
  return <PageLink href={`/admin/orders/?order_no=${props.orderNo}&open=${props.orderNo}`}>{props.orderNo}</PageLink>;
}

/** What a line of the ledger is about, with a link to it; a reference without a page stays as it is. */
function LedgerReference(props: { readonly row: LedgerRow }) {
  const { row } = props;
  const subject = ledgerSubject(row.reference);
  switch (subject?.kind) {
    case "order":
      return <OrderLink orderNo={subject.number} />;
    case "refund":
      return <PageLink href={`/admin/payments/?tab=refunds&open=${subject.number}`}>{subject.number}</PageLink>;
    case "usage": {
      const text = t("Usage up to {time}", { time: shortMoment(row.created_at) });
      const usage = usageOf(row);
      return usage === null ? (
        <span title={row.reference}>{text}</span>
      ) : (
        <PageLink href={usage} title={row.reference}>
          {text}
        </PageLink>
      );
    }
    default:
      return <code>{row.reference}</code>;
  }
}

/** The page with the usage of the owner; null for a house account. */
function usageOf({ organisation_id: organisationId, user_id: userId }: LedgerRow): string | null {
  if (organisationId !== null) {
    return `/admin/organisations/${organisationId}/?tab=usage`;
  }
  return userId === null ? null : `/admin/users/${userId}/?tab=usage`;
}
