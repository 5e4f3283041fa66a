import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ReplicaId } from "@sluice/contracts/ids";
import type { AnyElysia } from "elysia";
import { Registry } from "prom-client";
import { type CallHandlers, createApp } from "./app.ts";
import { buildBackend } from "./backend.ts";
import { findAppRole } from "./db/app-role.ts";
import { createMissingPartitions, ensurePartitions, type PartitionedTable } from "./db/partitions.ts";
import { checkDatabase } from "./db/start-checks.ts";
import { parseBaseUrl } from "./gateway/channels/model.ts";
import { silenceSecondsMax } from "./gateway/quota/model.ts";
import { reclaimSilentLeases, releaseLeases } from "./gateway/quota/store.ts";
import type { RealtimeLimits } from "./gateway/realtime/limits.ts";
import { RemoteGateway } from "./gateway/remote/remote-gateway.ts";
import { RemoteRealtime } from "./gateway/remote/remote-realtime.ts";
import { gatewayHandlers } from "./gateway/remote/routes.ts";
import { GatewayRuntime } from "./gateway/runtime.ts";
import type { UsageRow } from "./gateway/usage-log/model.ts";
import { decodeUsageRow, encodeUsageRow } from "./gateway/usage-log/row-codec.ts";
import { type CommitLeases, commitUsageBatch } from "./gateway/usage-log/service.ts";
import { type Job, startJobs } from "./jobs/schedule.ts";
import { ModelMap } from "./messages-compat/model-map.ts";
import { messagesHandler } from "./messages-compat/routes.ts";
import { type LoopLag, watchEventLoop } from "./operations/event-loop-lag.ts";
import { registerGauges } from "./operations/gauges.ts";
import { metricsAccess, operationsRoutes } from "./operations/routes.ts";
import { pageRoutes } from "./pages/routes.ts";
import { CaptureAllowance } from "./platform/answer-capture.ts";
import { systemClock, utcDay } from "./platform/clock.ts";
import { type Config, masterKeySource } from "./platform/config.ts";
import { loadMasterKey, type MasterKey } from "./platform/crypto/master-key.ts";
import { type Database, openDatabase } from "./platform/db.ts";
import { type Notifications, openNotifications } from "./platform/db-notifications.ts";
import { PooledHttpClient } from "./platform/http-client/pooled-client.ts";
import type { Log } from "./platform/log.ts";
import { counter } from "./platform/metric.ts";
import type { DrainOptions } from "./platform/spool/drain.ts";
import { replayOrphans } from "./platform/spool/orphans.ts";
import { isRejectedByDatabase } from "./platform/spool/poison.ts";
import { openSpool, type Spool, type SpoolOptions } from "./platform/spool/spool.ts";
import { WsWebSocketClient } from "./platform/websocket/client.ts";
import { realtimeHandler, relayHandler } from "./relay/routes.ts";
import { RelayService } from "./relay/service.ts";
import type { SpooledTrace } from "./trace/model.ts";
import { commitTraces, TraceService, traceRowCodec } from "./trace/service.ts";

/** The rows of a finished call that the spool keeps until they are in the database. */
type CallRows = { usage: UsageRow; trace: SpooledTrace };

const codecs = {
  usage: { encode: encodeUsageRow, decode: decodeUsageRow },
  trace: traceRowCodec,
};

const loopLagMsMax = 500;
const flushMs = 10_000;
const closeMs = 2_000;
/** The gateway gives an upstream up in its own time and then says so; its relay must still be listening. */
const linkPatienceMs = 20_000;
const payloadsQueuedMax = 20_000;
const linkPurpose = "link between relay and gateway";
const partitionedTables: readonly PartitionedTable[] = [
  "usage_log",
  "trace_record",
  "payload_segment",
  "payload_record",
  "usage_settlement",
];

/** The program, put together and ready to listen. */
export type Program = {
  readonly app: AnyElysia;
  /** Readiness says no from now on, so that no new calls are sent here. */
  beginDrain(): void;
  inFlight(): number;
  /** Commits what is left, gives leases back, closes everything. */
  close(): Promise<void>;
};

