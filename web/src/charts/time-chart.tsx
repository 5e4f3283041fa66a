import { createMemo, createSignal, For, type JSX, lazy, Show, Suspense } from "solid-js";
import { Button } from "../kit/button.tsx";
import { DrawnNear } from "../kit/drawn-near.tsx";
import { Icon } from "../kit/icon.tsx";
import { useKitTexts } from "../kit/kit-texts.tsx";
import { Skeleton } from "../kit/states.tsx";
import { isAllZero, type TimeChart as TimeChartData, toCsv } from "./model.ts";
import { seriesColors } from "./series-colors.ts";
import "./chart.css";

const Plot = lazy(async () => ({ default: (await import("./plot.tsx")).Plot }));

type TimeChartProps = {
  readonly label: string;
  readonly chart: TimeChartData;
  /** `bars` stacks the series, `lines` draws each separately, `area` fills a single one. */
  readonly kind: "bars" | "lines" | "area";
  readonly format: (value: number) => string;
  readonly timeText: (seconds: number) => string;
  /** The IANA time zone of the days and hours. */
  readonly timeZone: string;
  /** The time zone in words, under the axis. */
  readonly zone: string;
  /** Called with the selected range, in seconds. */
  readonly onRange?: (from: number, to: number) => void;
  /** A click on a bar selects it, too. */
  readonly isSelectedByClick?: boolean;
  /** Called on a double click, to return to the previous range. */
  readonly onReset?: () => void;
  /** The last time is incomplete; it is drawn paler. */
  readonly isLastUnfinished?: boolean;
};

/**
 * Values over time. The data can also be seen as a table and downloaded; the legend toggles series. The chart code is
 * loaded when the first chart is shown.
 */
export function TimeChart(props: TimeChartProps): JSX.Element {
  const texts = useKitTexts();
  const [hidden, setHidden] = createSignal<readonly string[]>([]);
  const [isTable, setIsTable] = createSignal(false);
  const colors = createMemo(() => seriesColors(props.chart.series));
  const colorOf = (name: string): string => colors().get(name) ?? "--series-other";
  const shown = createMemo(
    (): TimeChartData => ({
      ...props.chart,
      series: props.chart.series.filter(({ name }) => !hidden().includes(name)),
    }),
  );
  const toggle = (name: string): void => {
    setHidden((all) => (all.includes(name) ? all.filter((each) => each !== name) : [...all, name]));
  };
  return (
    <div class="chart">
      <div class="chart-head">
        <div class="chart-legend">
          <For each={props.chart.series}>
            {({ name }) => (
              <button
                type="button"
                class="chart-series"
                aria-pressed={!hidden().includes(name)}
                onClick={() => toggle(name)}
              >
                <span class="chart-swatch" style={{ background: `var(${colorOf(name)})` }} />
                <bdi>{name}</bdi>
              </button>
            )}
          </For>
        </div>
        <div class="pagination-part">
          <Button variant="quiet" onClick={() => setIsTable(!isTable())} aria-pressed={isTable()}>
            {isTable() ? texts().viewAsChart : texts().viewAsTable}
          </Button>
          <Button
            variant="quiet"
            shape="square"
            aria-label={texts().exportCsv}
            onClick={() => saveFile(`${props.label}.csv`, toCsv(shown(), props.timeText))}
          >
            <Icon name="download" />
          </Button>
        </div>
      </div>
      <Show when={!isTable()} fallback={<ChartTable {...props} chart={shown()} />}>
        <figure class="chart-plot" aria-label={props.label}>
          {/* Its code is requested after the figures of the page are there. */}
          <DrawnNear fallback={<Skeleton width="100%" />}>
            <Suspense fallback={<Skeleton width="100%" />}>
              <Plot {...props} chart={shown()} colorOf={colorOf} />
            </Suspense>
          </DrawnNear>
          <Show when={isAllZero(props.chart.series)}>
            <p class="chart-empty">{texts().noValues}</p>
          </Show>
        </figure>
      </Show>
      <span class="chart-note">{props.zone}</span>
    </div>
  );
}

function ChartTable(props: TimeChartProps): JSX.Element {
  return (
    <section class="chart-table" tabindex="0" aria-label={props.label}>
      <table class="table" data-compact="true">
        <caption class="visually-hidden">{props.label}</caption>
        <thead>
          <tr>
            <th scope="col">{props.zone}</th>
            <For each={props.chart.series}>
              {({ name }) => (
                <th scope="col" data-align="end">
                  {name}
                </th>
              )}
            </For>
          </tr>
        </thead>
        <tbody>
          <For each={props.chart.times}>
            {(time, index) => (
              <tr>
                <th scope="row">{props.timeText(time)}</th>
                <For each={props.chart.series}>
                  {({ name, values }) => (
                    <td data-align="end" data-label={name}>
                      {((value) => (value === null ? "" : props.format(value)))(values[index()] ?? null)}
                    </td>
                  )}
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
  );
}

function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
