import type { CallHistogramInput } from "@sluice/contracts/call-histogram";
import type { Queryable } from "../../platform/db.ts";
import { arrayLiteral } from "../../platform/db-array-literal.ts";
import type { Span } from "./range.ts";
import { piecesOfUsers, piecesTable, pieceValues } from "./usage-sums-store.ts";

/** How the calls of a bar ended; `bar` counts from 0. */
export type HistogramBar = {
  readonly bar: number;
  readonly calls: bigint;
  readonly completed: bigint;
  readonly aborted: bigint;
  readonly failed: bigint;
  readonly refused: bigint;
};

type Filter = Pick<CallHistogramInput, "gateway_user_id" | "email" | "error_code" | "model" | "channel_id">;

/** The filters that the sums know together, those of a call's user first: the sums of one kind have no others. */
export function countedFilters(filter: Filter): readonly (keyof Filter)[] {
  const given = (names: readonly (keyof Filter)[]) => names.filter((name) => filter[name] !== undefined);
  const kinds = [given(["gateway_user_id", "email"]), given(["error_code"]), given(["model", "channel_id"])];
  return kinds.find((names) => names.length > 0) ?? [];
}

const counts = ["calls", "completed", "aborted", "failed", "refused"] as const;
const sums = counts.map((name) => `coalesce(sum(${name}), 0)::bigint as ${name}`).join(", ");

/** Counts calls by bar, from the sums that know the filters; a bar without calls has no row. */
export async function countCallBars(db: Queryable, spans: readonly Span[], filter: Filter): Promise<HistogramBar[]> {
  const counted = new Set(countedFilters(filter));
  if (counted.has("gateway_user_id") || counted.has("email")) {
    return await countOfUser(db, spans, filter);
  }
  if (counted.has("error_code")) {
    return await countPieces(db, pieceValues("error", spans), ["error_code = $5::text", [filter.error_code ?? ""]]);
  }
  if (counted.size > 0) {
    const { model = null, channel_id: channel = null } = filter;
    const isMeant = "($5::text is null or model = $5::text) and ($6::bigint is null or channel_id = $6::bigint)";
    return await countPieces(db, pieceValues("route", spans), [isMeant, [model, channel]]);
  }
  return await db.query<HistogramBar>(
    `select width_bucket(starts_at, $3::timestamptz[]) - 1 as bar, ${sums} from usage_rollup
     where slice = 'total' and starts_at >= $1::timestamptz and starts_at < $2::timestamptz group by 1 order by 1`,
    spanValues(spans),
  );
}

const spanValues = (spans: readonly Span[]) => [
  spans[0]?.from ?? null,
  spans.at(-1)?.to ?? null,
  arrayLiteral(spans.map(({ from }) => from)),
];

async function countOfUser(db: Queryable, spans: readonly Span[], filter: Filter): Promise<HistogramBar[]> {
  const user = `(
    select id from (values (coalesce($5::bigint, gateway_user_of_email($6::text)))) asked (id)
    where $5::bigint is null or $6::text is null or id = gateway_user_of_email($6::text)
  ) u`;
  return await db.query<HistogramBar>(
    `select bar, ${sums} from ${piecesOfUsers(user, counts.join(", "))} group by bar order by bar`,
    [...pieceValues("user", spans), filter.gateway_user_id ?? null, filter.email ?? null],
  );
}

async function countPieces(
  db: Queryable,
  pieces: readonly string[],
  [isMeant, values]: readonly [string, readonly (string | bigint | null)[]],
): Promise<HistogramBar[]> {
  return await db.query<HistogramBar>(
    `select bar, ${sums} from ${piecesTable} cross join lateral (
       select ${counts.join(", ")} from usage_rollup r
       where r.slice = p.slice and r.starts_at >= p.from_at and r.starts_at < p.to_at and ${isMeant} offset 0
     ) part group by bar order by bar`,
    [...pieces, ...values],
  );
}
