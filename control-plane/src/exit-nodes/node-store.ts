import type { Queryable } from "../platform/db.ts";
import type { DnsFailure, DnsResult, ExitNode, HealthFailure, HealthResult, NodeHealth, NodeReport } from "./model.ts";

export const nodesMax = 1_000;

type NodeRow = {
  id: bigint;
  node_code: string;
  name: string;
  region: string;
  host: string;
  ip: string;
  relay_url: string | null;
  relay_key_secret: string;
  status: ExitNode["status"];
  weight: number;
  callback_base_url: string | null;
  oauth_redirect_path: string | null;
  source_node_id: bigint | null;
  version: number;
  dns_checked_at: Date | null;
  dns_matched: boolean | null;
  dns_addresses: string[] | null;
  dns_failure: DnsFailure | null;
  health_checked_at: Date | null;
  health_ok: boolean | null;
  health_http_status: number | null;
  health_latency_ms: number | null;
  health_failure: HealthFailure | null;
  health_details: { url: string | null; report: NodeReport | null } | null;
  proven_at: Date | null;
  is_serving: boolean;
  success_streak: number;
  failure_streak: number;
  switch_streak: number;
  switch_streak_at: Date | null;
  switched_at: Date | null;
  created_at: Date;
  updated_at: Date;
};

