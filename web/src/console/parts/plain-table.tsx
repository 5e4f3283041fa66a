import { For, type JSX } from "solid-js";
import type { Column } from "../../table/model.ts";
import "../../table/data-table.css";

/** A short table that is shown completely; on a phone its rows are cards like those of every list. */
export function PlainTable<Row>(props: {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
}): JSX.Element {
  return (
    <section class="table-scroll" tabindex="0" aria-label={props.label}>
      <table class="table table-wrapping">
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
                      <th scope="row" data-card={column.card} data-label={column.label}>
                        {column.cell(row)}
                      </th>
                    ) : (
                      <td data-align={column.align} data-card={column.card} data-label={column.label}>
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
