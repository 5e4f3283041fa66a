import { createEffect, createSignal, For, type JSX, Match, Show, Switch } from "solid-js";
import { fill } from "../i18n/messages.ts";
import { Button } from "../kit/button.tsx";
import { Icon } from "../kit/icon.tsx";
import { useKitTexts } from "../kit/kit-texts.tsx";
import { Menu } from "../kit/menu.tsx";
import { Pagination } from "../kit/pagination.tsx";
import { EmptyState, ErrorState, Notice, Skeleton } from "../kit/states.tsx";
import { FilterBar, FilterChips } from "./filters.tsx";
import { type Column, type Filter, nextSort } from "./model.ts";
import { createOpenRow } from "./open-row.ts";
import { SidePanel } from "./side-panel.tsx";
import { createTableLayout, type TableLayout } from "./table-layout.ts";
import type { TableState } from "./table-state.ts";
import { ViewsMenu } from "./views-menu.tsx";
import "./data-table.css";

type DataTableProps<Row> = {
  /** The browser's storage key for columns and density. */
  readonly name: string;
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly state: TableState;
  /** The rows of this page; undefined until loaded. Old rows stay during a refetch. */
  readonly rows: readonly Row[] | undefined;
  readonly rowId: (row: Row) => string;
  readonly isLoading: boolean;
  readonly isRefreshing?: boolean;
  readonly error: Error | null;
  readonly onRetry: () => void;
  readonly filters?: readonly Filter[];
  /** The cursor of the next page; null or absent at the end. */
  readonly nextCursor?: string | null | undefined;
  /** How many rows there are, if known. */
  readonly total?: { readonly count: number; readonly is_exact: boolean } | null;
  /** The reason why the list is empty without any filter, and what to do. */
  readonly empty: { readonly title: string; readonly text?: string; readonly actions?: JSX.Element };
  /** URLs that stream every matching row. */
  readonly exports?: { readonly csv: string; readonly json?: string };
  /** The open row when it is not on this page, for example after following a link; null if it does not exist. */
  readonly elsewhere?: Row | null | undefined;
  /** Is told the id of an open row that is not on this page; an empty text for none. */
  readonly seek?: (id: string) => void;
  /** The panel of a row; without it rows do not open. */
  readonly panel?: { readonly title: (row: Row) => string; readonly content: (row: Row) => JSX.Element };
  /** The buttons of what is done most with a row; they appear at its end when the pointer or the focus is in it. */
  readonly rowActions?: ((row: Row) => JSX.Element) | undefined;
  /** Further content at the end of the bar, such as a button that creates. */
  readonly actions?: JSX.Element;
  /** What can be done with chosen rows; without it, none can be chosen. */
  readonly selection?: TableSelection | undefined;
};

export type TableSelection = {
  /** The most rows that can be chosen, over several pages too. */
  readonly max: number;
  /** The buttons beside the number of chosen rows. */
  readonly actions: (chosen: () => readonly string[], clear: () => void) => JSX.Element;
};

const shortListMax = 25;
const skeletonRows = Array.from({ length: 8 }, (_, index) => index);

/**
 * A list whose filters, order, page and open row are in the URL and handled by the backend. It has the states of every
 * list: loading, failed, empty at first, empty by its filters, and refetching.
 */
