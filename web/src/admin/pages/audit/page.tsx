import type { JSX } from "solid-js";
import { Facts } from "../../../kit/card.tsx";
import { CopyText } from "../../../kit/code.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import { createListQuery } from "../../../table/list-query.ts";
import { createTableState } from "../../../table/table-state.ts";
import { useAdminTitle } from "../../admin-title.ts";
import { type AuditRow, auditColumns } from "../../columns/account-columns.tsx";
import { selectionOf } from "../../parts/bulk-actions.tsx";
import { ChangeTable } from "../../parts/change-table.tsx";
import { optionsOf } from "../../parts/choice-field.tsx";
import { createListRange, rangeFilters } from "../../parts/list-range.ts";
import { RangeBar } from "../../parts/range-bar.tsx";
import { shownMoment, shownText } from "../../shown.ts";
import { t } from "../../translate.ts";
import { actorKindValues } from "../../values.ts";

const selection = selectionOf("audit", "/backend/admin/audit/");

/** Everything that was changed, by whom and from where; append-only. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Audit log"));
  const range = createListRange();
  const state = createTableState({
    filters: ["actor_name", "action", "subject_id", "actor_kind", "subject_kind", "about_user_id", ...rangeFilters],
  });
  const list = createListQuery<AuditRow>({ path: "/backend/admin/audit/", state });
  return (
    <>
      <PageHead
        title={t("Audit log")}
        text={t(
          "Every change to the service: who made it, from where, and what it was before and after. Entries can't be changed or deleted.",
        )}
      />
      <RangeBar state={range} />
      <DataTable
        {...list}
        name="admin-audit"
        label={t("Audit log")}
        columns={auditColumns}
        state={state}
        rowId={(row) => String(row.audit_id)}
        selection={selection}
        filters={[
          { id: "actor_name", label: t("Who"), isSearch: true },
          { id: "action", label: t("Action"), isSearch: true },
          { id: "subject_id", label: t("Subject ID"), isSearch: true },
          { id: "actor_kind", label: t("Actor kind"), options: optionsOf(actorKindValues) },
        ]}
        empty={{
          title: t("No changes yet"),
          text: t("Logins, saves and adjustments are recorded here as they happen."),
        }}
        panel={{ title: (row) => row.action, content: (row) => <AuditPanel row={row} /> }}
      />
    </>
  );
}

function AuditPanel(props: { readonly row: AuditRow }): JSX.Element {
  const row = (): AuditRow => props.row;
  return (
    <>
      <Facts
        facts={[
          { name: t("At"), value: shownMoment(row().at) },
          { name: t("Who"), value: `${row().actor_name} (${row().actor_kind})` },
          { name: t("Access token"), value: shownText(row().actor_token) },
          { name: t("About"), value: `${row().subject_kind} ${row().subject_id}` },
          { name: t("Reason"), value: shownText(row().reason) },
          { name: t("Address"), value: shownText(row().ip) },
          { name: t("Request"), value: <RequestId id={row().request_id} /> },
        ]}
      />
      <ChangeTable before={row().before} after={row().after} />
    </>
  );
}

function RequestId(props: { readonly id: string | null }): JSX.Element {
  return props.id === null ? shownText(null) : <CopyText text={props.id} label={t("Copy the request ID")} />;
}
