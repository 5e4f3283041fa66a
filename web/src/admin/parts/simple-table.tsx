import { For, type JSX } from "solid-js";
import { t } from "../translate.ts";
import "../../table/data-table.css";

export type SimpleColumn<Row> = {
  readonly label: string;
  readonly cell: (row: Row) => JSX.Element;
  readonly align?: "end";
};

/** A short table that is loaded completely: no pages, no filters. The first column names the row. */
export function SimpleTable<Row>(props: {
  readonly label: string;
  readonly columns: readonly SimpleColumn<Row>[];
  readonly rows: readonly Row[];
}): JSX.Element {
  return (
    <section class="table-scroll" tabindex="0" aria-label={t("{label}, rows", { label: props.label })}>
      <table class="table table-wrapping">
        <caption class="visually-hidden">{props.label}</caption>
        <thead>
          <tr>
            <For each={props.columns}>
              {(column) => (
                <th scope="col" data-align={column.align}>
                  {column.label}
                </th>
              )}
            </For>
          </tr>
        </thead>
        <tbody>
          <For each={props.rows}>
            {(row) => (
              <tr>
                <For each={props.columns}>
                  {(column, index) =>
                    index() === 0 ? (
                      <th scope="row" data-align={column.align} data-label={column.label} data-card="title">
                        {column.cell(row)}
                      </th>
                    ) : (
                      <td data-align={column.align} data-label={column.label}>
                        {column.cell(row)}
                      </td>
                    )
                  }
                </For>
              </tr>
            )}
          </For>
        </tbody>
      </table>
    </section>
  );
}