export function DataTable<Row>(props: DataTableProps<Row>): JSX.Element {
  const texts = useKitTexts();
  const layout = createTableLayout<Row>(props.name, () => props.columns);
  const openRow = createOpenRow<Row>({
    rows: () => (props.elsewhere == null ? props.rows : [...(props.rows ?? []), props.elsewhere]),
    rowId: (row) => props.rowId(row),
    openId: () => props.state.openId(),
  });
  createEffect(() => {
    const id = props.state.openId();
    const isHere = props.rows === undefined || props.rows.some((row) => props.rowId(row) === id);
    props.seek?.(props.panel === undefined || isHere ? "" : id);
  });
  const [chosen, setChosen] = createSignal<readonly string[]>([]);
  const choose = (ids: readonly string[], isChosen: boolean): void => {
    const others = chosen().filter((id) => !ids.includes(id));
    setChosen(isChosen ? [...others, ...ids].slice(0, props.selection?.max ?? 0) : others);
  };
  const isEmpty = (): boolean => props.rows?.length === 0;
  // A short list needs no paging; users who selected longer pages keep the choice.
  const hasPages = (): boolean =>
    props.nextCursor !== null ||
    props.state.cursor() !== "" ||
    (props.rows?.length ?? 0) >= shortListMax ||
    (props.total != null && !isEmpty());
  return (
    <div class="table-area">
      <TableBar {...props} layout={layout} />
      <FilterChips filters={props.filters ?? []} state={props.state} />
      <Show when={chosen().length > 0 ? props.selection : undefined}>
        {(selection) => (
          <div class="table-chosen">
            <span role="status">{fill(texts().selectedRows, { count: chosen().length })}</span>
            {selection().actions(chosen, () => setChosen([]))}
            <Button variant="quiet" onClick={() => setChosen([])}>
              {texts().clearSelection}
            </Button>
          </div>
        )}
      </Show>
      <Show when={props.elsewhere === null && props.state.openId() !== "" && openRow() === undefined}>
        <Notice tone="warn">{texts().rowMissing}</Notice>
      </Show>
      <Switch>
        <Match when={props.error !== null && props.rows === undefined}>
          <ErrorState error={props.error} onRetry={props.onRetry} />
        </Match>
        <Match when={isEmpty() && props.state.activeFilters().length > 0}>
          <EmptyState
            title={texts().noMatches}
            actions={<Button onClick={() => props.state.clearFilters()}>{texts().clearFilters}</Button>}
          />
        </Match>
        <Match when={isEmpty()}>
          <EmptyState title={props.empty.title} actions={props.empty.actions}>
            {props.empty.text}
          </EmptyState>
        </Match>
        <Match when={true}>
          <TableBody {...props} layout={layout} chosen={chosen()} onChoose={choose} />
        </Match>
      </Switch>
      <Show when={props.nextCursor !== undefined && hasPages()}>
        <Pagination
          pageSize={props.state.pageSize()}
          onPageSize={(size) => props.state.setPageSize(size)}
          onFirst={props.state.cursor() === "" ? null : () => props.state.setCursor(null)}
          onNext={props.nextCursor == null ? null : () => props.state.setCursor(props.nextCursor ?? null)}
          total={props.total}
        />
      </Show>
      <Show when={props.panel}>
        {(panel) => (
          <SidePanel
            title={((row) => (row === undefined ? "" : panel().title(row)))(openRow())}
            isOpen={openRow() !== undefined}
            onClose={() => closePanel(props.state)}
            onStep={(step) => openNeighbour(props, step)}
          >
            <Show when={openRow()} keyed>
              {(row) => panel().content(row)}
            </Show>
          </SidePanel>
        )}
      </Show>
    </div>
  );
}

function closePanel(state: TableState): void {
  const id = state.openId();
  state.setOpenId(null);
  document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"] .row-open`)?.focus();
}

function openNeighbour<Row>(props: DataTableProps<Row>, step: 1 | -1): void {
  const rows = props.rows ?? [];
  const at = rows.findIndex((row) => props.rowId(row) === props.state.openId());
  const next = rows[at + step];
  if (next !== undefined) {
    const id = props.rowId(next);
    props.state.setOpenId(id);
    document.querySelector(`[data-row="${CSS.escape(id)}"]`)?.scrollIntoView({ block: "nearest" });
  }
}

function TableBar<Row>(props: DataTableProps<Row> & { readonly layout: TableLayout<Row> }): JSX.Element {
  const texts = useKitTexts();
  return (
    <div class="table-bar">
      <FilterBar filters={props.filters ?? []} state={props.state} />
      <div class="table-bar-end">
        {props.actions}
        <Show when={props.exports}>
          {(exports) => (
            <Menu
              label={texts().exportCsv}
              align="end"
              shape="square"
              button={<Icon name="download" />}
              entries={[
                { label: texts().exportCsv, href: exports().csv, isDownload: true },
                ...(exports().json === undefined
                  ? []
                  : [{ label: texts().exportJson, href: exports().json ?? "", isDownload: true }]),
              ]}
            />
          )}
        </Show>
        <ViewsMenu name={props.name} state={props.state} layout={props.layout} />
        <Menu
          label={texts().columns}
          align="end"
          shape="square"
          button={<Icon name="sliders" />}
          entries={[
            ...props.columns.map((column) => ({
              label: column.label,
              isChecked: props.layout.isVisible(column.id),
              onSelect: () => props.layout.toggle(column.id),
            })),
            "line" as const,
            {
              label: texts().density,
              isChecked: props.layout.isCompact(),
              onSelect: () => props.layout.toggleCompact(),
            },
          ]}
        />
      </div>
    </div>
  );
}

type Choosing = {
  readonly chosen: readonly string[];
  readonly onChoose: (ids: readonly string[], isChosen: boolean) => void;
};

