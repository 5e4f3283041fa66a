export type SeriesTone = "ok" | "warn" | "bad";

/** One line, or one part of a bar, over the times of its chart. A gap is null, not 0. */
export type Series = {
  readonly name: string;
  /** What keeps its colour on every page and in every language; the name if absent. */
  readonly id?: string;
  /** The colour of a series that is good or bad by itself, such as an outcome. */
  readonly tone?: SeriesTone;
  readonly values: readonly (number | null)[];
  /** The previous period, which is drawn dashed. */
  readonly isPrevious?: boolean;
  /** The sum of everything without its own series. */
  readonly isOther?: boolean;
};

export type TimeChart = {
  /** Seconds since 1970, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
};

const rows = 2_000;

/**
 * The chart as text for a spreadsheet: a line for each time. Names that a spreadsheet would take for formulas are made
 * harmless.
 */
export function toCsv(chart: TimeChart, timeText: (seconds: number) => string): string {
  const head = ["time", ...chart.series.map(({ name }) => name)];
  const lines = chart.times
    .slice(0, rows)
    .map((time, index) => [timeText(time), ...chart.series.map(({ values }) => String(values[index] ?? ""))]);
  return [head, ...lines].map((cells) => cells.map(csvCell).join(",")).join("\r\n");
}

function csvCell(text: string): string {
  const isFormula = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** What is drawn one on the other: not the period before, which is a line. */
export function stacked(series: readonly Series[]): readonly Series[] {
  return series.filter(({ isPrevious }) => isPrevious !== true);
}

/** The same series with the sum of each value and those before it. */
export function cumulate(series: readonly Series[]): readonly Series[] {
  return series.map((each) => {
    let sum = 0;
    return {
      ...each,
      values: each.values.map((value) => {
        sum += value ?? 0;
        return sum;
      }),
    };
  });
}

/** The sum of what is stacked at one time, or null if there is nothing. */
export function totalAt(series: readonly Series[], index: number): number | null {
  const values = stacked(series).flatMap(({ values: all }) => all[index] ?? []);
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
}

/** Whether no series has a value other than zero. */
export function isAllZero(series: readonly Series[]): boolean {
  return series.every(({ values }) => values.every((value) => (value ?? 0) === 0));
}

/** Stacked values: each series becomes the sum of itself and those before it. */
export function stack(series: readonly Series[]): (number | null)[][] {
  const sums: number[] = [];
  return series.map(({ values }) =>
    values.map((value, index) => {
      if (value === null) {
        return sums[index] ?? null;
      }
      sums[index] = (sums[index] ?? 0) + value;
      return sums[index] ?? null;
    }),
  );
}