type Base = {
  readonly config: Config;
  readonly log: Log;
  readonly masterKey: MasterKey;
  readonly db: Database;
  readonly notifications: Notifications;
  readonly spool: Spool<CallRows>;
  readonly spoolOptions: SpoolOptions<CallRows>;
  readonly registry: Registry;
  readonly lag: LoopLag;
};

/**
 * Opens everything the configuration asks for, brings this replica into step with the database (spool replayed, leases
 * of an earlier life given back), and puts the routes together.
 * @throws whatever keeps the program from working: a bad master key, a database that is away, a folder that can't be written
 */
export async function buildProgram(config: Config, log: Log): Promise<Program> {
  const base = await openBase(config, log);
  await checkDatabase(base);
  const trace = openTrace(base);
  await makePartitions(base.db);
  await trace.start();
  const gateway = config.UPSTREAM_GATEWAY_URL === undefined ? await openGateway(base) : null;
  await bringIntoStep(base, gateway?.leases ?? null);
  await gateway?.start();
  const messagesMap = new ModelMap(base.db, log);
  await messagesMap.start(base.notifications);
  return assemble(base, trace, gateway, messagesMap);
}

async function openBase(config: Config, log: Log): Promise<Base> {
  const masterKey = await loadMasterKey(masterKeySource(config));
  const spoolOptions: SpoolOptions<CallRows> = {
    directory: join(config.DATA_DIR, "spool"),
    codecs,
    bytesMax: config.SPOOL_BYTES_MAX,
    reserveBytes: config.RESERVE_FILE_BYTES,
    onWarning: ({ event, detail }) => log.warn(event, detail),
  };
  const role = await findAppRole(config.DATABASE_URL);
  const db = openDatabase({
    url: config.DATABASE_URL,
    poolMax: config.DATABASE_POOL_MAX,
    applicationName: "sluice",
    role,
  });
  return {
    config,
    log,
    masterKey,
    db,
    notifications: openNotifications(config.DATABASE_URL, log),
    spool: await openSpool(spoolOptions),
    spoolOptions,
    registry: new Registry(),
    lag: watchEventLoop(),
  };
}

function openTrace({ config, db, masterKey, log, spool, registry }: Base): TraceService {
  const stored = counter(registry, "sluice_payloads_stored_total", "Bodies of calls that were stored.");
  const dropped = counter(registry, "sluice_payloads_dropped_total", "Bodies of calls that were dropped.", "reason");
  return new TraceService({
    db,
    masterKey,
    clock: systemClock,
    log,
    append: (row) => {
      spool.append({ kind: "trace", row }).catch((error: unknown) => {
        log.error("trace.row_lost", { requestId: row.requestId, error });
      });
    },
    limits: {
      bodyBytesMax: config.TRACE_MAX_PAYLOAD_BYTES,
      queueBytesMax: config.TRACE_QUEUE_BYTES_MAX,
      queueCountMax: payloadsQueuedMax,
    },
    observer: {
      onStored: (count) => stored(count),
      onDropped: (reason, count) => dropped(count, reason),
    },
  });
}

async function openGateway(base: Base): Promise<GatewayRuntime> {
  const { config, spool } = base;
  return new GatewayRuntime({
    db: base.db,
    notifications: base.notifications,
    usage: {
      append: (row) => spool.append({ kind: "usage", row }),
      isAccepting: () => spool.isAccepting,
    },
    replicaId: spool.replicaId,
    masterKey: base.masterKey,
    ...(await openClients(config)),
    realtimeLimits: realtimeLimits(config),
    upstreamLimits: {
      connectTimeoutMs: config.UPSTREAM_CONNECT_TIMEOUT_MS,
      firstByteTimeoutMs: config.UPSTREAM_FIRST_BYTE_TIMEOUT_MS,
      firstTokenTimeoutMs: config.UPSTREAM_FIRST_TOKEN_TIMEOUT_MS,
      idleTimeoutMs: config.UPSTREAM_IDLE_TIMEOUT_MS,
      totalTimeoutMs: config.UPSTREAM_TOTAL_TIMEOUT_MS,
      responseBytesMax: config.UPSTREAM_RESPONSE_BYTES_MAX,
    },
    streamStallTimeoutMs: config.STREAM_STALL_TIMEOUT_MS,
    clock: systemClock,
    log: base.log,
    registry: base.registry,
  });
}

