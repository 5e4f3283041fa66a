import type { reconciliationReport } from "@sluice/contracts/reports";
import type { ResponseOf } from "@sluice/contracts/wire";
import { type JSX, Match, Show, Switch } from "solid-js";
import { Card } from "../../../kit/card.tsx";
import { LoadingPart, Notice } from "../../../kit/states.tsx";
import { Status } from "../../../kit/status.tsx";
import type { Column } from "../../../table/model.ts";
import { gatewayName } from "../../columns/billing-columns.tsx";
import { listMoment } from "../../columns/list-moment.tsx";
import { formats } from "../../formats.ts";
import type { RangeState } from "../../parts/range-bar.tsx";
import { SimpleTable } from "../../parts/simple-table.tsx";
import { dash, shownCount, shownWord } from "../../shown.ts";
import { t } from "../../translate.ts";
import { ReportHead, ReportTable } from "./report-parts.tsx";
import { createReportQuery } from "./report-query.ts";

type Answer = ResponseOf<typeof reconciliationReport>;
type Gateway = Answer["gateways"][number];
type Mismatch = Answer["mismatches"][number];

const gatewayColumns = [
  { label: t("Gateway"), cell: (row: Gateway) => gatewayName(row.gateway) },
  { label: t("Orders"), cell: (row: Gateway) => shownCount(row.orders), align: "end" as const },
  { label: t("Orders, USD"), cell: (row: Gateway) => formats.usd(row.orders_usd), align: "end" as const },
  { label: t("Payments"), cell: (row: Gateway) => shownCount(row.payments), align: "end" as const },
  { label: t("Payments, USD"), cell: (row: Gateway) => formats.usd(row.payments_usd), align: "end" as const },
  { label: t("Refunded, USD"), cell: (row: Gateway) => formats.usd(row.refunds_usd), align: "end" as const },
  { label: t("Credited, USD"), cell: (row: Gateway) => formats.quota(row.credited_quota), align: "end" as const },
  { label: t("Unclaimed, USD"), cell: (row: Gateway) => formats.quota(row.unclaimed_quota), align: "end" as const },
];

const columns: readonly Column<Mismatch>[] = [
  {
    id: "kind",
    label: t("Mismatches"),
    cell: (row) => <Status tone="bad">{shownWord(row.kind)}</Status>,
    card: "title",
    isSortable: true,
  },
  { id: "subject", label: t("Subject"), cell: (row) => <code>{row.subject}</code>, isSortable: true },
  { id: "detail", label: t("Detail"), cell: (row) => row.detail },
  { id: "at", label: t("Since"), cell: (row) => listMoment(row.at), isSortable: true },
];

/** Whether orders, payments, refunds and the ledger agree. */
export function ReconciliationReport(props: { readonly range: RangeState }): JSX.Element {
  const query = createReportQuery<typeof reconciliationReport>("reconciliation", props.range);
  return (
    <>
      <ReportHead answer={query.data} hasFailed={query.hasFailed} />
      <Card title={t("By gateway")}>
        <Switch fallback={<p class="muted">{t("No orders and no payments in these days.")}</p>}>
          <Match when={query.hasFailed}>
            <p class="muted">{dash}</p>
          </Match>
          <Match when={query.data === undefined}>
            <LoadingPart />
          </Match>
          <Match when={(query.data?.gateways.length ?? 0) > 0}>
            <SimpleTable label={t("By gateway")} rows={query.data?.gateways ?? []} columns={gatewayColumns} />
          </Match>
        </Switch>
      </Card>
      <Show when={query.data && BigInt(query.data.mismatch_count) > BigInt(query.data.mismatches.length)}>
        <Notice tone="warn">
          {t("{mismatch_count} mismatches; the first {mismatches} are shown.", {
            mismatch_count: shownCount(query.data?.mismatch_count ?? 0),
            mismatches: query.data?.mismatches.length,
          })}
        </Notice>
      </Show>
      <ReportTable
        name="admin-report-reconciliation"
        label={t("Mismatches")}
        columns={columns}
        rows={query.data?.mismatches}
        rowId={(row) => `${row.kind} ${row.subject} ${row.at}`}
        query={query}
        empty={{
          title: t("Everything matches"),
          text: t("Orders, payments, refunds and the ledger match for these days."),
        }}
      />
    </>
  );
}
