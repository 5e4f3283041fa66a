import type { ledgerResponse } from "@sluice/contracts/billing";
import type { ResponseOf } from "@sluice/contracts/wire";
import { type JSX, Show } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { dayIn } from "../../../i18n/days.ts";
import { ledgerSubject } from "../../../i18n/ledger-subject.ts";
import { fill } from "../../../i18n/messages.ts";
import { DataTable } from "../../../table/data-table.tsx";
import { createTableState } from "../../../table/table-state.ts";
import { formats } from "../../formats.ts";
import { createCursorList } from "../../parts/cursor-list.ts";
import { browserZone } from "../../parts/days.ts";
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
        { id: "reference", label: texts.reference, cell: (entry) => <Reference of={entry} /> },
        { id: "note", label: texts.note, isHiddenAtFirst: true, cell: (entry) => <bdi>{entry.note ?? ""}</bdi> },
        { id: "amount", label: texts.amount, align: "end", cell: (entry) => formats.quotaColumn(entry.amount) },
        { id: "after", label: texts.after, align: "end", cell: (entry) => formats.quotaColumn(entry.balance_after) },
      ]}
    />
  );
}

/** What a line is about, and where to see it. */
function Reference(props: { readonly of: Entry }): JSX.Element {
  const subject = ledgerSubject(props.of.reference);
  if (subject === null) {
    return "–";
  }
  if (subject.kind === "usage") {
    const { created_at: time } = props.of;
    const day = dayIn(browserZone(), Date.parse(time));
    return (
      <a href={`/console/usage/?from_day=${day}&to_day=${day}`}>
        {fill(billingArea.texts().usageUpTo, { time: formats.dateTime(time) })}
      </a>
    );
  }
  return (
    <Show when={subject.kind === "order"} fallback={<code>{subject.number}</code>}>
      <a href={`/console/billing/?tab=orders&open=${encodeURIComponent(subject.number)}`}>
        <code>{subject.number}</code>
      </a>
    </Show>
  );
}
