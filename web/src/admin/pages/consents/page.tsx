import type { JSX } from "solid-js";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { type ConsentRow, consentColumns, consentPageNames, consentWayNames } from "../../columns/consent-columns.tsx";
import { UserLink } from "../../columns/user-link.tsx";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { t } from "../../translate.ts";

const columns: readonly Column<ConsentRow>[] = [
  { id: "email", label: t("User"), cell: (row) => <UserLink userId={row.user_id} email={row.email} />, card: "title" },
  ...consentColumns.map((column) => (column.id === "page" ? { ...column, card: "badge" as const } : column)),
];

const path = "/backend/admin/consent/";
const selection = selectionOf("consents", path);
const choices = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

/** Who accepted which edition of the legal pages. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Consents"));
  const state = createTableState({ filters: ["page", "edition", "way", "user_id"] });
  const list = createListQuery<ConsentRow>({ path, state });
  return (
    <>
      <PageHead
        title={t("Consents")}
        text={t(
          "Which edition of the terms and the privacy policy users accepted. Nothing here can be changed; closing an account clears the address.",
        )}
      />
      <DataTable
        {...list}
        name="admin-consents"
        label={t("Consents")}
        columns={columns}
        state={state}
        rowId={(row) => String(row.consent_id)}
        selection={selection}
        filters={[
          { id: "page", label: t("Page"), options: choices(consentPageNames) },
          { id: "way", label: t("Occasion"), options: choices(consentWayNames) },
          { id: "edition", label: t("Edition"), isSearch: true },
          { id: "user_id", label: t("User ID"), isSearch: true },
        ]}
        empty={{
          title: t("Nobody has accepted anything yet"),
          text: t("Publish a legal page with a change that needs consent, under Branding."),
        }}
      />
    </>
  );
}
