import type { SaveExitRouteInput } from "@sluice/contracts/exit-nodes";
import type { AuditOrigin } from "../admin/audit/model.ts";
import { audit } from "../admin/audit/service.ts";
import type { Transaction } from "../platform/db.ts";
import { takeAdvisoryLock } from "../platform/db-locks.ts";
import { AppError, doesNotExist } from "../platform/errors.ts";
import type { ExitNodeDeps } from "./node-deps.ts";
import { findNode } from "./node-store.ts";
import {
  countRoutes,
  type ExitRoute,
  hasGatewayUser,
  insertRoute,
  lockRoute,
  type RouteFields,
  routesMax,
  updateRoute,
} from "./route-store.ts";

type SaveRequest = { readonly input: SaveExitRouteInput; readonly changer: AuditOrigin };

/**
 * Creates a route, or changes it; repeating a request changes nothing.
 * @throws AppError `invalid_value`, `version_conflict`
 */
export async function saveRoute(deps: ExitNodeDeps, { input, changer }: SaveRequest): Promise<ExitRoute> {
  return await deps.db.withTransaction(async (tx) => {
    await takeAdvisoryLock(tx, `exit-route:${input.route_code}`);
    const before = await lockRoute(tx, input.route_code);
    const fields = mergeRoute(before, input);
    if (before !== null && isEqualRoute(before, fields)) {
      return before;
    }
    if (input.version !== undefined && input.version !== before?.version) {
      throw new AppError("version_conflict");
    }
    await checkReferences(tx, fields);
    await writeRoute(tx, fields, before);
    const after = await lockRoute(tx, input.route_code);
    if (after === null) {
      throw new Error(`route ${input.route_code} is missing after it was saved`);
    }
    await deps.channels.alignAbilities(tx);
    await audit(tx, changer, "exit-node.route.save", {
      subjectKind: "exit-node-route",
      subjectId: after.routeCode,
      before,
      after,
    });
    return after;
  });
}

function mergeRoute(before: ExitRoute | null, input: SaveExitRouteInput): RouteFields {
  const requested = {
    gateway_user_id: input.gateway_user_id === undefined ? before?.gatewayUserId : BigInt(input.gateway_user_id),
    provider: input.provider ?? before?.provider,
    model_pattern: input.model_pattern ?? before?.modelPattern,
  };
  const { gateway_user_id: gatewayUserId, provider, model_pattern: modelPattern } = requested;
  if (gatewayUserId === undefined || provider === undefined || modelPattern === undefined) {
    const missing = Object.entries(requested).flatMap(([name, value]) =>
      value === undefined ? [[name, "Required for a new route."]] : [],
    );
    throw new AppError("invalid_value", { fields: Object.fromEntries(missing) });
  }
  return {
    routeCode: input.route_code,
    gatewayUserId,
    provider,
    modelPattern,
    nodeCode: input.node_code === undefined ? (before?.nodeCode ?? null) : input.node_code,
    status: input.status ?? before?.status ?? "testing",
  };
}

function isEqualRoute(before: ExitRoute, fields: RouteFields): boolean {
  return (Object.keys(fields) as (keyof RouteFields)[]).every((name) => before[name] === fields[name]);
}

async function checkReferences(tx: Transaction, { gatewayUserId, nodeCode }: RouteFields): Promise<void> {
  if (!(await hasGatewayUser(tx, gatewayUserId))) {
    throw new AppError("invalid_value", { fields: { gateway_user_id: doesNotExist("gateway user") } });
  }
  if (nodeCode !== null && (await findNode(tx, nodeCode)) === null) {
    throw new AppError("invalid_value", { fields: { node_code: doesNotExist("exit node") } });
  }
}

async function writeRoute(tx: Transaction, fields: RouteFields, before: ExitRoute | null): Promise<void> {
  if (before !== null) {
    await updateRoute(tx, fields);
    return;
  }
  if ((await countRoutes(tx)) >= routesMax) {
    throw new AppError("invalid_value", { fields: { route_code: `There are already ${routesMax} routes.` } });
  }
  // Another request may have created it since our check.
  if (!(await insertRoute(tx, fields))) {
    throw new AppError("version_conflict");
  }
}
