import { countedMax, type ListResponse } from "@sluice/contracts/lists";
import type { Clock } from "../clock.ts";
import type { Database } from "../db.ts";
import { type AdminCaller, type AnyEndpoint, endpoint } from "../endpoint/model.ts";
import type { Log } from "../log.ts";
import { readCursor, writeCursor } from "./cursor.ts";
import type { ExportFormat } from "./export-rows.ts";
import { ListExports } from "./list-export.ts";
import { countRows, type Row, selectPage, sortColumns } from "./list-store.ts";
import type { AnyListSource, ListRequest } from "./model.ts";
import { readRange } from "./time-range.ts";

/** A file that an admin has requested. It is recorded before the first byte of the file leaves. */
export type ExportRecord = {
  readonly admin: AdminCaller;
  readonly list: string;
  readonly format: ExportFormat;
  readonly rows: number;
  /** The query as it was sent. */
  readonly query: unknown;
  readonly requestId: string;
  readonly ip: string;
};

export type ListDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly recordExport: (record: ExportRecord) => Promise<void>;
  /** How many rows one export can hold; fewer in tests. */
  readonly exportRowsMax?: number;
};

/** A list and its path. */
export type ListPlace = {
  /** With a trailing slash: the page is at `<path>list/`, the file at `<path>export/`. */
  readonly path: string;
  readonly access: "admin" | "super_admin";
  /** The content of the list as a plural noun phrase for summaries, such as "orders with their owners". */
  readonly about: string;
  readonly source: AnyListSource;
};

type Query = { readonly sort: string; readonly cursor?: string; readonly limit: number } & Record<string, unknown>;

const countMsMax = 2_000;

/**
 * The endpoints of lists. How to make one:
 *
 * 1. In `packages/contracts/src`, declare it with `listContract({name, row, rowId, filters, sorts, defaultSort})`: a strict zod
 *    object of a row as it is answered, a schema for each filter of the query (`choiceOf`, `exactText`, `idText`,
 *    `flagText`), the names of the sorts. `isTimed: false` for what has no time to choose by.
 * 2. In a store of the feature (its SQL), declare `listSource({contract, from, columns, filters, sorts, time})`: an
 *    expression for each field of the row, a condition for each filter (`equals`, `isOneOf`, `startsWith`, `either`, or a
 *    function that gets the value and `bind`), for each sort its columns, unique together, never null, with an index.
 * 3. In its composition, `listEndpoints(lists, [{path: "/backend/admin/order/", access: "admin", about, source}])`, where
 *    `lists` is the one `ListDeps` of `compose/features.ts`. It answers `GET <path>list/` with a `ListResponse` and
 *    `GET <path>export/?format=csv|json` with a file of every row, and writes down who took it.
 *
 * A page costs the same wherever it begins. Rows that come while somebody walks through the pages disturb nobody: what was
 * there at the start is met exactly once, unless it changes what the list is sorted by.
 */
export function listEndpoints(deps: ListDeps, places: readonly ListPlace[]): AnyEndpoint[] {
  const { exportRowsMax: rowsMax, ...rest } = deps;
  const exports = new ListExports(rowsMax === undefined ? rest : { ...rest, rowsMax });
  return places.flatMap((place) => [pageEndpoint(deps, place), exportEndpoint(deps, exports, place)]);
}

/** Only the exports, for lists whose pages other code serves. */
export function fileEndpoints(deps: ListDeps, places: readonly ListPlace[]): AnyEndpoint[] {
  const { exportRowsMax: rowsMax, ...rest } = deps;
  const exports = new ListExports(rowsMax === undefined ? rest : { ...rest, rowsMax });
  return places.map((place) => exportEndpoint(deps, exports, place));
}

function pageEndpoint(deps: ListDeps, { path, access, about, source }: ListPlace): AnyEndpoint {
  return endpoint({
    method: "GET",
    path: `${path}list/`,
    access,
    input: source.contract.input,
    summary: `List ${about}`,
    output: source.contract.output,
    errors: ["too_broad"],
    limits: ["Fails if the database needs more than 5 seconds.", "Rows are counted up to 10,000."],
    handle: async ({ input }) => ({ ...(await readPage(deps, source, input as Query)) }),
  });
}