async function openClients(config: Config): Promise<{ client: PooledHttpClient; sockets: WsWebSocketClient }> {
  const { UPSTREAM_CA_FILE: caFile } = config;
  const ca = caFile === undefined ? null : await readFile(caFile, "utf8");
  return { client: new PooledHttpClient(ca === null ? {} : { tlsCa: ca }), sockets: new WsWebSocketClient(ca) };
}

function realtimeLimits(config: Config): RealtimeLimits {
  return {
    connectTimeoutMs: config.REALTIME_CONNECT_TIMEOUT_MS,
    idleTimeoutMs: config.REALTIME_IDLE_TIMEOUT_MS,
    totalTimeoutMs: config.REALTIME_TOTAL_TIMEOUT_MS,
    recheckMs: config.REALTIME_RECHECK_MS,
    pingMs: config.REALTIME_PING_MS,
    // The rest of the time is for what has to be written down.
    drainTimeoutMs: Math.floor(config.DRAIN_TIMEOUT_MS / 2),
  };
}

/** Commits one batch of rows: usage with its charges, and traces, in one transaction. */
function drainOptions(
  base: Base,
  owner: { readonly replicaId: ReplicaId; readonly leases: CommitLeases | null },
): DrainOptions<CallRows> {
  const { db, log } = base;
  return {
    commit: ({ entries, isReplay, isRetry }) => {
      const usage = entries.flatMap((entry) => (entry.kind === "usage" ? [entry] : []));
      const traces = entries.flatMap((entry) => (entry.kind === "trace" ? [entry.row] : []));
      return commitUsageBatch(
        {
          ...owner,
          db,
          alongside: (tx) => commitTraces(tx, traces),
          createPartitions: (days) => createPartitions(db, [...days, ...traces.map(({ day }) => day)]),
        },
        { rows: usage, isReplay, isRetry },
      );
    },
    isPoison: isRejectedByDatabase,
    onQuarantine: ({ error, text }) => log.error("spool.quarantined", { error, bytes: text.length }),
    onRetry: (error, attempt, delayMs) => log.warn("spool.commit_failed", { error, attempt, delayMs }),
  };
}

/** Rows of an earlier life are committed and its leases given back before any call is let in. */
async function bringIntoStep(base: Base, leases: CommitLeases | null): Promise<void> {
  const { spool, db } = base;
  spool.drain(drainOptions(base, { replicaId: spool.replicaId, leases }));
  db.onReachabilityChange((isReachable) => {
    if (isReachable) {
      spool.wake();
    }
  });
  await spool.replayed;
  await releaseLeases(db, spool.replicaId);
}

async function createPartitions(db: Database, days: Iterable<string>): Promise<void> {
  for (const table of partitionedTables) {
    await createMissingPartitions(db, table, days);
  }
}

async function makePartitions(db: Database): Promise<void> {
  for (const table of partitionedTables) {
    await ensurePartitions(db, { table, today: utcDay(systemClock.now()) });
  }
}

function jobs(base: Base, signal: AbortSignal): Job[] {
  const { spoolOptions } = base;
  const orphans = () =>
    replayOrphans({
      ...spoolOptions,
      drain: (replicaId) => drainOptions(base, { replicaId, leases: null }),
      onReplayed: async (replicaId) => {
        await releaseLeases(base.db, replicaId);
      },
      signal,
    });
  return [
    { name: "partitions", pattern: "0 7 * * * *", run: makePartitions },
    { name: "silent-leases", pattern: "30 * * * * *", run: (db) => reclaimSilentLeases(db, silenceSecondsMax) },
    // Each machine has its own disk; the slots on one are kept apart by their locks.
    { name: "orphans", pattern: "*/20 * * * * *", run: orphans, isPerReplica: true },
  ];
}

