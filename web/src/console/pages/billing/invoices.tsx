import { countryCodes } from "@sluice/contracts/countries";
import type { buyerResponse, invoicePageResponse } from "@sluice/contracts/invoices";
import type { ResponseOf } from "@sluice/contracts/wire";
import { createQuery, useQueryClient } from "@tanstack/solid-query";
import { For, type JSX, Match, Switch } from "solid-js";
import { apiGet, apiPost, apiUrl } from "../../../api/client.ts";
import { createForm } from "../../../form/create-form.ts";
import { Button } from "../../../kit/button.tsx";
import { Card } from "../../../kit/card.tsx";
import { SelectField, TextArea, TextField } from "../../../kit/field.tsx";
import { ErrorState, LoadingPart, ShownAfter } from "../../../kit/states.tsx";
import { showToast } from "../../../kit/toast.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { formats } from "../../formats.ts";
import { consoleLocale } from "../../locales.ts";
import { createCursorList } from "../../parts/cursor-list.ts";
import styles from "./billing.module.css";
import { billingArea } from "./messages/messages.ts";

type Invoice = ResponseOf<typeof invoicePageResponse>["invoices"][number];
type Buyer = ResponseOf<typeof buyerResponse>["buyer"];

const buyerPath = "/backend/billing/buyer/";

/** Invoices and credit notes of the account, and what new ones say about the buyer. */
export function Invoices(): JSX.Element {
  const texts = billingArea.texts();
  const state = createTableState({ filters: [] });
  const list = createCursorList<Invoice>({
    name: "invoices",
    state,
    load: async (query, signal) => {
      const { invoices, next_cursor } = await apiGet<typeof invoicePageResponse>("/backend/billing/invoice/list/", {
        query,
        signal,
      });
      return { rows: invoices, next_cursor };
    },
  });
  return (
    <div class={styles["stack"]}>
      <DataTable<Invoice>
        {...list}
        name="invoices"
        label={texts.invoices}
        state={state}
        columns={columns()}
        rowId={({ number }) => number}
        empty={{ title: texts.noInvoices, text: texts.noInvoicesText }}
      />
      <ShownAfter isReady={!list.isLoading}>
        <BuyerCard />
      </ShownAfter>
    </div>
  );
}

function columns(): readonly Column<Invoice>[] {
  const texts = billingArea.texts();
  const money = ({ kind }: Invoice, amount: string): string =>
    formats.usd(kind === "credit_note" && /[1-9]/.test(amount) ? `-${amount}` : amount);
  return [
    { id: "number", label: texts.invoiceNumber, card: "title", cell: ({ number }) => <code>{number}</code> },
    { id: "kind", label: texts.invoiceKind, card: "badge", cell: ({ kind }) => texts.invoiceKinds[kind] },
    { id: "issued", label: texts.issued, cell: ({ issued_at }) => formats.dateTime(issued_at) },
    { id: "net", label: texts.net, align: "end", cell: (invoice) => money(invoice, invoice.net_usd) },
    { id: "tax", label: texts.tax, align: "end", cell: (invoice) => money(invoice, invoice.tax_usd) },
    { id: "amount", label: texts.amount, align: "end", cell: (invoice) => money(invoice, invoice.gross_usd) },
    {
      id: "file",
      label: texts.file,
      cell: ({ number }) => (
        <a href={apiUrl("/backend/billing/invoice/file/", { number })} download="" aria-label={`PDF ${number}`}>
          PDF
        </a>
      ),
    },
  ];
}

function BuyerCard(): JSX.Element {
  const texts = billingArea.texts();
  const query = createQuery(() => ({
    queryKey: ["buyer"],
    queryFn: ({ signal }) => apiGet<typeof buyerResponse>(buyerPath, { signal }),
  }));
  return (
    <Card title={texts.buyerTitle}>
      <p class="muted">{texts.buyerText}</p>
      <Switch fallback={<LoadingPart />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data}>{(loaded) => <BuyerForm buyer={loaded().buyer} />}</Match>
      </Switch>
    </Card>
  );
}

/** In the order of their names in the language of the console. */
function countries(): { readonly code: string; readonly name: string }[] {
  const names = new Intl.DisplayNames(consoleLocale, { type: "region" });
  const { compare } = new Intl.Collator(consoleLocale);
  return countryCodes
    .map((code) => ({ code, name: names.of(code) ?? code }))
    .sort((one, other) => compare(one.name, other.name));
}

function BuyerForm(props: { readonly buyer: Buyer }): JSX.Element {
  const texts = billingArea.texts();
  const client = useQueryClient();
  const form = createForm({
    initial: props.buyer ?? { name: "", address: "", country: "", tax_id: "" },
    submit: async (values) => {
      await apiPost<typeof buyerResponse>(`${buyerPath}save/`, values);
      await client.invalidateQueries({ queryKey: ["quote"] });
      showToast(texts.buyerSaved);
    },
  });
  return (
    <form class="form" onSubmit={form.onSubmit} noValidate>
      <TextField label={texts.buyerName} autocomplete="organization" maxlength={200} {...form.text("name")} />
      <TextArea label={texts.buyerAddress} autocomplete="street-address" rows={3} {...form.text("address")} />
      <SelectField
        label={texts.buyerCountry}
        autocomplete="country"
        value={form.values().country}
        error={form.errorOf("country")}
        onChange={(event) => form.set("country", event.currentTarget.value)}
      >
        <option value="" selected={form.values().country === ""} />
        <For each={countries()}>
          {({ code, name }) => (
            <option value={code} selected={code === form.values().country}>
              {name}
            </option>
          )}
        </For>
      </SelectField>
      <TextField
        label={texts.buyerTaxId}
        autocomplete="off"
        maxlength={40}
        hint={texts.buyerTaxIdHint}
        {...form.text("tax_id")}
      />
      {form.problem() === null ? null : <ErrorState title={texts.failed} error={form.problem()} />}
      <div class="form-actions">
        <Button type="submit" variant="primary" isBusy={form.isSubmitting()}>
          {texts.save}
        </Button>
      </div>
    </form>
  );
}
