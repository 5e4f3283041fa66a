import { and, asc, eq, type InferSelectModel, isNull, ne, or, sql } from "drizzle-orm";
import { countOfRows, now, plusOne } from "../db/expressions.ts";
import { exitNode } from "../db/schema/exit-nodes.ts";
import type { Queryable } from "../platform/db.ts";
import type { DnsFailure, DnsResult, ExitNode, HealthFailure, HealthResult, NodeHealth, NodeReport } from "./model.ts";

export const nodesMax = 1_000;

type NodeRow = InferSelectModel<typeof exitNode>;
type HealthDetails = { readonly url: string | null; readonly report: NodeReport | null };

function toNode(row: NodeRow): ExitNode {
  const { dnsCheckedAt, dnsMatched, dnsAddresses, dnsFailure, ...rest } = row;
  const { healthCheckedAt, healthOk, healthHttpStatus, healthLatencyMs, healthFailure, healthDetails, ...node } = rest;
  return { ...node, dns: toDns(row), health: toHealth(row) };
}

function toDns(row: NodeRow): DnsResult | null {
  return row.dnsCheckedAt === null
    ? null
    : {
        resolved: row.dnsAddresses ?? [],
        matched: row.dnsMatched === true,
        failure: row.dnsFailure as DnsFailure | null,
        checkedAt: row.dnsCheckedAt,
      };
}

function toHealth(row: NodeRow): HealthResult | null {
  const details = row.healthDetails as HealthDetails | null;
  return row.healthCheckedAt === null
    ? null
    : {
        url: details?.url ?? null,
        httpStatus: row.healthHttpStatus,
        ok: row.healthOk === true,
        latencyMs: row.healthLatencyMs,
        failure: row.healthFailure as HealthFailure | null,
        report: details?.report ?? null,
        checkedAt: row.healthCheckedAt,
      };
}

export async function selectNodes(db: Queryable): Promise<ExitNode[]> {
  return (await db.drizzle.select().from(exitNode).orderBy(asc(exitNode.nodeCode)).limit(nodesMax)).map(toNode);
}

export async function findNode(db: Queryable, nodeCode: string): Promise<ExitNode | null> {
  const [row] = await db.drizzle.select().from(exitNode).where(eq(exitNode.nodeCode, nodeCode));
  return row === undefined ? null : toNode(row);
}

export async function lockNode(tx: Queryable, nodeCode: string): Promise<ExitNode | null> {
  const [row] = await tx.drizzle.select().from(exitNode).where(eq(exitNode.nodeCode, nodeCode)).for("update");
  return row === undefined ? null : toNode(row);
}

/**
 * Enabled nodes whose last check is too long ago. Nodes that are about to change state are due sooner than stable ones.
 */
export async function selectDueNodes(
  db: Queryable,
  due: { readonly restingMs: number; readonly movingMs: number; readonly limit: number },
): Promise<ExitNode[]> {
  const isAtRest = sql`${exitNode.isServing} and ${exitNode.failureStreak} = 0
    and ${exitNode.relayUrl} like '%//' || ${exitNode.host} || '%'`;
  const seconds = sql`case when ${isAtRest} then ${due.restingMs / 1000}::float8 else ${due.movingMs / 1000}::float8 end`;
  const isOld = sql`${exitNode.dnsCheckedAt} <= now() - make_interval(secs => ${seconds})`;
  const rows = await db.drizzle
    .select()
    .from(exitNode)
    .where(and(ne(exitNode.status, "disabled"), or(isNull(exitNode.dnsCheckedAt), isOld)))
    .orderBy(sql`${exitNode.dnsCheckedAt} nulls first`)
    .limit(due.limit);
  return rows.map(toNode);
}

export async function hasNode(db: Queryable, id: bigint): Promise<boolean> {
  return (await db.drizzle.select({ id: exitNode.id }).from(exitNode).where(eq(exitNode.id, id))).length > 0;
}

