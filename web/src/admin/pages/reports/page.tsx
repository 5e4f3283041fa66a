import { useSearchParams } from "@solidjs/router";
import { type JSX, Match, Switch } from "solid-js";
import { Tabs } from "../../../kit/tabs.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { createRangeState, RangeBar } from "../../parts/range-bar.tsx";
import { createMe, readable } from "../../parts/rights.tsx";
import { t } from "../../translate.ts";
import { CampaignReport } from "./campaign-report.tsx";
import { MarginReport } from "./margin-report.tsx";
import { ReconciliationReport } from "./reconciliation-report.tsx";
import { RevenueReport } from "./revenue-report.tsx";
import { UsageReport } from "./usage-report.tsx";

const reports = [
  { id: "revenue", label: t("Revenue"), reads: "/backend/admin/report/revenue/" },
  { id: "usage", label: t("Usage"), reads: "/backend/admin/report/usage/" },
  { id: "margin", label: t("Margin"), reads: "/backend/admin/report/margin/" },
  { id: "reconciliation", label: t("Reconciliation"), reads: "/backend/admin/report/reconciliation/" },
  { id: "campaign", label: t("Campaigns"), reads: "/backend/admin/report/campaign/" },
] as const;
type ReportId = (typeof reports)[number]["id"];

/** Sums by days in a time zone, each with a download for spreadsheets. The URL holds the selection. */
export function Page(): JSX.Element {
  useAdminTitle(() => t("Reports"));
  const me = createMe();
  const [params, setParams] = useSearchParams();
  const range = createRangeState();
  const selected = (): ReportId => reports.find(({ id }) => id === params["report"])?.id ?? "revenue";
  return (
    <>
      <PageHead title={t("Reports")} text={t("Revenue and usage by day, in the time zone you choose.")} />
      <RangeBar state={range} />
      <Tabs
        label={t("Reports")}
        tabs={readable(reports, me.admin())}
        selected={selected()}
        onSelect={(report) => setParams({ report, by: null, sort: null, open: null })}
      >
        <div class="section-stack">
          <Switch>
            <Match when={selected() === "revenue"}>
              <RevenueReport range={range} />
            </Match>
            <Match when={selected() === "usage"}>
              <UsageReport range={range} />
            </Match>
            <Match when={selected() === "margin"}>
              <MarginReport range={range} />
            </Match>
            <Match when={selected() === "reconciliation"}>
              <ReconciliationReport range={range} />
            </Match>
            <Match when={selected() === "campaign"}>
              <CampaignReport range={range} />
            </Match>
          </Switch>
        </div>
      </Tabs>
    </>
  );
}
