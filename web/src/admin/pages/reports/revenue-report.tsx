import type { revenueReport } from "@sluice/contracts/reports";
import type { ResponseOf } from "@sluice/contracts/wire";
import type { JSX } from "solid-js";
import type { Column } from "../../../table/model.ts";
import { formats } from "../../formats.ts";
import type { RangeState } from "../../parts/range-bar.tsx";
import { shownCount } from "../../shown.ts";
import { t } from "../../translate.ts";
import { ByField, ReportHead, ReportTable, RowChart, rowName, shortUsd, Totals } from "./report-parts.tsx";
import { createReportQuery } from "./report-query.ts";

type Row = ResponseOf<typeof revenueReport>["rows"][number];

const columns: readonly Column<Row>[] = [
  { id: "key", label: t("Item"), cell: (row) => rowName(row), card: "title", isSortable: true },
  { id: "payments", label: t("Payments"), cell: (row) => shownCount(row.payments), align: "end", isSortable: true },
  {
    id: "revenue_usd",
    label: t("Revenue, USD"),
    cell: (row) => formats.usd(row.revenue_usd),
    align: "end",
    isSortable: true,
  },
  { id: "refunds", label: t("Refunds"), cell: (row) => shownCount(row.refunds), align: "end", isSortable: true },
  {
    id: "refunds_usd",
    label: t("Refunded, USD"),
    cell: (row) => formats.usd(row.refunds_usd),
    align: "end",
    isSortable: true,
  },
  { id: "net_usd", label: t("Net, USD"), cell: (row) => formats.usd(row.net_usd), align: "end", isSortable: true },
];

/** What was paid and what went back. */
export function RevenueReport(props: { readonly range: RangeState }): JSX.Element {
  const query = createReportQuery<typeof revenueReport>("revenue", props.range, ["day", "plan", "gateway"]);
  const total = () => query.data?.total;
  const usd = (text: string | undefined) => (text === undefined ? undefined : formats.usd(text));
  return (
    <>
      <ReportHead answer={query.data} hasFailed={query.hasFailed}>
        <ByField
          query={query}
          choices={[
            ["day", "day"],
            ["plan", "plan"],
            ["gateway", "gateway"],
          ]}
        />
      </ReportHead>
      <Totals
        hasFailed={query.hasFailed}
        figures={[
          { label: t("Revenue"), value: usd(total()?.revenue_usd), note: t("mock payments excluded") },
          { label: t("Refunded"), value: usd(total()?.refunds_usd) },
          { label: t("Net"), value: usd(total()?.net_usd) },
        ]}
      />
      <RowChart
        title={t("Net revenue, USD")}
        hasFailed={query.hasFailed}
        isByDay={query.by === "day"}
        rows={query.data?.rows}
        zone={props.range.zone()}
        valueOf={(row) => row.net_usd}
        textOf={(row) => formats.usd(row.net_usd)}
        format={shortUsd}
      />
      <ReportTable
        name="admin-report-revenue"
        label={t("Revenue")}
        columns={columns}
        rows={query.data?.rows}
        rowId={(row) => row.key ?? ""}
        query={query}
        empty={{ title: t("No payments in these days"), text: t("Choose other days or another time zone.") }}
      />
    </>
  );
}
