import type { Queryable } from "../platform/db.ts";
import { arrayLiteral } from "../platform/db-array-literal.ts";
import type { NodeTraffic } from "./port.ts";

/** A replica that has been silent for this long is considered gone, and its circuit with it. */
const liveSeconds = 60;

export type TrafficSum = {
  readonly nodeId: bigint;
  readonly calls: bigint;
  readonly failures: bigint;
  readonly lastFailure: string | null;
  readonly lastFailureAt: Date | null;
  /**
   * The time at which the first replica stopped sending calls to the node; null while all replicas send calls there.
   */
  readonly circuitOpenedAt: Date | null;
};

/** Adds what a replica observed. Deleted nodes are skipped. */
export async function addTraffic(db: Queryable, replicaId: string, seen: readonly NodeTraffic[]): Promise<void> {
  await db.sql`
    insert into exit_node_traffic as known (exit_node_id, replica_id, calls, failures, last_failure, last_failure_at,
      circuit_opened_at, seen_at)
    select n.id, ${replicaId}, s.calls, s.failures, s.last_failure, case when s.failures > 0 then now() end,
      case when s.is_open then now() end, now()
    from unnest(${arrayLiteral(seen.map(({ nodeCode }) => nodeCode))}::text[],
        ${arrayLiteral(seen.map(({ calls }) => calls))}::bigint[],
        ${arrayLiteral(seen.map(({ failures }) => failures))}::bigint[],
        ${arrayLiteral(seen.map(({ lastFailure }) => lastFailure))}::text[],
        ${arrayLiteral(seen.map(({ isOpen }) => isOpen))}::boolean[])
      as s(node_code, calls, failures, last_failure, is_open)
    join exit_node n on n.node_code = s.node_code
    on conflict (exit_node_id, replica_id) do update set calls = known.calls + excluded.calls,
      failures = known.failures + excluded.failures,
      last_failure = coalesce(excluded.last_failure, known.last_failure),
      last_failure_at = coalesce(excluded.last_failure_at, known.last_failure_at),
      circuit_opened_at = case when excluded.circuit_opened_at is null then null
        else coalesce(known.circuit_opened_at, excluded.circuit_opened_at) end,
      seen_at = now()`;
}

/** The sums over all replicas, by node. */
export async function sumTraffic(db: Queryable): Promise<TrafficSum[]> {
  const rows = await db.sql<{
    exit_node_id: bigint;
    calls: string;
    failures: string;
    last_failure: string | null;
    last_failure_at: Date | null;
    circuit_opened_at: Date | null;
  }>`
    select exit_node_id, sum(calls)::text as calls, sum(failures)::text as failures,
      (array_agg(last_failure order by last_failure_at desc nulls last))[1] as last_failure,
      max(last_failure_at) as last_failure_at,
      min(circuit_opened_at) filter (where seen_at > now() - make_interval(secs => ${liveSeconds}::float8))
        as circuit_opened_at
    from exit_node_traffic group by exit_node_id`;
  return rows.map((row) => ({
    nodeId: row.exit_node_id,
    calls: BigInt(row.calls),
    failures: BigInt(row.failures),
    lastFailure: row.last_failure,
    lastFailureAt: row.last_failure_at,
    circuitOpenedAt: row.circuit_opened_at,
  }));
}

/** Merges the counts of replicas that are long gone into one row, so that rows don't pile up and no count is lost. */
export async function foldOldTraffic(db: Queryable): Promise<void> {
  await db.sql`
    with gone as (
      delete from exit_node_traffic where replica_id <> 'earlier' and seen_at < now() - interval '1 day' returning *
    )
    insert into exit_node_traffic as known (exit_node_id, replica_id, calls, failures, last_failure, last_failure_at)
    select exit_node_id, 'earlier', sum(calls), sum(failures),
      (array_agg(last_failure order by last_failure_at desc nulls last))[1], max(last_failure_at)
    from gone group by exit_node_id
    on conflict (exit_node_id, replica_id) do update set calls = known.calls + excluded.calls,
      failures = known.failures + excluded.failures,
      last_failure = case when coalesce(excluded.last_failure_at > known.last_failure_at, known.last_failure_at is null)
        then excluded.last_failure else known.last_failure end,
      last_failure_at = greatest(excluded.last_failure_at, known.last_failure_at), seen_at = now()`;
}
