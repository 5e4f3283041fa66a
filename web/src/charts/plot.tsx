import { daySeconds } from "../i18n/days.ts";
import "./mend-browser-language.ts";
import { createEffect, createSignal, For, type JSX, on, onCleanup, onMount, Show } from "solid-js";
import uPlot from "uplot";
import { useKitTexts } from "../kit/kit-texts.tsx";
import { whenIdle } from "../kit/when-idle.ts";
import { chosenTheme } from "../shell/preferences.ts";
import { barsWithin, bucketOf, namedTimes, spanOfBars, stepsOf } from "./axes.ts";
import { isAllZero, type Series, stack, stacked, type TimeChart, totalAt } from "./model.ts";

type PlotProps = {
  readonly chart: TimeChart;
  readonly kind: "bars" | "lines" | "area";
  readonly format: (value: number) => string;
  readonly timeText: (seconds: number) => string;
  readonly timeZone: string;
  /** The custom property with the colour of a series. */
  readonly colorOf: (name: string) => string;
  readonly onRange?: (from: number, to: number) => void;
  readonly isSelectedByClick?: boolean;
  readonly onReset?: () => void;
  readonly isLastUnfinished?: boolean;
};

type Tip = { readonly index: number; readonly left: number };

const heightPx = 220;
const timeWidthPx = 72;
/** How far the last time label extends beyond the axis. */
const lastTimePx = 26;
/** The width of a label at the side: roughly the width of a digit, and the padding. */
const digitWidthPx = 7;
const sideSpacePx = 20;
const tipWidthPx = 240;
const barShare = 0.72;
const paleShare = 0.35;
const crosshairs = "charts of one page";
const cursor = uPlot.sync(crosshairs);

/** Draws a chart on a canvas; all charts of a page share one crosshair. */
export function Plot(props: PlotProps): JSX.Element {
  const [tip, setTip] = createSignal<Tip | null>(null);
  const texts = useKitTexts();
  let host: HTMLDivElement | undefined;
  let plot: uPlot | undefined;
  let cancelDraw = (): void => undefined;
  const drawNow = (): void => {
    plot?.destroy();
    if (host !== undefined && props.chart.times.length > 0) {
      plot = new uPlot(options(props, host, setTip), dataOf(props), host);
    }
  };
  // The rest of the page is rendered before its charts, and remains usable while they are drawn one after the other.
  const draw = (): void => {
    cancelDraw();
    cancelDraw = whenIdle(drawNow);
  };
  onMount(() => {
    const observer = new ResizeObserver(() => {
      if (host !== undefined && plot !== undefined && host.clientWidth > 0) {
        plot.setSize({ width: host.clientWidth, height: heightPx });
      }
    });
    if (host !== undefined) {
      observer.observe(host);
    }
    // The canvas can't use custom properties, so its colours are read again when the theme changes.
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", draw);
    onCleanup(() => {
      dark.removeEventListener("change", draw);
      observer.disconnect();
      cancelDraw();
      plot?.destroy();
    });
  });
  createEffect(on([() => props.chart, () => props.kind, chosenTheme], draw));
  return (
    <div
      ref={(each) => {
        host = each;
      }}
    >
      <Show when={tip()}>
        {(at) => <Tooltip {...props} total={texts().total} index={at().index} left={at().left} />}
      </Show>
    </div>
  );
}

type TooltipProps = PlotProps & { readonly index: number; readonly left: number; readonly total: string };

/** The values at one time, with the sum of what is stacked. */
function Tooltip(props: TooltipProps): JSX.Element {
  const shown = (value: number | null): string => (value === null ? "-" : props.format(value));
  const hasTotal = (): boolean => props.kind === "bars" && stacked(props.chart.series).length > 1;
  return (
    <div class="chart-tip" style={{ left: `${props.left}px` }}>
      <strong>{props.timeText(props.chart.times[props.index] ?? 0)}</strong>
      <For each={props.chart.series}>
        {({ name, values }) => (
          <div>
            <span class="chart-swatch" style={{ background: `var(${props.colorOf(name)})` }} />
            <bdi>{name}</bdi>
            <span>{shown(values[props.index] ?? null)}</span>
          </div>
        )}
      </For>
      <Show when={hasTotal()}>
        <div data-total>
          <span>{props.total}</span>
          <span>{shown(totalAt(props.chart.series, props.index))}</span>
        </div>
      </Show>
    </div>
  );
}

