import type { marginReport } from "@sluice/contracts/reports";
import type { ResponseOf } from "@sluice/contracts/wire";
import { type JSX, Show } from "solid-js";
import { Notice } from "../../../kit/states.tsx";
import type { Column } from "../../../table/model.ts";
import { formats } from "../../formats.ts";
import type { RangeState } from "../../parts/range-bar.tsx";
import { dash, shownCount } from "../../shown.ts";
import { t } from "../../translate.ts";
import { ChannelCosts } from "./channel-costs.tsx";
import { ByField, ReportHead, ReportTable, RowChart, rowName, shortUsd, Totals } from "./report-parts.tsx";
import { createReportQuery } from "./report-query.ts";

type Row = ResponseOf<typeof marginReport>["rows"][number];
type Money = Extract<keyof Row, `${string}_usd`>;

function money(id: Money, label: string): Column<Row> {
  const isOfKnownCost = id === "cost_usd" || id === "margin_usd";
  return {
    id,
    label,
    cell: (row) => (isOfKnownCost && isCostUnknown(row) ? dash : formats.usd(row[id])),
    align: "end",
    isSortable: true,
  };
}

/** No call of these has a known cost, so neither cost nor margin is a figure. */
function isCostUnknown(sums: Pick<Row, "calls_without_cost" | "cost_usd">): boolean {
  return BigInt(sums.calls_without_cost) > 0n && Number(sums.cost_usd) === 0;
}

const columns: readonly Column<Row>[] = [
  { id: "key", label: t("Item"), cell: (row) => rowName(row), card: "title", isSortable: true },
  { id: "calls", label: t("Calls"), cell: (row) => shownCount(row.calls), align: "end", isSortable: true },
  money("charged_usd", t("Charged, USD")),
  money("cost_usd", t("Cost, USD")),
  money("margin_usd", t("Margin, USD")),
  {
    id: "calls_without_cost",
    label: t("Calls with unknown cost"),
    cell: (row) => shownCount(row.calls_without_cost),
    align: "end",
    isSortable: true,
  },
  money("charged_without_cost_usd", t("Charged for those, USD")),
  {
    id: "calls_with_reported_cost",
    label: t("Calls with a cost reported by the provider"),
    cell: (row) => shownCount(row.calls_with_reported_cost),
    align: "end",
    isSortable: true,
  },
  money("reported_cost_usd", t("Reported cost, USD")),
  money("charged_beyond_reported_usd", t("Charged for those beyond it, USD")),
];

/** What is left of the charges after the providers' costs. */
export function MarginReport(props: { readonly range: RangeState }): JSX.Element {
  const query = createReportQuery<typeof marginReport>("margin", props.range, ["day", "model", "provider"]);
  const total = () => query.data?.total;
  const usd = (text: string | undefined) => (text === undefined ? undefined : formats.usd(text));
  const known = (text: string | undefined) =>
    ((sums) => (sums !== undefined && isCostUnknown(sums) ? dash : usd(text)))(total());
  const unknown = (): bigint => BigInt(total()?.calls_without_cost ?? 0);
  return (
    <>
      <ReportHead answer={query.data} hasFailed={query.hasFailed}>
        <ByField
          query={query}
          choices={[
            ["day", "day"],
            ["model", "model"],
            ["provider", "channel"],
          ]}
        />
      </ReportHead>
      <Totals
        hasFailed={query.hasFailed}
        figures={[
          { label: t("Charged"), value: usd(total()?.charged_usd) },
          { label: t("Cost"), value: known(total()?.cost_usd), note: t("of calls whose cost is known") },
          { label: t("Margin"), value: known(total()?.margin_usd), note: t("of the same calls") },
          {
            label: t("Reported cost"),
            value: usd(total()?.reported_cost_usd),
            note: t("of calls whose provider names its cost"),
          },
          {
            label: t("Difference"),
            value: usd(total()?.charged_beyond_reported_usd),
            note: t("charged for these calls beyond their reported cost"),
          },
        ]}
      />
      <Show when={unknown() > 0n}>
        <Notice tone="warn">
          {t(
            "{unknown} calls, charged at {charged_without_cost_usd}, went through channels without a provider price. They are excluded from margins; add the prices below.",
            {
              unknown: shownCount(unknown().toString()),
              charged_without_cost_usd: formats.usd(total()?.charged_without_cost_usd ?? "0"),
            },
          )}
        </Notice>
      </Show>
      <RowChart
        title={t("Margin, USD")}
        hasFailed={query.hasFailed}
        isByDay={query.by === "day"}
        rows={query.data?.rows}
        zone={props.range.zone()}
        valueOf={(row) => row.margin_usd}
        textOf={(row) => formats.usd(row.margin_usd)}
        format={shortUsd}
      />
      <ReportTable
        name="admin-report-margin"
        label={t("Margin")}
        columns={columns}
        rows={query.data?.rows}
        rowId={(row) => row.key ?? ""}
        query={query}
        empty={{ title: t("No calls in these days"), text: t("Choose other days or another time zone.") }}
      />
      <ChannelCosts />
    </>
  );
}
