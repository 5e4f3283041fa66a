import { useSearchParams } from "@solidjs/router";
import { type JSX, lazy, Match, Suspense, Switch } from "solid-js";
import { LoadingPart } from "../../../kit/states.tsx";
import { Tabs } from "../../../kit/tabs.tsx";
import { PageHead } from "../../../shell/shell.tsx";
import { useAdminTitle } from "../../admin-title.ts";
import { createRangeState, RangeBar } from "../../parts/range-bar.tsx";
import { createMe, readable } from "../../parts/rights.tsx";
import { t } from "../../translate.ts";
import { RevenueReport } from "./revenue-report.tsx";

// The first report is there at once, the others when they are opened.
const UsageReport = lazy(async () => ({ default: (await import("./usage-report.tsx")).UsageReport }));
const MarginReport = lazy(async () => ({ default: (await import("./margin-report.tsx")).MarginReport }));
const ReconciliationReport = lazy(async () => ({
  default: (await import("./reconciliation-report.tsx")).ReconciliationReport,
}));
const CampaignReport = lazy(async () => ({ default: (await import("./campaign-report.tsx")).CampaignReport }));

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
          <Suspense fallback={<LoadingPart />}>
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
          </Suspense>
        </div>
      </Tabs>
    </>
  );
}
