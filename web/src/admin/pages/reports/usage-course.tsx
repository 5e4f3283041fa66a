import type { usageCourse } from "@sluice/contracts/reports";
import type { ResponseOf } from "@sluice/contracts/wire";
import { useSearchParams } from "@solidjs/router";
import { createQuery, keepPreviousData } from "@tanstack/solid-query";
import { type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { courseSeries, daysBetween } from "../../../charts/course.ts";
import { cumulate } from "../../../charts/model.ts";
import { TimeChart } from "../../../charts/time-chart.tsx";
import { dayIn, utcDay } from "../../../i18n/days.ts";
import { usdNumber } from "../../../i18n/quota.ts";
import { Card } from "../../../kit/card.tsx";
import { Checkbox } from "../../../kit/field.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import { ChoiceField } from "../../parts/choice-field.tsx";
import { FieldRow } from "../../parts/form-parts.tsx";
import type { RangeState } from "../../parts/range-bar.tsx";
import { t } from "../../translate.ts";

type Answer = ResponseOf<typeof usageCourse>;
type Day = Answer["others"][number];

const path = "/backend/admin/report/usage/course/";

const metrics = [
  { id: "spend", label: t("Spend"), read: (day: Day) => usdNumber(day.settled_quota) },
  { id: "calls", label: t("Calls"), read: (day: Day) => Number(day.calls) },
  { id: "failed", label: t("Failed calls"), read: (day: Day) => Number(day.failed) },
  { id: "tokens", label: t("Tokens"), read: (day: Day) => Number(day.input_tokens) + Number(day.output_tokens) },
] as const;

/** The days of a report by what it is grouped by, if wanted added up, and beside the days before. */
export function UsageCourse(props: { readonly by: string; readonly range: RangeState }): JSX.Element {
  const view = createView();
  const { metric, isCumulative, isCompared } = view;
  const query = createQuery(() => ({
    queryKey: [path, props.range.query(), props.by],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      apiGet<typeof usageCourse>(path, { query: { ...props.range.query(), by: props.by }, signal }),
    placeholderData: keepPreviousData,
  }));
  const format = (value: number): string =>
    metric().id === "spend" ? formats.usd(value.toFixed(6)) : formats.compact(value);
  const chart = (answer: Answer) => {
    const isDivided = answer.by !== "day";
    const others = answer.others.length === 0 && isDivided ? null : answer.others;
    const course = { ...answer.range, parts: answer.parts, others, previous: answer.previous };
    const series = courseSeries(course, metric().read, {
      nameOf: ({ id, name }) => name ?? id ?? t("none"),
      others: isDivided ? t("Other") : metric().label,
      previous: isCompared() ? t("Previous period") : null,
    }).map((each) => (isDivided ? each : { ...each, isOther: false }));
    return {
      times: daysBetween(course.from_day, course.to_day).map((day) => Date.parse(`${day}T00:00:00Z`) / 1_000),
      series: isCumulative() ? cumulate(series) : series,
    };
  };
  return (
    <Card title={t("By day")}>
      <Controls view={view} canCompare={props.by !== "tag"} />
      <Switch fallback={<LoadingPart size="chart" />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data}>
          {(answer) => (
            <>
              <TimeChart
                label={t("By day")}
                kind="bars"
                chart={chart(answer())}
                format={format}
                timeText={(seconds) => utcDay(seconds * 1_000)}
                timeZone="UTC"
                zone={t("Days in {zone}", { zone: answer().range.zone })}
                isLastUnfinished={answer().range.to_day === dayIn(answer().range.zone, Date.now())}
                onRange={(from, to) => props.range.set({ from_day: utcDay(from * 1_000), to_day: utcDay(to * 1_000) })}
                onReset={() => props.range.set({ from_day: "", to_day: "" })}
              />
              <Show when={isCompared() ? answer().previous : null}>
                {(previous) => (
                  <p class="muted">
                    {t("Previous period, {from_day} to {to_day}: {total}", {
                      from_day: previous().from_day,
                      to_day: previous().to_day,
                      total: format(previous().days.reduce((sum, day) => sum + metric().read(day), 0)),
                    })}
                  </p>
                )}
              </Show>
            </>
          )}
        </Match>
      </Switch>
    </Card>
  );
}

type View = {
  readonly metric: () => (typeof metrics)[number];
  readonly isCumulative: () => boolean;
  readonly isCompared: () => boolean;
  readonly set: (name: "metric" | "cumulative" | "compare", value: string | null) => void;
};

/** What the chart shows, stored in the URL. */
function createView(): View {
  const [params, setParams] = useSearchParams();
  return {
    metric: () => metrics.find(({ id }) => id === params["metric"]) ?? metrics[0],
    isCumulative: () => params["cumulative"] !== undefined,
    isCompared: () => params["compare"] !== undefined,
    set: (name, value) => setParams({ [name]: value }, { replace: true, scroll: false }),
  };
}

function Controls(props: { readonly view: View; readonly canCompare: boolean }): JSX.Element {
  return (
    <FieldRow>
      <ChoiceField
        label={t("Shows")}
        name="metric"
        value={props.view.metric().id}
        options={metrics.map(({ id, label }) => ({ value: id, label }))}
        onInput={({ currentTarget: { value } }) => props.view.set("metric", value === "spend" ? null : value)}
      />
      <Checkbox
        label={t("Cumulative")}
        checked={props.view.isCumulative()}
        onChange={(event) => props.view.set("cumulative", event.currentTarget.checked ? "1" : null)}
      />
      <Show when={props.canCompare}>
        <Checkbox
          label={t("Compare with the previous period")}
          checked={props.view.isCompared()}
          onChange={(event) => props.view.set("compare", event.currentTarget.checked ? "1" : null)}
        />
      </Show>
    </FieldRow>
  );
}
