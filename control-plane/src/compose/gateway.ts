import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { nodeAddressRule } from "../exit-nodes/exit-nodes.ts";
import { keepTraffic } from "../exit-nodes/service.ts";
import { BodyRoom } from "../gateway/body-room.ts";
import { parseBaseUrl } from "../gateway/channels/model.ts";
import type { RealtimeLimits } from "../gateway/realtime/limits.ts";
import { RemoteGateway } from "../gateway/remote/remote-gateway.ts";
import { RemoteRealtime } from "../gateway/remote/remote-realtime.ts";
import type { SharedAnswers } from "../gateway/response-cache/model.ts";
import { DatabaseAnswers } from "../gateway/response-cache/shared/database-answers.ts";
import { GuardedAnswers } from "../gateway/response-cache/shared/guarded-answers.ts";
import { RedisAnswers } from "../gateway/response-cache/shared/redis-answers.ts";
import { GatewayRuntime, type GatewayRuntimeDeps } from "../gateway/runtime.ts";
import { openUpstreamGuard } from "../platform/address-guard.ts";
import { CaptureAllowance } from "../platform/answer-capture.ts";
import { systemClock } from "../platform/clock.ts";
import type { Config } from "../platform/config.ts";
import { keyIdOf, SealingKey } from "../platform/crypto/sealing-key.ts";
import { counter } from "../platform/metric.ts";
import { WsWebSocketClient } from "../platform/websocket/client.ts";
import type { Base } from "./base.ts";
import { cacheRules } from "./setting-rules.ts";
import { openAsideConversions, parseAside } from "./side-thread.ts";

/** The purpose of the derived key that authenticates the link between a relay and a remote gateway. */
export const linkPurpose = "link between relay and gateway";
/** The gateway times an upstream out by itself and then reports it, so its relay must wait longer. */
const linkPatienceMs = 20_000;

/** How many bytes to read from an upstream after its client has left: room for a few pictures. */
const abortedUsageBytesMax = 16 * 1024 * 1024;

/** The gateway of this process, not yet started. */
export function openGateway(base: Base, exportCall: GatewayRuntimeDeps["exportCall"]): GatewayRuntime {
  const { config, spool } = base;
  return new GatewayRuntime({
    db: base.db,
    notifications: base.notifications,
    usage: {
      append: (row, waiter) => spool.appendFor({ kind: "usage", row }, waiter),
      isAccepting: () => spool.isAccepting,
    },
    replicaId: spool.replicaId,
    leaseTermMs: config.LEASE_TERM_MS,
    leaseKeptMs: config.LEASE_KEPT_MS,
    masterKey: base.masterKey,
    ...openClients(base),
    realtimeLimits: realtimeLimits(config),
    cacheRules: () => cacheRules(base.settings.values),
    sharedAnswers: openSharedAnswers(base),
    isNodeAddressAllowed: nodeAddressRule(config),
    keepExitTraffic: (seen) => keepTraffic(base.db, spool.replicaId, seen),
    upstreamLimits: {
      connectTimeoutMs: config.UPSTREAM_CONNECT_TIMEOUT_MS,
      firstByteTimeoutMs: config.UPSTREAM_FIRST_BYTE_TIMEOUT_MS,
      firstTokenTimeoutMs: config.UPSTREAM_FIRST_TOKEN_TIMEOUT_MS,
      idleTimeoutMs: config.UPSTREAM_IDLE_TIMEOUT_MS,
      totalTimeoutMs: config.UPSTREAM_TOTAL_TIMEOUT_MS,
      responseBytesMax: config.UPSTREAM_RESPONSE_BYTES_MAX,
      afterAbort: { timeoutMs: config.ABORTED_USAGE_TIMEOUT_MS, bytesMax: abortedUsageBytesMax },
    },
    parseAside: (order) => parseAside(base.aside, order),
    aside: openAsideConversions(base.aside),
    bodyRoom: openBodyRoom(config),
    unpaidPerHour: config.UNPAID_CALLS_PER_HOUR === 0 ? null : config.UNPAID_CALLS_PER_HOUR,
    isSentRetried: config.UPSTREAM_RETRY_SENT,
    streamStallTimeoutMs: config.STREAM_STALL_TIMEOUT_MS,
    clock: systemClock,
    log: base.log,
    registry: base.registry,
    exportCall,
  });
}