function toNode(row: NodeRow): ExitNode {
  return {
    id: row.id,
    nodeCode: row.node_code,
    name: row.name,
    region: row.region,
    host: row.host,
    ip: row.ip,
    relayUrl: row.relay_url,
    relayKeySecret: row.relay_key_secret,
    status: row.status,
    weight: row.weight,
    callbackBaseUrl: row.callback_base_url,
    oauthRedirectPath: row.oauth_redirect_path,
    sourceNodeId: row.source_node_id,
    version: row.version,
    dns: toDns(row),
    health: toHealth(row),
    provenAt: row.proven_at,
    isServing: row.is_serving,
    successStreak: row.success_streak,
    failureStreak: row.failure_streak,
    switchStreak: row.switch_streak,
    switchStreakAt: row.switch_streak_at,
    switchedAt: row.switched_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

function toDns(row: NodeRow): DnsResult | null {
  return row.dns_checked_at === null
    ? null
    : {
        resolved: row.dns_addresses ?? [],
        matched: row.dns_matched === true,
        failure: row.dns_failure,
        checkedAt: row.dns_checked_at,
      };
}

function toHealth(row: NodeRow): HealthResult | null {
  return row.health_checked_at === null
    ? null
    : {
        url: row.health_details?.url ?? null,
        httpStatus: row.health_http_status,
        ok: row.health_ok === true,
        latencyMs: row.health_latency_ms,
        failure: row.health_failure,
        report: row.health_details?.report ?? null,
        checkedAt: row.health_checked_at,
      };
}

export async function selectNodes(db: Queryable): Promise<ExitNode[]> {
  return (await db.sql<NodeRow>`select * from exit_node order by node_code limit ${nodesMax}::int`).map(toNode);
}

export async function findNode(db: Queryable, nodeCode: string): Promise<ExitNode | null> {
  const [row] = await db.sql<NodeRow>`select * from exit_node where node_code = ${nodeCode}`;
  return row === undefined ? null : toNode(row);
}

export async function lockNode(tx: Queryable, nodeCode: string): Promise<ExitNode | null> {
  const [row] = await tx.sql<NodeRow>`select * from exit_node where node_code = ${nodeCode} for update`;
  return row === undefined ? null : toNode(row);
}

/** Enabled nodes whose last check is too long ago: those about to change state are due sooner than those at rest. */
export async function selectDueNodes(
  db: Queryable,
  due: { readonly restingMs: number; readonly movingMs: number; readonly limit: number },
): Promise<ExitNode[]> {
  const rows = await db.sql<NodeRow>`
    select * from exit_node
    where status <> 'disabled' and (dns_checked_at is null or dns_checked_at <= now() - make_interval(secs =>
      case when is_serving and failure_streak = 0 and relay_url like '%//' || host || '%'
        then ${due.restingMs / 1000}::float8 else ${due.movingMs / 1000}::float8 end))
    order by dns_checked_at nulls first limit ${due.limit}::int`;
  return rows.map(toNode);
}

export async function hasNode(db: Queryable, id: bigint): Promise<boolean> {
  return (await db.sql`select 1 from exit_node where id = ${id}::bigint`).length > 0;
}

export async function countNodes(db: Queryable): Promise<number> {
  const [row] = await db.sql<{ nodes: bigint }>`select count(*) as nodes from exit_node`;
  return Number(row?.nodes ?? 0n);
}

export type NodeFields = Pick<
  ExitNode,
  | "nodeCode"
  | "name"
  | "region"
  | "host"
  | "ip"
  | "relayUrl"
  | "relayKeySecret"
  | "status"
  | "weight"
  | "callbackBaseUrl"
  | "oauthRedirectPath"
  | "sourceNodeId"
>;

/** Returns false when the code is taken. */
export async function insertNode(tx: Queryable, node: NodeFields): Promise<boolean> {
  const rows = await tx.sql`
    insert into exit_node (node_code, name, region, host, ip, relay_url, relay_key_secret, status, weight,
      callback_base_url, oauth_redirect_path, source_node_id)
    values (${node.nodeCode}, ${node.name}, ${node.region}, ${node.host}, ${node.ip}, ${node.relayUrl},
      ${node.relayKeySecret}, ${node.status}, ${node.weight}::int, ${node.callbackBaseUrl}, ${node.oauthRedirectPath},
      ${node.sourceNodeId}::bigint)
    on conflict (node_code) do nothing returning 1`;
  return rows.length > 0;
}

/** Changes the node and increments its version. */
export async function updateNode(tx: Queryable, node: NodeFields): Promise<void> {
  await tx.sql`
    update exit_node set name = ${node.name}, region = ${node.region}, host = ${node.host}, ip = ${node.ip},
      relay_url = ${node.relayUrl}, relay_key_secret = ${node.relayKeySecret}, status = ${node.status},
      weight = ${node.weight}::int, callback_base_url = ${node.callbackBaseUrl},
      oauth_redirect_path = ${node.oauthRedirectPath}, source_node_id = ${node.sourceNodeId}::bigint,
      version = version + 1, updated_at = now()
    where node_code = ${node.nodeCode}`;
}

/** Stores the results of checks; this does not count as a change of the node. */
export async function updateChecks(
  tx: Queryable,
  node: { readonly id: bigint; readonly dns: DnsResult | null; readonly health: HealthResult | null },
): Promise<void> {
  const { id, dns, health } = node;
  if (dns !== null) {
    await tx.sql`
      update exit_node set dns_checked_at = ${dns.checkedAt}, dns_matched = ${dns.matched}, dns_failure = ${dns.failure},
        dns_addresses = ${JSON.stringify(dns.resolved)}::text::jsonb
      where id = ${id}::bigint`;
  }
  if (health !== null) {
    await tx.sql`
      update exit_node set health_checked_at = ${health.checkedAt}, health_ok = ${health.ok},
        health_http_status = ${health.httpStatus}::int, health_latency_ms = ${health.latencyMs}::int,
        health_failure = ${health.failure},
        health_details = ${JSON.stringify({ url: health.url, report: health.report })}::text::jsonb
      where id = ${id}::bigint`;
  }
}

export async function updateHealth(tx: Queryable, id: bigint, health: NodeHealth): Promise<void> {
  await tx.sql`
    update exit_node set proven_at = ${health.provenAt}, is_serving = ${health.isServing},
      success_streak = ${health.successStreak}::int, failure_streak = ${health.failureStreak}::int,
      switch_streak = ${health.switchStreak}::int, switch_streak_at = ${health.switchStreakAt},
      switched_at = ${health.switchedAt}
    where id = ${id}::bigint`;
}

/** Clears the results of checks of an address that the node no longer has. */
export async function clearChecks(tx: Queryable, id: bigint): Promise<void> {
  await tx.sql`
    update exit_node set dns_checked_at = null, dns_matched = null, dns_failure = null, dns_addresses = null,
      health_checked_at = null, health_ok = null, health_http_status = null, health_latency_ms = null,
      health_failure = null, health_details = null
    where id = ${id}::bigint`;
}

/** Points the node at another URL. @returns false, without changing anything, when the version differs */
export async function switchRelayUrl(
  tx: Queryable,
  node: { readonly id: bigint; readonly version: number },
  relayUrl: string,
): Promise<boolean> {
  const rows = await tx.sql`
    update exit_node set relay_url = ${relayUrl}, version = version + 1, updated_at = now()
    where id = ${node.id}::bigint and version = ${node.version}::int returning 1`;
  return rows.length > 0;
}
