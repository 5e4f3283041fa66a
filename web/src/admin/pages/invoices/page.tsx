import type { invoiceTermsResponse } from "@sluice/contracts/invoices";
import { createQuery } from "@tanstack/solid-query";
import { createSignal, type JSX, Show } from "solid-js";
import { apiGet, apiUrl } from "../../../api/client.ts";
import { Button } from "../../../kit/button.tsx";
import { Facts } from "../../../kit/card.tsx";
import { Dialog } from "../../../kit/dialog.tsx";
import { Icon } from "../../../kit/icon.tsx";
import { ErrorState, LoadingPart, Notice } from "../../../kit/states.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { listMoment } from "../../columns/list-moment.tsx";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { PageLink } from "../../parts/page-link.tsx";
import { IfAllowed } from "../../parts/rights.tsx";
import { shownMoment, shownText } from "../../shown.ts";
import { t } from "../../translate.ts";
import { invoiceKinds } from "../../values.ts";
import { type Invoice, invoicesPath, termsPath } from "./invoice.ts";
import { TermsForm } from "./terms-form.tsx";

const kindOf = ({ kind }: Invoice): string => (kind === "invoice" ? t("invoice") : t("credit note"));
const money = (invoice: Invoice, amount: string): string =>
  `${invoice.kind === "credit_note" ? "−" : ""}${amount} ${invoice.currency}`;

const columns: readonly Column<Invoice>[] = [
  { id: "number", label: t("Number"), cell: ({ number }) => <code>{number}</code>, card: "title" },
  { id: "kind", label: t("Kind"), cell: kindOf, card: "badge" },
  { id: "buyer_name", label: t("Buyer"), cell: ({ buyer_name }) => <bdi>{buyer_name}</bdi> },
  { id: "buyer_country", label: t("Country"), cell: ({ buyer_country }) => shownText(buyer_country) },
  { id: "net_usd", label: t("Net"), cell: (invoice) => money(invoice, invoice.net_usd), align: "end" },
  { id: "tax_usd", label: t("Tax"), cell: (invoice) => money(invoice, invoice.tax_usd), align: "end" },
  {
    id: "gross_usd",
    label: t("Total"),
    cell: (invoice) => money(invoice, invoice.gross_usd),
    align: "end",
    isSortable: true,
  },
  { id: "issued_at", label: t("Issued"), cell: ({ issued_at }) => listMoment(issued_at), isSortable: true },
];

const selection = selectionOf("invoices", invoicesPath);

/** Invoices and credit notes, and what is printed on new ones. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Invoices"));
  const state = createTableState({ filters: ["kind"] });
  const list = createListQuery<Invoice>({ path: invoicesPath, state });
  const [isEditing, setIsEditing] = createSignal(false);
  const terms = createQuery(() => ({
    queryKey: [termsPath],
    queryFn: ({ signal }: { signal: AbortSignal }) => apiGet<typeof invoiceTermsResponse>(termsPath, { signal }),
  }));
  return (
    <>
      <PageHead
        title={t("Invoices")}
        text={t(
          "Each paid order gets an invoice, and each refund a credit note. They are numbered without gaps and never change.",
        )}
      />
      <Show when={terms.data !== undefined && terms.data.terms?.is_on !== true}>
        <Notice tone="info">{t("No invoices are issued for new orders. Fill in your data to begin.")}</Notice>
      </Show>
      <DataTable
        {...list}
        name="admin-invoices"
        label={t("Invoices")}
        columns={columns}
        state={state}
        rowId={({ number }) => number}
        selection={selection}
        filters={[{ id: "kind", label: t("Kind"), options: optionsOf(invoiceKinds) }]}
        actions={
          <IfAllowed operation="/backend/admin/invoice/terms/save/">
            <Button variant="primary" onClick={() => setIsEditing(true)}>
              <Icon name="sliders" />
              {t("Seller and taxes")}
            </Button>
          </IfAllowed>
        }
        empty={{ title: t("No invoices yet"), text: t("They are issued when orders are paid.") }}
        panel={{ title: ({ number }) => number, content: (invoice) => <InvoiceFacts invoice={invoice} /> }}
      />
      <Dialog isOpen={isEditing()} onClose={() => setIsEditing(false)} title={t("Seller and taxes")} size="wide">
        <Show when={isEditing()}>
          <Show
            when={terms.data}
            fallback={
              <Show when={terms.error} fallback={<LoadingPart />}>
                {(error) => <ErrorState error={error()} onRetry={() => void terms.refetch()} />}
              </Show>
            }
          >
            {(loaded) => <TermsForm terms={loaded().terms} onDone={() => setIsEditing(false)} />}
          </Show>
        </Show>
      </Dialog>
    </>
  );
}

function InvoiceFacts(props: { readonly invoice: Invoice }): JSX.Element {
  return (
    <>
      <div class="button-row">
        <a class="button primary" href={apiUrl(`${invoicesPath}file/`, { number: props.invoice.number })} download="">
          <Icon name="download" />
          {t("PDF")}
        </a>
        <PageLink class="button" href={`/admin/orders/?order_no=${props.invoice.order_no}`}>
          {t("Order")}
        </PageLink>
      </div>
      <Facts
        facts={[
          { name: t("Kind"), value: kindOf(props.invoice) },
          { name: t("Buyer"), value: <bdi>{props.invoice.buyer_name}</bdi> },
          { name: t("E-mail"), value: <bdi>{shownText(props.invoice.buyer_email)}</bdi> },
          { name: t("Country"), value: shownText(props.invoice.buyer_country) },
          { name: t("Tax ID"), value: <bdi>{shownText(props.invoice.buyer_tax_id)}</bdi> },
          { name: t("Net"), value: money(props.invoice, props.invoice.net_usd) },
          {
            name: t("Tax, {tax_rate} %", { tax_rate: props.invoice.tax_rate }),
            value: money(props.invoice, props.invoice.tax_usd),
          },
          { name: t("Total"), value: money(props.invoice, props.invoice.gross_usd) },
          { name: t("Order"), value: <code>{props.invoice.order_no}</code> },
          { name: t("For invoice"), value: shownText(props.invoice.original_number) },
          { name: t("Issued"), value: shownMoment(props.invoice.issued_at) },
        ]}
      />
    </>
  );
}
