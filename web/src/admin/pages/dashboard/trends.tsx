import type { overviewResponse } from "@sluice/contracts/overview";
import type { ResponseOf } from "@sluice/contracts/wire";
import { useSearchParams } from "@solidjs/router";
import type { JSX } from "solid-js";
import type { Series } from "../../../charts/model.ts";
import { TimeChart } from "../../../charts/time-chart.tsx";
import { formatsOf } from "../../../i18n/format.ts";
import { Card } from "../../../kit/card.tsx";
import { Tabs } from "../../../kit/tabs.tsx";
import { formats } from "../../formats.ts";
import type { RangeState } from "../../parts/range-bar.tsx";
import { adminLocale, t } from "../../translate.ts";

type TrendsResponse = ResponseOf<typeof overviewResponse>["trends"];
type Bar = TrendsResponse["bars"][number];

const quotaPerUsd = 500_000;

const metrics = [
  { id: "revenue", label: t("Revenue"), format: (value: number) => formats.usd(String(value)) },
  { id: "calls", label: t("Calls"), format: formats.compact },
  { id: "tokens", label: t("Tokens"), format: formats.compact },
  { id: "quota", label: t("Spend"), format: (value: number) => formats.usd(value.toFixed(4)) },
  { id: "users", label: t("New users"), format: formats.compact },
] as const;

type Metric = (typeof metrics)[number]["id"];

const seriesOf: Readonly<Record<Metric, (bars: readonly Bar[]) => readonly Series[]>> = {
  revenue: (bars) => [
    { name: t("Revenue"), values: bars.map((bar) => Number(bar.revenue_usd)) },
    { name: t("Refunds"), values: bars.map((bar) => Number(bar.refunds_usd)) },
  ],
  calls: (bars) => [
    { name: t("Completed"), tone: "ok", values: bars.map((bar) => Number(bar.completed)) },
    { name: t("Aborted"), isOther: true, values: bars.map((bar) => Number(bar.aborted)) },
    { name: t("Failed"), tone: "bad", values: bars.map((bar) => Number(bar.failed)) },
    { name: t("Refused"), tone: "warn", values: bars.map((bar) => Number(bar.refused)) },
  ],
  tokens: (bars) => [
    { name: t("Input"), values: bars.map((bar) => Number(bar.input_tokens)) },
    { name: t("Output"), values: bars.map((bar) => Number(bar.output_tokens)) },
  ],
  quota: (bars) => [{ name: t("Spend, USD"), values: bars.map((bar) => Number(bar.settled_quota) / quotaPerUsd) }],
  users: (bars) => [{ name: t("New users"), values: bars.map((bar) => Number(bar.new_users)) }],
};

/** A figure over the range; dragging selects a part of it. */
export function Trends(props: {
  readonly trends: TrendsResponse;
  readonly range: RangeState;
  readonly zone: string;
}): JSX.Element {
  const [params, setParams] = useSearchParams();
  const metric = () => metrics.find(({ id }) => id === params["metric"]) ?? metrics[1];
  const bars = (): readonly Bar[] => props.trends.bars;
  const zoned = () => formatsOf(adminLocale, props.zone);
  const timeText = (seconds: number): string => {
    const time = new Date(seconds * 1_000);
    return props.trends.bucket === "hour" ? zoned().dateTime(time) : zoned().date(time);
  };
  const dayAt = (seconds: number): string | undefined =>
    bars().findLast((bar) => Date.parse(bar.starts_at) <= seconds * 1_000)?.day ?? bars()[0]?.day;
  return (
    <Card title={t("Trends")}>
      <Tabs
        label={t("Metric")}
        tabs={metrics}
        selected={metric().id}
        onSelect={(id) => setParams({ metric: id }, { replace: true, scroll: false })}
      >
        <TimeChart
          label={metric().label}
          kind={metric().id === "revenue" || metric().id === "tokens" ? "lines" : "bars"}
          chart={{
            times: bars().map((bar) => Date.parse(bar.starts_at) / 1_000),
            series: seriesOf[metric().id](bars()),
          }}
          format={metric().format}
          timeText={timeText}
          timeZone={props.zone}
          zone={t("{unit} in {zone}", {
            unit: props.trends.bucket === "hour" ? t("Hours") : t("Days"),
            zone: props.zone,
          })}
          isLastUnfinished={bars().at(-1)?.is_unfinished === true}
          onRange={(from, to) => {
            const [fromDay, toDay] = [dayAt(from), dayAt(to)];
            if (fromDay !== undefined && toDay !== undefined) {
              props.range.set({ from_day: fromDay, to_day: toDay });
            }
          }}
          onReset={() => props.range.set({ from_day: "", to_day: "" })}
        />
      </Tabs>
    </Card>
  );
}