function assemble(base: Base, trace: TraceService, gateway: GatewayRuntime | null, models: ModelMap): Program {
  const { config, log, spool, db } = base;
  const bodyLimits = { bytesMax: config.BODY_BYTES_MAX, timeoutMs: config.BODY_TIMEOUT_MS };
  const port = gateway?.pipeline ?? remoteGateway(base, new PooledHttpClient());
  const realtime = gateway?.realtime ?? remoteRealtime(base);
  const relay = new RelayService({
    gateway: port,
    realtime,
    trace,
    clock: systemClock,
    bodyLimits,
    keepsPayloads: config.TRACE_PAYLOADS,
  });
  const edge = { header: config.CLIENT_IP_HEADER ?? null, addresses: config.EDGE_ADDRESSES };
  const streamStallTimeoutMs = config.STREAM_STALL_TIMEOUT_MS;
  const linkKeys = base.masterKey.deriveKeys(linkPurpose);
  const gatewayParts = {
    gateway: port,
    realtime,
    linkKeys,
    streamStallTimeoutMs,
    clock: systemClock,
    edge,
    bodyLimits,
  };
  const stopping = new AbortController();
  const backend = buildBackend(base);
  const work = [...jobs(base, stopping.signal), ...backend.jobs];
  const scheduled = config.ROLES.includes("jobs") ? startJobs(work, db, log) : null;
  if (scheduled !== null) {
    backend.start();
  }
  const routes: AnyElysia[] = [
    operationsRoutes(
      () => unreadyReasons(base, gateway, stopping.signal),
      base.registry,
      metricsAccess(config.METRICS_TOKEN, config.NODE_ENV),
    ),
  ];
  if (config.ROLES.includes("backend")) {
    routes.push(pageRoutes(), ...backend.routes);
  }
  const messagesParts = { relay, models, captures: new CaptureAllowance(), edge, stallTimeoutMs: streamStallTimeoutMs };
  const handlers: CallHandlers | null = config.ROLES.includes("relay")
    ? {
        call: relayHandler(relay, edge, streamStallTimeoutMs),
        messages: messagesHandler({ ...messagesParts, log }),
        realtime: realtimeHandler(relay, edge),
      }
    : config.ROLES.includes("gateway")
      ? gatewayHandlers({ ...gatewayParts, load: relay.load })
      : null;
  registerGauges({ ...base, inFlight: () => relay.load.inFlight });
  return {
    app: createApp(routes, handlers, log, () => stopping.signal.aborted),
    beginDrain: () => {
      stopping.abort();
      realtime.beginDrain();
    },
    inFlight: () => relay.load.inFlight,
    close: async () => {
      scheduled?.stop();
      models.stop();
      await Promise.all([backend.stop(flushMs), realtime.close()]);
      const isEmptied = await spool.flush(flushMs);
      const isReleased = (await gateway?.stop(isEmptied)) ?? isEmptied;
      await trace.close(flushMs);
      await spool.close(isReleased);
      base.lag.stop();
      await base.notifications.close();
      await db.close(closeMs);
    },
  };
}

function remoteGateway(base: Base, client: PooledHttpClient): RemoteGateway {
  const { config } = base;
  return new RemoteGateway({
    client,
    captures: new CaptureAllowance(),
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

function remoteRealtime(base: Base): RemoteRealtime {
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

function unreadyReasons(base: Base, gateway: GatewayRuntime | null, stopping: AbortSignal): string[] {
  const reasons: [boolean, string][] = [
    [stopping.aborted, "shutting down"],
    [!base.db.isReachable(), "the database can't be reached"],
    [!base.spool.isAccepting, "usage can't be recorded"],
    [base.lag.p99Ms() > loopLagMsMax, "the event loop is late"],
    [gateway !== null && !gateway.hasCatalog(), "no catalog is loaded"],
  ];
  return reasons.filter(([isSo]) => isSo).map(([, reason]) => reason);
}
