import { createMemo, type JSX, Match, Show, Switch } from "solid-js";
import { BarList } from "../../../charts/bar-list.tsx";
import { TimeChart } from "../../../charts/time-chart.tsx";
import { dayIn, utcDay } from "../../../i18n/days.ts";
import { Card, Figure, Figures } from "../../../kit/card.tsx";
import { SelectField } from "../../../kit/field.tsx";
import { LoadingPart, ShownAfter, Skeleton } from "../../../kit/states.tsx";
import { DataTable } from "../../../table/data-table.tsx";
import type { Column } from "../../../table/model.ts";
import { createTableState } from "../../../table/table-state.ts";
import { formats } from "../../formats.ts";
import { dash, shownMoment } from "../../shown.ts";
import { known, t } from "../../translate.ts";
import type { ReportQuery } from "./report-query.ts";
import styles from "./reports.module.css";
import { sortRows } from "./sort-rows.ts";

type Range = { readonly from_day: string; readonly to_day: string; readonly zone: string };
type Head = { readonly range: Range; readonly as_of: string | null };
type KeyedRow = { readonly key: string | null; readonly name: string | null };

/** The days of a report, their time zone, and the time up to which data is complete. */
export function ReportHead(props: {
  readonly answer: Head | undefined;
  readonly hasFailed: boolean;
  readonly children?: JSX.Element;
}): JSX.Element {
  return (
    <div class={styles["head"]}>
      <p class="muted" role="status">
        <Show
          when={props.answer}
          fallback={props.hasFailed ? t("The report could not be loaded") : t("Loading the report")}
        >
          {(answer) =>
            t("{from_day} to {to_day}, days in {zone}. ", {
              from_day: answer().range.from_day,
              to_day: answer().range.to_day,
              zone: answer().range.zone,
            }) +
            (answer().as_of === null
              ? t("No calls counted yet.")
              : t("Includes everything up to {as_of}.", { as_of: shownMoment(answer().as_of) }))
          }
        </Show>
      </p>
      {props.children}
    </div>
  );
}

export type TotalFigure = {
  readonly label: string;
  readonly value: string | undefined;
  /** The exact figure, if the value is rounded. */
  readonly exact?: string | undefined;
  readonly note?: string;
};

/** The totals of all rows; they keep their height while loading. */
export function Totals(props: { readonly figures: readonly TotalFigure[]; readonly hasFailed: boolean }): JSX.Element {
  const missing = (): JSX.Element => (props.hasFailed ? dash : <Skeleton width="5rem" />);
  return (
    <Figures label={t("Totals")} isLoading={!props.hasFailed && props.figures.some(({ value }) => value === undefined)}>
      {props.figures.map((figure) => (
        <Figure label={figure.label} value={figure.value ?? missing()} exact={figure.exact} note={figure.note} />
      ))}
    </Figures>
  );
}

/** What a report is grouped by. */
export function ByField(props: {
  readonly query: ReportQuery<unknown>;
  readonly choices: readonly (readonly [string, string])[];
}): JSX.Element {
  return (
    <SelectField
      label={t("Group by")}
      value={props.query.by}
      onChange={(event) => props.query.setBy(event.currentTarget.value)}
    >
      {props.choices.map(([value, label]) => (
        <option value={value} selected={value === props.query.by}>
          {known(label)}
        </option>
      ))}
    </SelectField>
  );
}

/** The label of a row of a report. */
export function rowName(row: KeyedRow, otherwise = t("none")): string {
  return row.name ?? row.key ?? otherwise;
}

/** One measure of every row: over time when the rows are days, else as bars, the largest first. */
export function RowChart<Row extends KeyedRow>(props: {
  readonly title: string;
  readonly isByDay: boolean;
  readonly hasFailed: boolean;
  readonly rows: readonly Row[] | undefined;
  readonly zone: string;
  readonly valueOf: (row: Row) => string | number;
  readonly textOf: (row: Row) => string;
  readonly format: (value: number) => string;
}): JSX.Element {
  const days = createMemo(() => (props.isByDay ? (props.rows ?? []) : []));
  const chart = () => ({
    times: days().map(({ key }) => Date.parse(`${key}T00:00:00Z`) / 1000),
    series: [{ name: props.title, values: days().map((row) => Number(props.valueOf(row))) }],
  });
  const bars = () =>
    (props.rows ?? [])
      .map((row) => ({ name: rowName(row), value: Number(props.valueOf(row)), text: props.textOf(row) }))
      .filter(({ value }) => value > 0)
      .sort((one, other) => other.value - one.value)
      .slice(0, 8);
  return (
    <Card title={props.title}>
      <Switch fallback={<p class="muted">{t("Nothing in these days.")}</p>}>
        <Match when={props.hasFailed}>
          <p class="muted">{dash}</p>
        </Match>
        <Match when={props.rows === undefined}>
          <LoadingPart size="chart" />
        </Match>
        <Match when={days().length > 0}>
          <TimeChart
            label={props.title}
            chart={chart()}
            kind="bars"
            format={props.format}
            timeText={(seconds) => utcDay(seconds * 1000)}
            zone={t("Days in {zone}", { zone: props.zone })}
            timeZone="UTC"
            isLastUnfinished={days().at(-1)?.key === dayIn(props.zone, Date.now())}
          />
        </Match>
        <Match when={bars().length > 0}>
          <BarList label={props.title} bars={bars()} />
        </Match>
      </Switch>
    </Card>
  );
}

/** The rows of a report, to be sorted and downloaded. */
export function ReportTable<Row extends object>(props: {
  readonly name: string;
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[] | undefined;
  readonly rowId: (row: Row) => string;
  readonly query: ReportQuery<unknown>;
  readonly empty: { readonly title: string; readonly text: string };
}): JSX.Element {
  const state = createTableState({ filters: [] });
  return (
    <ShownAfter isReady={!props.query.isLoading}>
      <DataTable
        name={props.name}
        label={props.label}
        columns={props.columns}
        state={state}
        rows={props.rows === undefined ? undefined : sortRows(props.rows, state.sort())}
        rowId={props.rowId}
        isLoading={props.query.isLoading}
        isRefreshing={props.query.isRefreshing}
        error={props.query.error}
        onRetry={props.query.onRetry}
        exports={{ csv: props.query.csv }}
        empty={props.empty}
      />
    </ShownAfter>
  );
}

/** US dollars on an axis, with only as many decimals as needed. */
export function shortUsd(value: number): string {
  return `$${formats.compact(value)}`;
}