/** The last series of a stack is behind the others, so it is drawn first; lines are drawn over them. */
function dataOf({ chart, kind }: PlotProps): uPlot.AlignedData {
  const plain = (series: readonly Series[]) => series.map((each) => [...each.values]);
  const values =
    kind === "bars"
      ? [...stack(stacked(chart.series)).reverse(), ...plain(linesOf(chart.series))]
      : plain(chart.series);
  return [[...chart.times], ...values];
}

const linesOf = (series: readonly Series[]): readonly Series[] =>
  series.filter(({ isPrevious }) => isPrevious === true);

function options(props: PlotProps, host: HTMLElement, setTip: (tip: Tip | null) => void): uPlot.Options {
  const { chart, kind } = props;
  const ordered = kind === "bars" ? [...[...stacked(chart.series)].reverse(), ...linesOf(chart.series)] : chart.series;
  const color = (name: string): string => resolveColor(host, name);
  const axis: uPlot.Axis = {
    stroke: color("--ink-3"),
    font: `12px ${getComputedStyle(host).fontFamily}`,
    grid: { stroke: color("--line"), width: 1 },
    ticks: { show: false },
  };
  return {
    width: Math.max(host.clientWidth, 1),
    height: heightPx,
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), props.timeZone),
    legend: { show: false },
    padding: [8, lastTimePx, 0, 0],
    cursor: {
      sync: { key: cursor.key },
      drag: {
        ...{ x: props.onRange !== undefined, y: false, setScale: false },
        // The library takes a click beside the middle of a bar for a drag, and stops it.
        ...(props.isSelectedByClick === true ? { click: () => undefined } : {}),
      },
      ...(kind === "bars" ? { move: toBar } : {}),
    },
    scales: {
      x: { time: true, ...(kind === "bars" ? { range: () => spanOfBars(chart.times) } : {}) },
      y: { range: (_, __, max) => [0, max > 0 ? max * 1.08 : 1] },
    },
    axes: axesOf(props, axis),
    series: [{}, ...ordered.map((series) => drawnSeries(props, series, color))],
    hooks: hooksOf(props, setTip),
  };
}

/** How one series is drawn: as bars that are stacked, as a line, or as an area. The period before is a dashed line. */
function drawnSeries(props: PlotProps, series: Series, color: (name: string) => string): uPlot.Series {
  const stroke = color(props.colorOf(series.name));
  if (series.isPrevious === true) {
    return { label: series.name, stroke, width: 1.5, points: { show: false }, dash: [4, 4] };
  }
  const isBar = props.kind === "bars";
  const fill = isBar ? stroke : props.kind === "area" ? `color-mix(in srgb, ${stroke} 18%, transparent)` : "";
  return {
    label: series.name,
    stroke,
    width: isBar ? 0 : 1.5,
    points: { show: false },
    ...(fill === "" ? {} : { fill: fillOf(props, fill, color("--panel")) }),
    ...(isBar ? barPaths() : {}),
  };
}

/**
 * The axes: times below, values at the side. Bars and days are labelled at their own times, since the library would label
 * some days twice; if there are no values, only the zero is labelled.
 */
function axesOf(props: PlotProps, axis: uPlot.Axis): uPlot.Axis[] {
  const { chart, kind } = props;
  const steps = stepsOf(chart.series);
  const isEmpty = isAllZero(chart.series);
  const isDaily = bucketOf(chart.times) >= daySeconds;
  const named = (plot: uPlot): number[] => namedTimes(chart.times, Math.floor(plot.width / timeWidthPx));
  return [
    {
      ...axis,
      size: 34,
      gap: 11,
      grid: { show: false },
      ...(kind === "bars" || isDaily ? { splits: named } : {}),
      values: (_, ticks) => ticks.map(tickText(props)),
    },
    {
      ...axis,
      size: (_, texts) => Math.max(0, ...(texts ?? []).map((text) => text.length)) * digitWidthPx + sideSpacePx,
      ...(isEmpty ? { splits: () => [0] } : {}),
      ...(steps === undefined ? {} : { incrs: steps }),
      values: (_, ticks) => ticks.map(props.format),
    },
  ];
}

