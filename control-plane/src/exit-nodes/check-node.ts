import type { AuditOrigin } from "../admin/audit/model.ts";
import { audit } from "../admin/audit/service.ts";
import { recordEvent } from "../events/service.ts";
import type { Queryable, Transaction } from "../platform/db.ts";
import { AppError, notFound } from "../platform/errors.ts";
import { checkDns } from "./dns-check.ts";
import { checkHealth } from "./health-check.ts";
import {
  afterHealth,
  afterHostCheck,
  afterSwitch,
  type DnsResult,
  type ExitNode,
  type HealthResult,
  maySwitch,
  type NodeHealth,
} from "./model.ts";
import { hostUrlOf } from "./node-address.ts";
import { type ExitNodeDeps, syncChannel } from "./node-deps.ts";
import { findNode, lockNode, switchRelayUrl, updateChecks, updateHealth } from "./node-store.ts";

/** The findings of a check. Nothing is stored yet, and the node may have changed meanwhile. */
type Probe = {
  readonly node: ExitNode;
  readonly relayKey: string | null;
  readonly dns: DnsResult;
  /** The result for the current address; null while there is none. */
  readonly current: HealthResult | null;
  /**
   * The result for the host form, which is checked only while the name resolves correctly and the host form is not used
   * yet.
   */
  readonly host: HealthResult | null;
};

export type CheckedNode = { readonly node: ExitNode; readonly dns: DnsResult; readonly health: HealthResult };

/** `ask` counts towards a switch like the job's checks; `switch` is an admin's request to switch now. */
export type CheckMode = "ask" | "switch";

/** @throws AppError `not_found` */
export async function requireNode(db: Queryable, nodeCode: string): Promise<ExitNode> {
  const node = await findNode(db, nodeCode);
  if (node === null) {
    throw notFound("exit node");
  }
  return node;
}

/**
 * The rule for the switch. DNS first: a name that does not resolve to exactly the node's address changes nothing. Then
 * the health of the host form of the URL is checked, at exactly that address. Only if all checks pass does `relay_url`
 * become the host form, and only if the node was not changed meanwhile.
 * @throws AppError `not_found`, `version_conflict`; with `switch` also `dns_mismatch` and `health_failed`
 */
export async function checkNode(
  deps: ExitNodeDeps,
  wanted: { readonly nodeCode: string; readonly version?: number | undefined; readonly mode: CheckMode },
  changer: AuditOrigin,
): Promise<CheckedNode> {
  const node = await requireNode(deps.db, wanted.nodeCode);
  if (wanted.version !== undefined && wanted.version !== node.version) {
    throw new AppError("version_conflict");
  }
  const probe = await probeNode(deps, node);
  const checked = await deps.db.withTransaction((tx) => applyProbe(deps, tx, { probe, mode: wanted.mode, changer }));
  if (wanted.mode === "switch" && checked.node.relayUrl !== hostUrlOf(checked.node)) {
    throw notSwitched(probe);
  }
  return checked;
}

/**
 * Checks only the DNS, the first step of the rule. The result for a node that changed meanwhile is returned, but not
 * stored.
 */
export async function checkNodeDns(deps: ExitNodeDeps, nodeCode: string): Promise<{ node: ExitNode; dns: DnsResult }> {
  const node = await requireNode(deps.db, nodeCode);
  const dns = await checkDns(node.host, node.ip, deps.dns);
  await deps.db.withTransaction(async (tx) => {
    const locked = await lockNode(tx, nodeCode);
    if (locked !== null && locked.version === node.version) {
      await updateChecks(tx, { id: locked.id, dns, health: null });
      if (!dns.matched) {
        await updateHealth(tx, locked.id, afterHostCheck(locked, { dns, health: null }, deps.switching.spacingMs));
      }
    }
  });
  return { node, dns };
}

/** The error that explains why a requested switch did not happen. */
export function notSwitched({ dns, host }: { dns: DnsResult; host: HealthResult | null }): AppError {
  return dns.matched
    ? new AppError("health_failed", { internal: { failure: host?.failure, status: host?.httpStatus } })
    : new AppError("dns_mismatch", { internal: { resolved: dns.resolved, failure: dns.failure } });
}

