import { createSignal, For, type JSX } from "solid-js";
import type { Series } from "../../../charts/model.ts";
import { TimeChart } from "../../../charts/time-chart.tsx";
import { dayIn, utcDay } from "../../../i18n/days.ts";
import { fill } from "../../../i18n/messages.ts";
import { usdNumber } from "../../../i18n/quota.ts";
import { Card } from "../../../kit/card.tsx";
import { SelectField } from "../../../kit/field.tsx";
import { formats } from "../../formats.ts";
import { dayFormats, secondsOfDay } from "../../parts/days.ts";
import type { Sums, UsageSummary } from "../../parts/queries.ts";
import { usageArea } from "./messages/messages.ts";
import type { Range } from "./range.ts";

const seriesMax = 6;

const metrics = {
  cost: (sums: Sums) => usdNumber(sums.settled_quota),
  calls: (sums: Sums) => Number(sums.calls),
  tokens: (sums: Sums) => Number(sums.input_tokens) + Number(sums.output_tokens),
} as const;
type Metric = keyof typeof metrics;
const metricIds = Object.keys(metrics) as readonly Metric[];

/** The days of the range, one bar segment per model; the most expensive have their own colours. */
export function DayChart(props: { readonly summary: UsageSummary; readonly range: Range }): JSX.Element {
  const texts = usageArea.texts();
  const [metric, setMetric] = createSignal<Metric>("cost");
  const chart = () => toChart(props.summary, metric(), { other: texts.otherModels, unknown: texts.unknownModel });
  const dayOf = (seconds: number): string => utcDay(seconds * 1_000);
  return (
    <Card
      title={texts.chart}
      actions={
        <SelectField
          label={<span class="visually-hidden">{texts.metric}</span>}
          value={metric()}
          onChange={(event) => setMetric(metricIds.find((id) => id === event.currentTarget.value) ?? "cost")}
        >
          <For each={metricIds}>{(id) => <option value={id}>{texts[id]}</option>}</For>
        </SelectField>
      }
    >
      <TimeChart
        label={texts.chart}
        kind="bars"
        chart={chart()}
        format={(value) => (metric() === "cost" ? formats.usd(value.toFixed(6)) : formats.compact(value))}
        timeText={dayFormats.ofSeconds}
        timeZone="UTC"
        zone={fill(texts.zoneNote, { zone: props.summary.zone })}
        isLastUnfinished={props.summary.to_day === dayIn(props.summary.zone, Date.now())}
        onRange={(from, to) => {
          props.range.set("from_day", dayOf(from));
          props.range.set("to_day", dayOf(to));
        }}
        onReset={() => props.range.setLast(30)}
      />
    </Card>
  );
}

function toChart(summary: UsageSummary, metric: Metric, names: { readonly other: string; readonly unknown: string }) {
  const read = metrics[metric];
  const days = summary.by_day.map(({ day }) => day);
  const place = new Map(days.map((day, index) => [day, index]));
  const valuesOf = (models: ReadonlySet<string | null>): number[] => {
    const values = days.map(() => 0);
    for (const part of summary.by_day_and_model) {
      const index = place.get(part.day);
      if (index !== undefined && models.has(part.model)) {
        values[index] = (values[index] ?? 0) + read(part);
      }
    }
    return values;
  };
  const all = summary.by_model.map(({ model }) => model);
  const others = all.slice(seriesMax);
  const series: Series[] = all
    .slice(0, seriesMax)
    .map((model) => ({ name: model ?? names.unknown, id: model ?? "unknown", values: valuesOf(new Set([model])) }));
  if (others.length > 0) {
    series.push({ name: names.other, values: valuesOf(new Set(others)), isOther: true });
  }
  return { times: days.map(secondsOfDay), series };
}