/** The day, or the hour if a value covers less than a day. */
function tickText({ chart, timeZone }: PlotProps): (seconds: number) => string {
  const parts: Intl.DateTimeFormatOptions =
    bucketOf(chart.times) >= daySeconds ? { month: "short", day: "numeric" } : { hour: "2-digit", minute: "2-digit" };
  const format = new Intl.DateTimeFormat(document.documentElement.lang, { ...parts, timeZone });
  return (seconds) => format.format(new Date(seconds * 1_000));
}

/** The crosshair is in the middle of the bar that the pointer is nearest to. */
function toBar(plot: uPlot, left: number, top: number): [number, number] {
  const time = left < 0 ? undefined : plot.data[0][plot.posToIdx(left)];
  return [time === undefined ? left : plot.valToPos(time, "x"), top];
}

function barPaths(): Pick<uPlot.Series, "paths"> {
  const paths = uPlot.paths.bars?.({ size: [barShare, 48], align: 0 });
  return paths === undefined ? {} : { paths };
}

/**
 * The fill is paler without transparency: through a transparent part of a bar, the parts behind it would be visible.
 */
function fillOf({ isLastUnfinished, chart, kind }: PlotProps, fill: string, behind: string): uPlot.Series.Fill {
  if (isLastUnfinished !== true || kind !== "bars") {
    return () => fill;
  }
  return (plot) => {
    const last = chart.times.at(-1) ?? 0;
    const before = chart.times.at(-2) ?? last;
    const width = Math.max(plot.bbox.width, 1);
    const border = (plot.valToPos((last + before) / 2, "x", true) - plot.bbox.left) / width;
    const at = Math.min(Math.max(border, 0), 1);
    const gradient = plot.ctx.createLinearGradient(plot.bbox.left, 0, plot.bbox.left + width, 0);
    const pale = `color-mix(in srgb, ${fill} ${paleShare * 100}%, ${behind})`;
    gradient.addColorStop(0, fill);
    gradient.addColorStop(at, fill);
    gradient.addColorStop(at, pale);
    gradient.addColorStop(1, pale);
    return gradient;
  };
}

function hooksOf(props: PlotProps, setTip: (tip: Tip | null) => void): uPlot.Hooks.Arrays {
  return {
    setCursor: [
      (plot) => {
        const { idx, left = -1 } = plot.cursor;
        if (idx === null || idx === undefined || left < 0) {
          setTip(null);
          return;
        }
        const beside = plot.over.offsetLeft + left + 12;
        const isRoom = beside + tipWidthPx < plot.width;
        setTip({ index: idx, left: isRoom ? beside : plot.over.offsetLeft + left - tipWidthPx - 12 });
      },
    ],
    setSelect: [
      (plot) => {
        if (plot.select.width > 0) {
          const from = plot.posToVal(plot.select.left, "x");
          const to = plot.posToVal(plot.select.left + plot.select.width, "x");
          const bars = barsWithin(props.chart.times, from, to);
          if (bars !== null) {
            props.onRange?.(...bars);
          }
        }
      },
    ],
    ready: [
      (plot) => plot.over.addEventListener("dblclick", () => props.onReset?.()),
      ...(props.isSelectedByClick === true ? [(plot: uPlot) => selectByClick(plot, props)] : []),
    ],
  };
}

/** The mouse has hardly moved between press and release. */
const clickPxMax = 4;

/** A range is dragged; what is pressed and released at one place is a click on the bar there. */
function selectByClick(plot: uPlot, props: PlotProps): void {
  let pressedAt = 0;
  plot.over.addEventListener("mousedown", (event) => {
    pressedAt = event.clientX;
  });
  plot.over.addEventListener("click", (event) => {
    const time = props.chart.times[plot.cursor.idx ?? -1];
    if (time !== undefined && Math.abs(event.clientX - pressedAt) < clickPxMax) {
      props.onRange?.(time, time);
    }
  });
}

/** The current value of a custom property, as the canvas takes it. */
function resolveColor(host: HTMLElement, property: string): string {
  const probe = document.createElement("span");
  probe.style.setProperty("color", `var(${property})`);
  host.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