async function probeNode(deps: ExitNodeDeps, node: ExitNode): Promise<Probe> {
  const { nodeCode, ip: address, relayUrl } = node;
  const [relayKey, dns] = await Promise.all([
    deps.keys.read(node.relayKeySecret),
    checkDns(node.host, node.ip, deps.dns),
  ]);
  const ask = (url: string) => checkHealth({ nodeCode, url, address, relayKey }, deps.health);
  const hostUrl = hostUrlOf(node);
  const [current, host] = await Promise.all([
    relayUrl === null ? null : ask(relayUrl),
    dns.matched && relayUrl !== hostUrl ? ask(hostUrl) : null,
  ]);
  return { node, relayKey, dns, current, host };
}

async function applyProbe(
  deps: ExitNodeDeps,
  tx: Transaction,
  what: { readonly probe: Probe; readonly mode: CheckMode; readonly changer: AuditOrigin },
): Promise<CheckedNode> {
  const { probe, mode, changer } = what;
  const { node, relayKey, dns, current, host } = probe;
  const locked = await lockNode(tx, node.nodeCode);
  if (locked === null || locked.version !== node.version) {
    throw new AppError("version_conflict");
  }
  let health: NodeHealth = current === null ? locked : afterHealth(locked, current);
  const isHostForm = node.relayUrl === hostUrlOf(node);
  if (!isHostForm) {
    health = afterHostCheck(health, { dns, health: host }, deps.switching.spacingMs);
  }
  const isGood = dns.matched && host?.ok === true;
  const isSwitched = isGood && (mode === "switch" || maySwitch(health, deps.switching, deps.now()));
  if (isSwitched) {
    await switchToHost(tx, { probe, changer });
    health = afterSwitch(health, deps.now());
  }
  const shown = host ?? current ?? nothingToAsk(deps.now());
  await updateChecks(tx, { id: locked.id, dns, health: shown });
  await updateHealth(tx, locked.id, health);
  const after = await lockNode(tx, node.nodeCode);
  if (after === null) {
    throw new Error(`node ${node.nodeCode} is missing after it was checked`);
  }
  await syncChannel(deps, tx, after, isSwitched || current?.ok === true ? relayKey : null);
  await reportChange(tx, locked, after);
  logChange(deps, locked, after);
  return { node: after, dns, health: shown };
}

async function switchToHost(
  tx: Transaction,
  { probe, changer }: { readonly probe: Probe; readonly changer: AuditOrigin },
): Promise<void> {
  const { node, dns, host } = probe;
  const relayUrl = hostUrlOf(node);
  if (!(await switchRelayUrl(tx, node, relayUrl))) {
    throw new AppError("version_conflict");
  }
  await audit(tx, changer, "exit-node.switch", {
    subjectKind: "exit-node",
    subjectId: node.nodeCode,
    before: { relay_url: node.relayUrl, version: node.version },
    after: {
      relay_url: relayUrl,
      version: node.version + 1,
      ip: node.ip,
      resolved: dns.resolved,
      http_status: host?.httpStatus,
      latency_ms: host?.latencyMs,
    },
  });
}

function nothingToAsk(now: Date): HealthResult {
  return {
    url: null,
    httpStatus: null,
    ok: false,
    latencyMs: null,
    failure: "no_relay_url",
    report: null,
    checkedAt: now,
  };
}

async function reportChange(tx: Transaction, before: ExitNode, after: ExitNode): Promise<void> {
  if (before.isServing === after.isServing) {
    return;
  }
  const { nodeCode: node, health } = after;
  const about = { gatewayUserId: null, cause: `node:${node}` };
  if (after.isServing) {
    await recordEvent(tx, { type: "node.recovered", ...about, data: { node } });
  } else {
    await recordEvent(tx, { type: "node.lost", ...about, data: { node, failure: health?.failure ?? null } });
  }
}

function logChange({ log }: ExitNodeDeps, before: ExitNode, after: ExitNode): void {
  const { nodeCode, relayUrl, health, dns } = after;
  if (before.isServing !== after.isServing) {
    const event = after.isServing ? "exit_node.up" : "exit_node.down";
    log[after.isServing ? "info" : "error"](event, { node: nodeCode, failure: health?.failure ?? null });
  }
  if (before.relayUrl !== relayUrl) {
    log.info("exit_node.switched", { node: nodeCode, relayUrl });
  }
  if (before.dns?.matched !== false && dns?.matched === false) {
    log.warn("exit_node.dns_mismatch", { node: nodeCode, resolved: dns.resolved.join(" "), failure: dns.failure });
  }
}
