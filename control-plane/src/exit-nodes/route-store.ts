import { asc, eq, isNull, or, sql } from "drizzle-orm";
import { countOfRows, now, plusOne } from "../db/expressions.ts";
import { exitNode, exitNodeRoute as route } from "../db/schema/exit-nodes.ts";
import { gatewayUser } from "../db/schema/gateway-keys.ts";
import type { Queryable } from "../platform/db.ts";

export const routesMax = 5_000;

export type ExitRoute = {
  readonly id: bigint;
  readonly routeCode: string;
  readonly gatewayUserId: bigint;
  readonly provider: string;
  readonly modelPattern: string;
  readonly nodeCode: string | null;
  readonly status: "testing" | "active" | "disabled";
  readonly version: number;
  readonly createdAt: Date;
  readonly updatedAt: Date;
};

const selectAll = (db: Queryable) =>
  db.drizzle
    .select({
      id: route.id,
      routeCode: route.routeCode,
      gatewayUserId: route.gatewayUserId,
      provider: route.provider,
      modelPattern: route.modelPattern,
      nodeCode: exitNode.nodeCode,
      status: route.status,
      version: route.version,
      createdAt: route.createdAt,
      updatedAt: route.updatedAt,
    })
    .from(route)
    .leftJoin(exitNode, eq(exitNode.id, route.exitNodeId));

/** All routes, or those that a node may serve. */
export async function selectRoutes(db: Queryable, nodeCode: string | null): Promise<ExitRoute[]> {
  return await selectAll(db)
    .where(nodeCode === null ? undefined : or(isNull(route.exitNodeId), eq(exitNode.nodeCode, nodeCode)))
    .orderBy(asc(route.routeCode))
    .limit(routesMax);
}

export async function lockRoute(tx: Queryable, routeCode: string): Promise<ExitRoute | null> {
  const [row] = await selectAll(tx).where(eq(route.routeCode, routeCode)).for("update", { of: route });
  return row ?? null;
}

export type RouteFields = Pick<
  ExitRoute,
  "routeCode" | "gatewayUserId" | "provider" | "modelPattern" | "nodeCode" | "status"
>;

const toColumns = (tx: Queryable, { gatewayUserId, provider, modelPattern, nodeCode, status }: RouteFields) => {
  const node = tx.drizzle
    .select({ id: exitNode.id })
    .from(exitNode)
    .where(eq(exitNode.nodeCode, nodeCode ?? ""));
  return { gatewayUserId, provider, modelPattern, status, exitNodeId: nodeCode === null ? null : sql`(${node})` };
};

/** Returns false when the code is taken. */
export async function insertRoute(tx: Queryable, fields: RouteFields): Promise<boolean> {
  const rows = await tx.drizzle
    .insert(route)
    .values({ routeCode: fields.routeCode, ...toColumns(tx, fields) })
    .onConflictDoNothing({ target: route.routeCode })
    .returning({ id: route.id });
  return rows.length > 0;
}

export async function updateRoute(tx: Queryable, fields: RouteFields): Promise<void> {
  await tx.drizzle
    .update(route)
    .set({ ...toColumns(tx, fields), version: plusOne(route.version), updatedAt: now })
    .where(eq(route.routeCode, fields.routeCode));
}

export async function countRoutes(tx: Queryable): Promise<number> {
  const [row] = await tx.drizzle.select({ routes: countOfRows }).from(route);
  return row?.routes ?? 0;
}

export async function hasGatewayUser(tx: Queryable, gatewayUserId: bigint): Promise<boolean> {
  const rows = await tx.drizzle
    .select({ id: gatewayUser.id })
    .from(gatewayUser)
    .where(eq(gatewayUser.id, gatewayUserId));
  return rows.length > 0;
}
