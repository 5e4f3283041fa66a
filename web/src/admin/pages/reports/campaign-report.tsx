import type { campaignReport } from "@sluice/contracts/reports";
import type { ResponseOf } from "@sluice/contracts/wire";
import type { JSX } from "solid-js";
import type { Column } from "../../../table/model.ts";
import { formats } from "../../formats.ts";
import type { RangeState } from "../../parts/range-bar.tsx";
import { shownCount, shownText } from "../../shown.ts";
import { t } from "../../translate.ts";
import { ReportHead, ReportTable, Totals } from "./report-parts.tsx";
import { createReportQuery } from "./report-query.ts";

type Row = ResponseOf<typeof campaignReport>["rows"][number];
type Counted = "page_views" | "visitors" | "cta_clicks" | "payments";

function counted(id: Counted, label: string): Column<Row> {
  return { id, label, cell: (row) => shownCount(row[id]), align: "end", isSortable: true };
}

const columns: readonly Column<Row>[] = [
  { id: "campaign", label: t("Campaign"), cell: (row) => row.campaign, card: "title", isSortable: true },
  { id: "utm_source", label: t("Source"), cell: (row) => shownText(row.utm_source), isSortable: true },
  { id: "utm_medium", label: t("Medium"), cell: (row) => shownText(row.utm_medium), isSortable: true },
  counted("page_views", t("Page views")),
  counted("visitors", t("Visitors")),
  counted("cta_clicks", t("Clicks")),
  counted("payments", t("Payments")),
  {
    id: "revenue_usd",
    label: t("Revenue, USD"),
    cell: (row) => formats.usd(row.revenue_usd),
    align: "end",
    isSortable: true,
  },
];

/** Which campaigns brought visitors, and which of them paid. */
export function CampaignReport(props: { readonly range: RangeState }): JSX.Element {
  const query = createReportQuery<typeof campaignReport>("campaign", props.range);
  const total = () => query.data?.total;
  const count = (value: string | number | undefined) => (value === undefined ? undefined : shownCount(value));
  return (
    <>
      <ReportHead answer={query.data} hasFailed={query.hasFailed} />
      <Totals
        hasFailed={query.hasFailed}
        figures={[
          {
            label: t("Visitors"),
            value: count(total()?.visitors),
            note: t("visitors from several campaigns count once"),
          },
          { label: t("Clicks"), value: count(total()?.cta_clicks) },
          { label: t("Payments"), value: count(total()?.payments) },
          { label: t("Revenue"), value: ((text) => text && formats.usd(text))(total()?.revenue_usd) },
          { label: t("Bot events"), value: count(query.data?.bot_events), note: t("excluded from all other figures") },
        ]}
      />
      <ReportTable
        name="admin-report-campaign"
        label={t("Campaigns")}
        columns={columns}
        rows={query.data?.rows}
        rowId={(row) => `${row.campaign} ${row.utm_source} ${row.utm_medium}`}
        query={query}
        empty={{
          title: t("No campaign visits in these days"),
          text: t("A visit counts here if its link named a campaign."),
        }}
      />
    </>
  );
}
