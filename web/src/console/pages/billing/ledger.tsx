import type { ledgerResponse } from "@sluice/contracts/billing";
import type { ResponseOf } from "@sluice/contracts/wire";
import { type JSX, Show } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { DataTable } from "../../../table/data-table.tsx";
import { createTableState } from "../../../table/table-state.ts";
import { formats } from "../../formats.ts";
import { createCursorList } from "../../parts/cursor-list.ts";
import { changeName } from "./change-name.ts";
import { billingArea } from "./messages/messages.ts";

type Entry = ResponseOf<typeof ledgerResponse>["entries"][number];

/** Every credit and every debit of the account. */
export function Ledger(): JSX.Element {
  const texts = billingArea.texts();
  const state = createTableState({ filters: [] });
  const list = createCursorList<Entry>({
    name: "ledger",
    state,
    load: async (query, signal) => {
      const { entries, next_cursor } = await apiGet<typeof ledgerResponse>("/backend/billing/ledger/", {
        query,
        signal,
      });
      return { rows: entries, next_cursor };
    },
  });
  return (
    <DataTable<Entry>
      {...list}
      name="ledger"
      label={texts.entries}
      state={state}
      rowId={({ id }) => String(id)}
      empty={{ title: texts.noEntries, text: texts.noEntriesText }}
      columns={[
        { id: "time", label: texts.time, card: "title", cell: (entry) => formats.dateTime(entry.created_at) },
        { id: "change", label: texts.change, cell: (entry) => changeName(entry.change_type) },
        { id: "reference", label: texts.reference, cell: (entry) => <Reference of={entry.reference} /> },
        { id: "note", label: texts.note, isHiddenAtFirst: true, cell: (entry) => <bdi>{entry.note ?? ""}</bdi> },
        { id: "amount", label: texts.amount, align: "end", cell: (entry) => formats.quotaColumn(entry.amount) },
        { id: "after", label: texts.after, align: "end", cell: (entry) => formats.quotaColumn(entry.balance_after) },
      ]}
    />
  );
}

const orderPrefix = "order:";

/** What a line is about: an order is a link to it. */
function Reference(props: { readonly of: string }): JSX.Element {
  const order = (): string | null => (props.of.startsWith(orderPrefix) ? props.of.slice(orderPrefix.length) : null);
  return (
    <Show when={order()} fallback={<code>{props.of}</code>}>
      {(number) => (
        <a href={`/console/billing/?tab=orders&open=${encodeURIComponent(number())}`}>
          <code>{number()}</code>
        </a>
      )}
    </Show>
  );
}
