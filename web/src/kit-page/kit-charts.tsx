import type { JSX } from "solid-js";
import { BarList } from "../charts/bar-list.tsx";
import { TimeChart } from "../charts/time-chart.tsx";
import { daySeconds } from "../i18n/days.ts";
import { formatsOf } from "../i18n/format.ts";
import { Card } from "../kit/card.tsx";

const days = 30;
const start = 1_761_955_200;
const formats = formatsOf("en", "UTC");
const times = Array.from({ length: days }, (_, index) => start + index * daySeconds);
const wave = (phase: number, size: number): number[] =>
  times.map((_, index) => Math.round(size * (1 + Math.sin((index + phase) / 3) * 0.6)));
const timeText = (seconds: number): string => formats.date(new Date(seconds * 1_000));

export function KitCharts(): JSX.Element {
  return (
    <>
      <Card title="Requests by model">
        <TimeChart
          label="Requests by model"
          kind="bars"
          chart={{
            times,
            series: [
              { name: "gpt-4o-mini", values: wave(0, 400) },
              { name: "claude-sonnet-4-5", values: wave(4, 250) },
              { name: "Other", values: wave(8, 60), isOther: true },
            ],
          }}
          format={formats.compact}
          timeText={timeText}
          timeZone="UTC"
          zone="Days in UTC"
          isLastUnfinished
        />
      </Card>
      <Card title="First byte">
        <TimeChart
          label="First byte"
          kind="lines"
          chart={{
            times,
            series: [
              { name: "p50", values: wave(1, 300).map((value, index) => (index === 12 ? null : value)) },
              { name: "p95", values: wave(3, 700) },
              { name: "p50 before", values: wave(6, 310), isPrevious: true },
            ],
          }}
          format={formats.milliseconds}
          timeText={timeText}
          timeZone="UTC"
          zone="Days in UTC"
        />
      </Card>
      <Card title="By model">
        <BarList
          label="By model"
          bars={[
            { name: "gpt-4o-mini", value: 9_210, text: "9,210" },
            { name: "claude-sonnet-4-5", value: 4_820, text: "4,820" },
            { name: "text-embedding-3-small", value: 310, text: "310" },
          ]}
        />
      </Card>
    </>
  );
}