function exportEndpoint(deps: ListDeps, exports: ListExports, { path, access, about, source }: ListPlace) {
  return endpoint({
    method: "GET",
    path: `${path}export/`,
    access,
    input: source.contract.exportInput,
    summary: `Export all ${about} as CSV or JSON`,
    output: null,
    otherResponses: [
      { status: 200, type: "text/csv", summary: "One line per row, after a line with the column names." },
      { status: 200, type: "application/json", summary: "One array of all rows." },
    ],
    errors: ["too_broad"],
    limits: ["At most 1,000,000 rows.", "At most four exports at a time."],
    handle: async ({ input, admin, request, requestId, clientIp: ip }) => {
      const asked = readListRequest(source, input as Query, deps.clock.now());
      const format = input["format"] as ExportFormat;
      const query = Object.fromEntries(new URL(request.url).searchParams);
      const list = source.contract.name;
      return await exports.open(source, asked, format, (rows) =>
        deps.recordExport({ admin, list, format, rows, query, requestId, ip }),
      );
    },
  });
}

/**
 * A page of a list, for endpoints that show it beside other content.
 * @param query parsed by the contract's `input`
 * @throws AppError `invalid_parameter` for an invalid cursor or days, `too_broad` when it takes too long
 */
export async function readPage(deps: ListDeps, source: AnyListSource, query: Query): Promise<ListResponse<Row>> {
  const { db, clock } = deps;
  const request = readListRequest(source, query, clock.now());
  const keys = sortColumns(source, request);
  const after = query.cursor === undefined ? null : readCursor(request, keys, query.cursor);
  const { limit } = query;
  // The query reads one row more than the page shows, to find out whether there is another page.
  const [{ rows, cursors }, count] = await Promise.all([
    selectPage(db, source, request, { after, limit: limit + 1 }),
    after === null ? countRows(db, { source, request }, countedMax, countMsMax) : null,
  ]);
  const { range } = request;
  const end = rows.length > limit ? cursors[limit - 1] : undefined;
  return {
    rows: rows.slice(0, limit),
    next_cursor: end === undefined ? null : writeCursor(request, end),
    total: count === null ? null : { count: Math.min(count, countedMax), is_exact: count <= countedMax },
    range: range === null ? null : { from_day: range.fromDay, to_day: range.toDay, zone: range.zone },
  };
}

/** The first page of a list with some filters, in its default order: what the list returns without other parameters. */
export async function readFirstPage(
  deps: ListDeps,
  source: AnyListSource,
  filters: Readonly<Record<string, unknown>>,
): Promise<ListResponse<Row>> {
  const defaults = source.contract.input.parse({});
  return await readPage(deps, source, { ...(defaults as Query), ...filters });
}

/** Parses a query in terms of its list. @throws AppError `invalid_value` for invalid days */
export function readListRequest(source: AnyListSource, query: Query, nowMs: number): ListRequest {
  const rows = (query["rows"] as readonly string[] | undefined) ?? null;
  const filters = Object.keys(source.filters).flatMap((name) =>
    query[name] === undefined || rows !== null ? [] : [[name, query[name]] as const],
  );
  const isDescending = query.sort.startsWith("-");
  const asked = query as unknown as { from_day?: string; to_day?: string; zone: string };
  const { time } = source;
  const isOpen = rows !== null || (time?.isOpenWith !== undefined && query[time.isOpenWith] !== undefined);
  return {
    list: source.contract.name,
    filters: Object.fromEntries(filters),
    rows,
    sort: isDescending ? query.sort.slice(1) : query.sort,
    isDescending,
    range: time === null ? null : readRange(time, asked, { nowMs, isOpen }),
  };
}

/**
 * The rows with these ids, in the order of the list, whatever its filters would leave out.
 * @throws AppError `invalid_parameter` for what can't be an id of this list
 */
export async function readNamedRows(
  deps: Pick<ListDeps, "db" | "clock">,
  source: AnyListSource,
  rows: readonly string[],
): Promise<Row[]> {
  const defaults = source.contract.input.parse({}) as Query;
  const request = readListRequest(source, { ...defaults, rows }, deps.clock.now());
  const found = await selectPage(deps.db, source, request, { after: null, limit: rows.length });
  return [...found.rows];
}
