import type { JSX } from "solid-js";
import { latePart } from "../../../shell/loaded-page.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { type KeyRow, keyColumns } from "../../columns/account-columns.tsx";
import { OwnerLink } from "../../columns/user-link.tsx";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { createRowActions } from "../../parts/row-actions.tsx";
import { t } from "../../translate.ts";
import { keyStatuses } from "../../values.ts";

const KeyPanel = latePart(async () => (await import("../user/key-panel.tsx")).KeyPanel);

const path = "/backend/admin/key/";
const selection = selectionOf("keys", path);
const owner: Column<KeyRow> = { id: "owner", label: t("Owner"), cell: (row) => <OwnerLink row={row} /> };
const [name, ...others] = keyColumns;
const columns: readonly Column<KeyRow>[] = name === undefined ? [] : [name, owner, ...others];

/** The API keys of all users and organisations; those of one are on the page of their owner, too. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("API keys"));
  const state = createTableState({ filters: ["prefix", "status", "group_name"] });
  const list = createListQuery<KeyRow>({ path, state });
  const ofRow = createRowActions<KeyRow>({
    path,
    id: (row) => String(row.key_id),
    name: (row) => row.name,
    action: (row) => (row.lock_reason !== null ? "keys.unlock" : row.status === "active" ? "keys.lock" : null),
  });
  return (
    <>
      <PageHead title={t("API keys")} text={t("Search by the start of a key: “sk-” and four characters.")} />
      <DataTable
        {...list}
        name="admin-keys"
        label={t("API keys")}
        columns={columns}
        state={state}
        rowId={(row) => String(row.key_id)}
        selection={selection}
        rowActions={ofRow.actions}
        filters={[
          { id: "prefix", label: t("Key starts with"), isSearch: true },
          { id: "status", label: t("Status"), options: optionsOf(keyStatuses) },
          { id: "group_name", label: t("Group"), isSearch: true },
        ]}
        empty={{ title: t("No API keys yet"), text: t("Keys appear here when users create them.") }}
        panel={{ title: (row) => row.name, content: (row) => <KeyPanel apiKey={row} /> }}
      />
      {ofRow.dialog()}
    </>
  );
}