export async function countNodes(db: Queryable): Promise<number> {
  const [row] = await db.drizzle.select({ nodes: countOfRows }).from(exitNode);
  return row?.nodes ?? 0;
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

/** Selects the columns of a node from an object that may have other fields. */
const toColumns = (node: NodeFields): NodeFields => ({
  nodeCode: node.nodeCode,
  name: node.name,
  region: node.region,
  host: node.host,
  ip: node.ip,
  relayUrl: node.relayUrl,
  relayKeySecret: node.relayKeySecret,
  status: node.status,
  weight: node.weight,
  callbackBaseUrl: node.callbackBaseUrl,
  oauthRedirectPath: node.oauthRedirectPath,
  sourceNodeId: node.sourceNodeId,
});

/** Returns false when the code is taken. */
export async function insertNode(tx: Queryable, node: NodeFields): Promise<boolean> {
  const rows = await tx.drizzle
    .insert(exitNode)
    .values(toColumns(node))
    .onConflictDoNothing({ target: exitNode.nodeCode })
    .returning({ id: exitNode.id });
  return rows.length > 0;
}

/** Changes the node and increments its version. */
export async function updateNode(tx: Queryable, node: NodeFields): Promise<void> {
  const { nodeCode, ...to } = toColumns(node);
  await tx.drizzle
    .update(exitNode)
    .set({ ...to, version: plusOne(exitNode.version), updatedAt: now })
    .where(eq(exitNode.nodeCode, nodeCode));
}

/** Stores the results of checks; this does not count as a change of the node. */
export async function updateChecks(
  tx: Queryable,
  node: { readonly id: bigint; readonly dns: DnsResult | null; readonly health: HealthResult | null },
): Promise<void> {
  const { id, dns, health } = node;
  const dnsColumns =
    dns === null
      ? {}
      : {
          dnsCheckedAt: dns.checkedAt,
          dnsMatched: dns.matched,
          dnsFailure: dns.failure,
          dnsAddresses: dns.resolved,
        };
  const healthColumns =
    health === null
      ? {}
      : {
          healthCheckedAt: health.checkedAt,
          healthOk: health.ok,
          healthHttpStatus: health.httpStatus,
          healthLatencyMs: health.latencyMs,
          healthFailure: health.failure,
          healthDetails: { url: health.url, report: health.report } satisfies HealthDetails,
        };
  if (dns !== null || health !== null) {
    await tx.drizzle
      .update(exitNode)
      .set({ ...dnsColumns, ...healthColumns })
      .where(eq(exitNode.id, id));
  }
}

export async function updateHealth(tx: Queryable, id: bigint, health: NodeHealth): Promise<void> {
  const { provenAt, isServing, successStreak, failureStreak, switchStreak, switchStreakAt, switchedAt } = health;
  await tx.drizzle
    .update(exitNode)
    .set({ provenAt, isServing, successStreak, failureStreak, switchStreak, switchStreakAt, switchedAt })
    .where(eq(exitNode.id, id));
}

/** Clears the results of checks of an address that the node no longer has. */
export async function clearChecks(tx: Queryable, id: bigint): Promise<void> {
  await tx.drizzle
    .update(exitNode)
    .set({
      dnsCheckedAt: null,
      dnsMatched: null,
      dnsFailure: null,
      dnsAddresses: null,
      healthCheckedAt: null,
      healthOk: null,
      healthHttpStatus: null,
      healthLatencyMs: null,
      healthFailure: null,
      healthDetails: null,
    })
    .where(eq(exitNode.id, id));
}

/** Points the node at another URL. @returns false, without changing anything, when the version differs */
export async function switchRelayUrl(
  tx: Queryable,
  node: { readonly id: bigint; readonly version: number },
  relayUrl: string,
): Promise<boolean> {
  const rows = await tx.drizzle
    .update(exitNode)
    .set({ relayUrl, version: plusOne(exitNode.version), updatedAt: now })
    .where(and(eq(exitNode.id, node.id), eq(exitNode.version, node.version)))
    .returning({ id: exitNode.id });
  return rows.length > 0;
}
