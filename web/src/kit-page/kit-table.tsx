import { useSearchParams } from "@solidjs/router";
import { createMemo, type JSX } from "solid-js";
import { Sparkline } from "../charts/sparkline.tsx";
import { Button } from "../kit/button.tsx";
import { Facts } from "../kit/card.tsx";
import { Status } from "../kit/status.tsx";
import { DataTable } from "../table/data-table.tsx";
import type { Column } from "../table/model.ts";
import { createTableState } from "../table/table-state.ts";

type Row = { readonly id: string; readonly name: string; readonly spent: number; readonly isActive: boolean };

const rows: readonly Row[] = Array.from({ length: 12 }, (_, index) => ({
  id: `key-${index + 1}`,
  name: ["laptop", "ci", "notebook", "crawler", "agent", "staging"][index % 6] ?? "",
  spent: (index * 37) % 90,
  isActive: index % 4 !== 3,
}));

const columns: readonly Column<Row>[] = [
  { id: "name", label: "Name", cell: (row) => row.name, isSortable: true, card: "title" },
  { id: "key", label: "Key", cell: (row) => <code>sk-...{row.id}</code> },
  { id: "spent", label: "Spent, USD", cell: (row) => `${row.spent}.00`, isSortable: true, align: "end" },
  {
    id: "course",
    label: "24 hours",
    cell: (row) => (
      <Sparkline values={[1, row.spent, 4, 9, null, 3, row.spent / 2, 8]} text="Spent in the last 24 hours" />
    ),
    card: "hidden",
  },
  {
    id: "status",
    label: "Status",
    cell: (row) => <Status tone={row.isActive ? "ok" : "bad"}>{row.isActive ? "active" : "revoked"}</Status>,
    card: "badge",
  },
];

/** `?table=empty`, `loading` and `error` show its other states. */
export function KitTable(): JSX.Element {
  const [params] = useSearchParams();
  const state = createTableState({ filters: ["q", "status"] });
  const mode = (): string => (typeof params["table"] === "string" ? params["table"] : "");
  const shown = createMemo(() => {
    const fits = rows.filter(
      ({ name, isActive }) =>
        name.includes(state.filter("q")) && ["", isActive ? "active" : "revoked"].includes(state.filter("status")),
    );
    return mode() === "empty" ? [] : mode() === "" ? fits : undefined;
  });
  return (
    <DataTable
      name="kit"
      label="Keys"
      columns={columns}
      state={state}
      rows={shown()}
      rowId={(row) => row.id}
      isLoading={mode() === "loading"}
      error={mode() === "error" ? new Error("The database does not answer.") : null}
      onRetry={() => undefined}
      nextCursor="next"
      total={{ count: 10_000, is_exact: false }}
      filters={[
        { id: "q", label: "Search", isSearch: true },
        {
          id: "status",
          label: "Status",
          options: [
            { value: "active", label: "active" },
            { value: "revoked", label: "revoked" },
          ],
        },
      ]}
      exports={{ csv: "/__kit?format=csv" }}
      empty={{ title: "No keys yet", text: "A key is what a program shows to be let in." }}
      actions={<Button variant="primary">Create key</Button>}
      panel={{
        title: (row) => row.name,
        content: (row) => <Facts facts={[{ name: "Spent", value: `${row.spent}.00 USD` }]} />,
      }}
    />
  );
}
