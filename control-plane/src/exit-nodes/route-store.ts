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

type RouteRow = {
  id: bigint;
  route_code: string;
  gateway_user_id: bigint;
  provider: string;
  model_pattern: string;
  node_code: string | null;
  status: ExitRoute["status"];
  version: number;
  created_at: Date;
  updated_at: Date;
};

function toRoute(row: RouteRow): ExitRoute {
  return {
    id: row.id,
    routeCode: row.route_code,
    gatewayUserId: row.gateway_user_id,
    provider: row.provider,
    modelPattern: row.model_pattern,
    nodeCode: row.node_code,
    status: row.status,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** All routes, or those that a node may serve. */
export async function selectRoutes(db: Queryable, nodeCode: string | null): Promise<ExitRoute[]> {
  const rows = await db.sql<RouteRow>`
    select r.*, n.node_code from exit_node_route r left join exit_node n on n.id = r.exit_node_id
    where ${nodeCode}::text is null or r.exit_node_id is null or n.node_code = ${nodeCode}
    order by r.route_code limit ${routesMax}::int`;
  return rows.map(toRoute);
}

export async function lockRoute(tx: Queryable, routeCode: string): Promise<ExitRoute | null> {
  const [row] = await tx.sql<RouteRow>`
    select r.*, n.node_code from exit_node_route r left join exit_node n on n.id = r.exit_node_id
    where r.route_code = ${routeCode} for update of r`;
  return row === undefined ? null : toRoute(row);
}

export type RouteFields = Pick<
  ExitRoute,
  "routeCode" | "gatewayUserId" | "provider" | "modelPattern" | "nodeCode" | "status"
>;

/** Returns false when the code is taken. */
export async function insertRoute(tx: Queryable, route: RouteFields): Promise<boolean> {
  const rows = await tx.sql`
    insert into exit_node_route (route_code, gateway_user_id, provider, model_pattern, exit_node_id, status)
    values (${route.routeCode}, ${route.gatewayUserId}::bigint, ${route.provider}, ${route.modelPattern},
      (select id from exit_node where node_code = ${route.nodeCode}), ${route.status})
    on conflict (route_code) do nothing returning 1`;
  return rows.length > 0;
}

export async function updateRoute(tx: Queryable, route: RouteFields): Promise<void> {
  await tx.sql`
    update exit_node_route set gateway_user_id = ${route.gatewayUserId}::bigint, provider = ${route.provider},
      model_pattern = ${route.modelPattern}, status = ${route.status},
      exit_node_id = (select id from exit_node where node_code = ${route.nodeCode}),
      version = version + 1, updated_at = now()
    where route_code = ${route.routeCode}`;
}

export async function countRoutes(tx: Queryable): Promise<number> {
  const [row] = await tx.sql<{ routes: bigint }>`select count(*) as routes from exit_node_route`;
  return Number(row?.routes ?? 0n);
}

export async function hasGatewayUser(tx: Queryable, gatewayUserId: bigint): Promise<boolean> {
  return (await tx.sql`select 1 from gateway_user where id = ${gatewayUserId}::bigint`).length > 0;
}