/** Where replicas share cached responses; null where each process has its own. */
function openSharedAnswers({ config, db, log, masterKey, registry }: Base): SharedAnswers | null {
  const { RESPONSE_CACHE_STORE: kind, RESPONSE_CACHE_URL: url, RESPONSE_CACHE_BYTES_MAX: bytesMax } = config;
  if (kind === "memory") {
    return null;
  }
  const failures = counter(registry, "sluice_response_cache_store_failures_total", "Failures of its store.", "reason");
  const secret = masterKey.deriveKey("cached responses");
  return new GuardedAnswers({
    store: kind === "redis" ? new RedisAnswers(url ?? "") : new DatabaseAnswers(db, bytesMax),
    key: new SealingKey(keyIdOf(secret), secret),
    clock: systemClock,
    log,
    onFailure: (reason) => failures(1, reason),
  });
}

/** One body of the maximum size always fits. */
function openBodyRoom(config: Config): BodyRoom {
  return new BodyRoom({
    bytesMax: Math.max(config.BODIES_BYTES_MAX, config.BODY_BYTES_MAX),
    userBytesMax: Math.max(config.BODIES_USER_BYTES_MAX, config.BODY_BYTES_MAX),
  });
}

function openClients({ config, log, upstreamCa: ca }: Base): { client: PooledHttpClient; sockets: WsWebSocketClient } {
  const guard = openUpstreamGuard(config, log);
  const client = new PooledHttpClient({ guard, ...(ca === null ? {} : { tlsCa: ca }) });
  return { client, sockets: new WsWebSocketClient(ca, guard) };
}

function realtimeLimits(config: Config): RealtimeLimits {
  return {
    connectTimeoutMs: config.REALTIME_CONNECT_TIMEOUT_MS,
    idleTimeoutMs: config.REALTIME_IDLE_TIMEOUT_MS,
    totalTimeoutMs: config.REALTIME_TOTAL_TIMEOUT_MS,
    recheckMs: config.REALTIME_RECHECK_MS,
    pingMs: config.REALTIME_PING_MS,
    // The rest of the time is left for recording the calls that ended.
    drainTimeoutMs: Math.floor(config.DRAIN_TIMEOUT_MS / 2),
  };
}

/** The gateway in another process, at UPSTREAM_GATEWAY_URL. */
export function remoteGateway(base: Base, client: PooledHttpClient): RemoteGateway {
  const { config } = base;
  return new RemoteGateway({
    client,
    captures: new CaptureAllowance(),
    bodyRoom: openBodyRoom(config),
    address: parseBaseUrl(config.UPSTREAM_GATEWAY_URL ?? ""),
    linkKey: base.masterKey.deriveKey(linkPurpose),
    limits: {
      connectTimeoutMs: config.UPSTREAM_CONNECT_TIMEOUT_MS,
      firstByteTimeoutMs: config.UPSTREAM_FIRST_BYTE_TIMEOUT_MS + linkPatienceMs,
      idleTimeoutMs: config.UPSTREAM_IDLE_TIMEOUT_MS + linkPatienceMs,
      totalTimeoutMs: config.UPSTREAM_TOTAL_TIMEOUT_MS + linkPatienceMs,
      responseBytesMax: config.UPSTREAM_RESPONSE_BYTES_MAX,
    },
    streamStallTimeoutMs: config.STREAM_STALL_TIMEOUT_MS,
    tick: systemClock.tick,
  });
}

/** Websockets to the gateway at UPSTREAM_GATEWAY_URL. */
export function remoteRealtime(base: Base): RemoteRealtime {
  const { connectTimeoutMs, drainTimeoutMs } = realtimeLimits(base.config);
  return new RemoteRealtime({
    sockets: new WsWebSocketClient(),
    captures: new CaptureAllowance(),
    address: parseBaseUrl(base.config.UPSTREAM_GATEWAY_URL ?? ""),
    linkKey: base.masterKey.deriveKey(linkPurpose),
    connectTimeoutMs,
    drainTimeoutMs,
    clock: systemClock,
  });
}
