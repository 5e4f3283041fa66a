import type { usageCourseResponse } from "@sluice/contracts/usage";
import type { ResponseOf } from "@sluice/contracts/wire";
import { useSearchParams } from "@solidjs/router";
import { createQuery, keepPreviousData } from "@tanstack/solid-query";
import { For, type JSX, Match, Show, Switch } from "solid-js";
import { apiGet } from "../../../api/client.ts";
import { courseSeries, daysBetween } from "../../../charts/course.ts";
import { cumulate } from "../../../charts/model.ts";
import { TimeChart } from "../../../charts/time-chart.tsx";
import { dayIn, utcDay } from "../../../i18n/days.ts";
import { fill } from "../../../i18n/messages.ts";
import { usdNumber } from "../../../i18n/quota.ts";
import { Card } from "../../../kit/card.tsx";
import { Checkbox, SelectField } from "../../../kit/field.tsx";
import { ErrorState, LoadingPart } from "../../../kit/states.tsx";
import { formats } from "../../formats.ts";
import { dayFormats, secondsOfDay } from "../../parts/days.ts";
import type { Division } from "./divisions.ts";
import { usageArea } from "./messages/messages.ts";
import type { Range } from "./range.ts";
import styles from "./usage.module.css";

type Course = ResponseOf<typeof usageCourseResponse>;
type Day = Course["parts"][number]["days"][number];

const path = "/backend/usage/course/";

const metrics = {
  cost: (day: Day) => usdNumber(day.settled_quota),
  calls: (day: Day) => Number(day.calls),
  tokens: (day: Day) => Number(day.input_tokens) + Number(day.output_tokens),
} as const;
type Metric = keyof typeof metrics;
const metricIds = Object.keys(metrics) as readonly Metric[];

/** The days of the range, divided as the breakdown is; the most expensive parts have their own colours. */
export function DayChart(props: {
  readonly division: Division;
  readonly filter: () => Readonly<Record<string, string>>;
  readonly range: Range;
}): JSX.Element {
  const texts = usageArea.texts();
  const view = createView();
  const query = createQuery(() => ({
    queryKey: [path, props.division.by(), props.filter()],
    queryFn: ({ signal }) =>
      apiGet<typeof usageCourseResponse>(path, { signal, query: { ...props.filter(), by: props.division.by() } }),
    placeholderData: keepPreviousData,
  }));
  const format = (value: number): string =>
    view.metric() === "cost" ? formats.usd(value.toFixed(6)) : formats.compact(value);
  const dayOf = (seconds: number): string => utcDay(seconds * 1_000);
  return (
    <Card title={texts.chart}>
      <Controls division={props.division} view={view} />
      <Switch fallback={<LoadingPart size="chart" />}>
        <Match when={query.isError && query.data === undefined}>
          <ErrorState error={query.error} onRetry={() => void query.refetch()} />
        </Match>
        <Match when={query.data}>
          {(course) => (
            <>
              <TimeChart
                label={texts.chart}
                // A call has several tags, so what they have together would not be a total.
                kind={course().by === "tag" ? "lines" : "bars"}
                chart={toChart(course(), view, props.division)}
                format={format}
                timeText={dayFormats.ofSeconds}
                timeZone="UTC"
                zone={fill(texts.zoneNote, { zone: course().zone })}
                isLastUnfinished={course().to_day === dayIn(course().zone, Date.now())}
                onRange={(from, to) => {
                  props.range.set("from_day", dayOf(from));
                  props.range.set("to_day", dayOf(to));
                }}
                onReset={() => props.range.setLast(30)}
              />
              <Show when={view.isCompared() ? course().previous : null}>
                {(previous) => (
                  <p class="muted">
                    {fill(texts.previousSum, {
                      from: dayFormats.ofSeconds(secondsOfDay(previous().from_day)),
                      to: dayFormats.ofSeconds(secondsOfDay(previous().to_day)),
                      sum: format(previous().days.reduce((sum, day) => sum + metrics[view.metric()](day), 0)),
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

function toChart(course: Course, view: View, { nameOf }: Division) {
  const texts = usageArea.texts();
  const series = courseSeries(course, metrics[view.metric()], {
    nameOf,
    others: texts.otherModels,
    previous: view.isCompared() ? texts.previous : null,
  });
  return {
    times: daysBetween(course.from_day, course.to_day).map(secondsOfDay),
    series: view.isCumulative() ? cumulate(series) : series,
  };
}

/** What the chart shows, stored in the URL. */
type View = {
  readonly metric: () => Metric;
  readonly isCumulative: () => boolean;
  readonly isCompared: () => boolean;
  readonly set: (name: "metric" | "cumulative" | "compare", value: string | null) => void;
};

function createView(): View {
  const [params, setParams] = useSearchParams();
  return {
    metric: () => metricIds.find((id) => id === params["metric"]) ?? "cost",
    isCumulative: () => params["cumulative"] !== undefined,
    isCompared: () => params["compare"] !== undefined,
    set: (name, value) => setParams({ [name]: value }, { replace: true, scroll: false }),
  };
}

function Controls(props: { readonly division: Division; readonly view: View }): JSX.Element {
  const texts = usageArea.texts();
  return (
    <div class={styles["controls"]}>
      <SelectField
        label={texts.groupBy}
        value={props.division.by()}
        onChange={(event) => props.division.setBy(event.currentTarget.value)}
      >
        <For each={props.division.choices}>
          {({ id, column }) => (
            <option value={id} selected={id === props.division.by()}>
              {column}
            </option>
          )}
        </For>
      </SelectField>
      <SelectField
        label={texts.metric}
        value={props.view.metric()}
        onChange={(event) =>
          props.view.set("metric", event.currentTarget.value === "cost" ? null : event.currentTarget.value)
        }
      >
        <For each={metricIds}>
          {(id) => (
            <option value={id} selected={id === props.view.metric()}>
              {texts[id]}
            </option>
          )}
        </For>
      </SelectField>
      <Checkbox
        label={texts.cumulative}
        checked={props.view.isCumulative()}
        onChange={(event) => props.view.set("cumulative", event.currentTarget.checked ? "1" : null)}
      />
      <Show when={props.division.by() !== "tag"}>
        <Checkbox
          label={texts.compare}
          checked={props.view.isCompared()}
          onChange={(event) => props.view.set("compare", event.currentTarget.checked ? "1" : null)}
        />
      </Show>
    </div>
  );
}
