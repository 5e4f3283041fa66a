import { tokenColumns } from "@sluice/contracts/priced-units";
import type { usageReport } from "@sluice/contracts/reports";
import { tagDaysMax } from "@sluice/contracts/usage-label-limits";
import type { ResponseOf } from "@sluice/contracts/wire";
import { type JSX, Show } from "solid-js";
import type { Column } from "../../../table/model.ts";
import { formats } from "../../formats.ts";
import { HowCounted } from "../../parts/how-counted.tsx";
import type { RangeState } from "../../parts/range-bar.tsx";
import { shownCount } from "../../shown.ts";
import { t } from "../../translate.ts";
import { countLabels } from "../../unit-texts.ts";
import { ByField, ReportHead, ReportTable, rowName, Totals } from "./report-parts.tsx";
import { createReportQuery } from "./report-query.ts";
import { UsageCourse } from "./usage-course.tsx";

type Row = ResponseOf<typeof usageReport>["rows"][number];
type Counted = Exclude<keyof Row, "key" | "name">;

function counted(id: Counted, label: string, isHiddenAtFirst = false): Column<Row> {
  return { id, label, cell: (row) => shownCount(row[id]), align: "end", isSortable: true, isHiddenAtFirst };
}

const shownAtFirst: ReadonlySet<Counted> = new Set(["input_tokens", "output_tokens"] as const);

const columns: readonly Column<Row>[] = [
  { id: "key", label: t("Item"), cell: (row) => rowName(row), card: "title", isSortable: true },
  counted("calls", t("Calls")),
  counted("completed", t("Completed")),
  counted("aborted", t("Aborted"), true),
  counted("failed", t("Failed")),
  counted("refused", t("Refused")),
  ...tokenColumns.map((name) => counted(name, countLabels[name], !shownAtFirst.has(name))),
  { id: "quota", label: t("Before multipliers, USD"), cell: (row) => formats.quota(row.quota), align: "end" },
  {
    id: "settled_quota",
    label: t("Charged, USD"),
    cell: (row) => formats.quota(row.settled_quota),
    align: "end",
    isSortable: true,
  },
];

/** How much was called, and what it was charged. */
export function UsageReport(props: { readonly range: RangeState }): JSX.Element {
  const query = createReportQuery<typeof usageReport>("usage", props.range, [
    "day",
    "model",
    "provider",
    "node",
    "user",
    "tag",
  ]);
  const total = () => query.data?.total;
  const count = (value: string | number | undefined) => (value === undefined ? undefined : shownCount(value));
  return (
    <>
      <ReportHead answer={query.data} hasFailed={query.hasFailed}>
        <ByField
          query={query}
          choices={[
            ["day", "day"],
            ["model", "model"],
            ["provider", "channel"],
            ["node", t("exit node")],
            ["user", "user"],
            ["tag", t("tag")],
          ]}
        />
      </ReportHead>
      <Totals
        hasFailed={query.hasFailed}
        figures={[
          { label: t("Calls"), value: count(total()?.calls) },
          { label: t("Input tokens"), value: count(total()?.input_tokens) },
          { label: t("Output tokens"), value: count(total()?.output_tokens) },
          {
            label: t("Charged"),
            ...((quota) => ({ value: quota && formats.quotaRounded(quota), exact: quota && formats.quota(quota) }))(
              total()?.settled_quota.toString(),
            ),
          },
        ]}
      />
      <HowCounted />
      <Show when={query.by === "tag"}>
        <p class="muted">
          {t(
            "A call counts for each of its tags, so the sums by tag can exceed the total. Calls without a tag are left out, and a report covers at most {count} days.",
            { count: tagDaysMax },
          )}
        </p>
      </Show>
      <UsageCourse by={query.by} range={props.range} />
      <ReportTable
        name="admin-report-usage"
        label={t("Usage")}
        columns={columns}
        rows={query.data?.rows}
        rowId={(row) => row.key ?? ""}
        query={query}
        empty={{ title: t("No calls in these days"), text: t("Choose other days or another time zone.") }}
      />
    </>
  );
}
