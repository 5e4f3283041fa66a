import type { ExitAccount } from "./account-store.ts";
import type { DnsResult, ExitNode, HealthResult } from "./model.ts";
import { hostUrlOf } from "./node-address.ts";
import type { ExitRoute } from "./route-store.ts";
import type { TrafficSum } from "./traffic-store.ts";

/** How nodes, accounts and routes appear in responses; the schemas are in `@sluice/contracts/exit-nodes`. */

export function dnsEntry({ resolved, matched, failure, checkedAt }: DnsResult) {
  return { resolved, matched, failure, checked_at: checkedAt };
}

export function healthEntry({ url, httpStatus, ok, latencyMs, failure, checkedAt }: HealthResult) {
  return { url, http_status: httpStatus, ok, latency_ms: latencyMs, failure, checked_at: checkedAt };
}

function trafficEntry(sum: TrafficSum | undefined) {
  return {
    calls: sum?.calls ?? 0n,
    failures: sum?.failures ?? 0n,
    last_failure: sum?.lastFailure ?? null,
    last_failure_at: sum?.lastFailureAt ?? null,
    circuit: sum?.circuitOpenedAt == null ? "closed" : "open",
    circuit_opened_at: sum?.circuitOpenedAt ?? null,
  };
}

/** The facts that are shown together with a node: the names in the secret store, and the observations of replicas. */
export type NodeSurroundings = {
  readonly secretNames: ReadonlySet<string>;
  readonly traffic: ReadonlyMap<bigint, TrafficSum>;
};

export function nodeEntry(node: ExitNode, { secretNames, traffic }: NodeSurroundings) {
  const hostUrl = hostUrlOf(node);
  return {
    id: node.id,
    node_code: node.nodeCode,
    name: node.name,
    region: node.region,
    host: node.host,
    ip: node.ip,
    relay_url: node.relayUrl,
    host_url: hostUrl,
    is_host_form: node.relayUrl === hostUrl,
    relay_key_secret: node.relayKeySecret,
    has_relay_key: secretNames.has(node.relayKeySecret),
    status: node.status,
    weight: node.weight,
    callback_base_url: node.callbackBaseUrl,
    oauth_redirect_path: node.oauthRedirectPath,
    source_node_id: node.sourceNodeId,
    version: node.version,
    is_proven: node.provenAt !== null,
    is_serving: node.isServing,
    switch_streak: node.switchStreak,
    switched_at: node.switchedAt,
    dns: node.dns === null ? null : dnsEntry(node.dns),
    health: node.health === null ? null : healthEntry(node.health),
    report: node.health?.report ?? null,
    traffic: trafficEntry(traffic.get(node.id)),
    archived_at: node.archivedAt,
    created_at: node.createdAt,
    updated_at: node.updatedAt,
  };
}

export function accountEntry(account: ExitAccount) {
  return {
    id: account.id,
    account_code: account.accountCode,
    node_code: account.nodeCode,
    provider: account.provider,
    auth_type: account.authType,
    status: account.status,
    node_account: account.nodeAccount,
    version: account.version,
    created_at: account.createdAt,
    updated_at: account.updatedAt,
  };
}

export function routeEntry(route: ExitRoute) {
  return {
    id: route.id,
    route_code: route.routeCode,
    gateway_user_id: route.gatewayUserId,
    provider: route.provider,
    model_pattern: route.modelPattern,
    node_code: route.nodeCode,
    status: route.status,
    version: route.version,
    created_at: route.createdAt,
    updated_at: route.updatedAt,
  };
}