function TableBody<Row>(props: DataTableProps<Row> & Choosing & { readonly layout: TableLayout<Row> }): JSX.Element {
  const texts = useKitTexts();
  const columns = (): readonly Column<Row>[] => props.layout.visible();
  return (
    <section
      class="table-scroll"
      aria-label={props.label}
      tabindex="0"
      aria-busy={props.isLoading}
      data-refreshing={props.isRefreshing === true && !props.isLoading}
    >
      <table class="table" data-compact={props.layout.isCompact()}>
        <caption class="visually-hidden">{props.label}</caption>
        <thead>
          <tr>
            <Show when={props.selection}>
              <ChooseAll {...props} />
            </Show>
            <For each={columns()}>{(column) => <HeadCell column={column} state={props.state} />}</For>
            <Show when={props.rowActions}>
              <td class="row-actions" />
            </Show>
          </tr>
        </thead>
        <tbody>
          <Show
            when={props.rows}
            fallback={
              <For each={skeletonRows}>
                {() => (
                  <tr>
                    <Show when={props.selection}>
                      <td class="table-choice" />
                    </Show>
                    <For each={columns()}>
                      {(column) => (
                        <td data-card={column.card}>
                          <span class="visually-hidden">{texts().loading}</span>
                          <Skeleton />
                        </td>
                      )}
                    </For>
                  </tr>
                )}
              </For>
            }
          >
            {(rows) => <For each={rows()}>{(row) => <TableRow {...props} columns={columns()} row={row} />}</For>}
          </Show>
        </tbody>
      </table>
    </section>
  );
}

/** Chooses the rows of this page, or none of them any more. */
function ChooseAll<Row>(props: DataTableProps<Row> & Choosing): JSX.Element {
  const texts = useKitTexts();
  const ids = (): string[] => (props.rows ?? []).map((row) => props.rowId(row));
  const count = (): number => ids().filter((id) => props.chosen.includes(id)).length;
  let box: HTMLInputElement | undefined;
  createEffect(() => {
    if (box !== undefined) {
      box.indeterminate = count() > 0 && count() < ids().length;
    }
  });
  return (
    <td class="table-choice">
      <input
        type="checkbox"
        ref={box}
        aria-label={texts().selectPage}
        checked={count() > 0 && count() === ids().length}
        disabled={ids().length === 0}
        onChange={(event) => props.onChoose(ids(), event.currentTarget.checked)}
      />
    </td>
  );
}

function HeadCell<Row>(props: { readonly column: Column<Row>; readonly state: TableState }): JSX.Element {
  const sort = () => props.state.sort();
  const order = (): "ascending" | "descending" | undefined => {
    const current = sort();
    return current?.column !== props.column.id ? undefined : current.isDescending ? "descending" : "ascending";
  };
  return (
    <th scope="col" data-align={props.column.align} aria-sort={order()}>
      <Show when={props.column.isSortable} fallback={props.column.label}>
        <button type="button" onClick={() => props.state.setSort(nextSort(sort(), props.column.id))}>
          {props.column.label}
          <Icon name={order() === undefined ? "sort" : order() === "descending" ? "down" : "up"} />
        </button>
      </Show>
    </th>
  );
}

function TableRow<Row>(
  props: DataTableProps<Row> & Choosing & { readonly row: Row; readonly columns: readonly Column<Row>[] },
): JSX.Element {
  const texts = useKitTexts();
  const id = (): string => props.rowId(props.row);
  const opens = (): boolean => props.panel !== undefined;
  const open = (): void => props.state.setOpenId(id());
  const onRowClick = (event: MouseEvent): void => {
    const isOwn = event.target instanceof Element && event.target.closest("a, button, input, label") !== null;
    if (opens() && !isOwn && getSelection()?.isCollapsed !== false) {
      open();
    }
  };
  return (
    <tr
      data-row={id()}
      data-opens={opens()}
      aria-current={opens() && props.state.openId() === id() ? "true" : undefined}
      onClick={onRowClick}
    >
      <Show when={props.selection}>
        <td class="table-choice">
          <input
            type="checkbox"
            aria-label={texts().selectRow}
            checked={props.chosen.includes(id())}
            onChange={(event) => props.onChoose([id()], event.currentTarget.checked)}
          />
        </td>
      </Show>
      <For each={props.columns}>
        {(column, index) =>
          index() === 0 ? (
            <th scope="row" data-align={column.align} data-card={column.card} data-label={column.label}>
              <Show when={opens()} fallback={column.cell(props.row)}>
                <button type="button" class="row-open" onClick={open}>
                  {column.cell(props.row)}
                </button>
              </Show>
            </th>
          ) : (
            <td data-align={column.align} data-card={column.card} data-label={column.label}>
              {column.cell(props.row)}
            </td>
          )
        }
      </For>
      {/* An open panel covers the end of the rows, and has these buttons. */}
      <Show when={props.state.openId() === "" ? props.rowActions : undefined}>
        {(actions) => (
          <td class="row-actions">
            <div>{actions()(props.row)}</div>
          </td>
        )}
      </Show>
    </tr>
  );
}
