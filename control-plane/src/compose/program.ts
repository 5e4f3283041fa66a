import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { sealedColumns } from "../admin/master-key/sealed-columns.ts";
import { type App, type AppRoutes, type CallHandlers, createApp } from "../app.ts";
import { checkDatabase } from "../db/start-checks.ts";
import type { FrontWork } from "../front/model.ts";
import { LeaseUpkeep } from "../gateway/quota/lease-upkeep.ts";
import { gatewayHandlers } from "../gateway/remote/routes.ts";
import type { GatewayRuntime } from "../gateway/runtime.ts";
import type { ExportedCall } from "../gateway/telemetry.ts";
import { ModelMap } from "../messages-compat/model-map.ts";
import { messagesHandler } from "../messages-compat/routes.ts";
import { registerGauges } from "../operations/gauges.ts";
import { peerStatusRoutes } from "../operations/peer-status.ts";
import { metricsAccess, operationsRoutes, type Probes } from "../operations/routes.ts";
import { systemClock } from "../platform/clock.ts";
import { type Config, publicBaseUrl } from "../platform/config.ts";
import type { Late } from "../platform/late.ts";
import type { Log } from "../platform/log.ts";
import { type Job, startJobs } from "../platform/schedule-jobs.ts";
import { realtimeHandler, relayHandler } from "../relay/routes.ts";
import { RelayService } from "../relay/service.ts";
import type { TraceService } from "../trace/service.ts";
import { type Base, makePartitions, openBase, openTrace } from "./base.ts";
import { clientSettings } from "./client-settings.ts";
import { frontWork } from "./front.ts";
import { linkPurpose, openGateway, remoteGateway, remoteRealtime } from "./gateway.ts";
import { lateBackend, type OpenBackend } from "./late-backend.ts";
import { openSite } from "./site.ts";
import { catchUp, orphansJob } from "./spool.ts";
import { openTelemetry } from "./telemetry.ts";
import { buildWork } from "./work.ts";

const loopLagMsMax = 500;
const flushMs = 10_000;
const closeMs = 2_000;

/** The program, wired up and ready to listen. */
export type Program = {
  readonly app: App;
  /** What a front would serve, with the headers of every response; null if this process has none. */
  readonly front: { readonly work: FrontWork; readonly headers: Readonly<Record<string, string>> } | null;
  /** Readiness reports false from now on, so that no new calls are sent here. */
  beginDrain(): void;
  /** Calls whose clients are gone end without waiting for their providers. */
  cutOff(): void;
  inFlight(): number;
  /** Commits the remaining rows, gives leases back, closes everything. */
  close(): Promise<void>;
};

/**
 * Opens everything the configuration asks for, reconciles this replica with the database (replays the spool, returns
 * leases from before a restart), and registers the routes.
 * @throws whatever keeps the program from working: a bad master key, an unreachable database, a folder that can't be
 * written
 */
export async function buildProgram(config: Config, log: Log): Promise<Program> {
  const base = await openBase(config, log);
  await checkDatabase({ ...base, sealedColumns });
  await base.settings.start(base.notifications);
  await base.branding.start(base.notifications);
  const trace = openTrace(base);
  await makePartitions(base.db);
  await trace.start();
  const telemetry = await openTelemetry(base);
  const exportCall = telemetry === null ? null : (call: ExportedCall) => telemetry.take(call);
  const gateway = config.UPSTREAM_GATEWAY_URL === undefined ? openGateway(base, exportCall) : null;
  await catchUp(base, gateway?.leases ?? null);
  await gateway?.start();
  const messagesMap = new ModelMap(base.db, log);
  await messagesMap.start(base.notifications);
  const { backend, ...program } = assemble(base, trace, gateway, messagesMap);
  if (handlesNoCalls(config)) {
    await backend?.get();
  }
  const close = async (): Promise<void> => {
    await program.close();
    await telemetry?.close(closeMs);
  };
  return { ...program, close };
}

function jobs(base: Base, signal: AbortSignal): Job[] {
  const upkeep = new LeaseUpkeep(base);
  return [
    { name: "partitions", pattern: "0 7 * * * *", run: makePartitions },
    { name: "leases", pattern: "30 * * * * *", run: () => upkeep.runJob(), isPerReplica: true },
    orphansJob(base, signal),
  ];
}

/** Such a process is there for its backend, and loads it before the first request. */
const handlesNoCalls = ({ ROLES }: Config): boolean => !ROLES.includes("relay") && !ROLES.includes("gateway");

type Assembled = Program & { readonly backend: Late<OpenBackend> | null };

function assemble(base: Base, trace: TraceService, gateway: GatewayRuntime | null, models: ModelMap): Assembled {
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
    keepsPayloads: () => base.settings.values["trace.payloads"],
    siteUrl: publicBaseUrl(config),
  });
  const { edge, patience } = clientSettings(config);
  const linkKeys = base.masterKey.deriveKeys(linkPurpose);
  const gatewayParts = { gateway: port, realtime, linkKeys, patience, clock: systemClock, edge, bodyLimits };
  const stopping = new AbortController();
  const work = buildWork(base);
  const scheduled = config.ROLES.includes("jobs")
    ? startJobs([...jobs(base, stopping.signal), ...work.jobs], db, log)
    : null;
  if (scheduled !== null) {
    work.start();
  }
  const site = openSite(base);
  site?.start();
  const backend = config.ROLES.includes("backend") ? lateBackend(base, work.services, site) : null;
  const pageOrigins = config.CORS_ORIGINS;
  const handlers: CallHandlers | null = config.ROLES.includes("relay")
    ? {
        call: relayHandler(relay, { edge, patience }),
        messages: messagesHandler({ relay, models, server: { edge, patience }, log, siteUrl: publicBaseUrl(config) }),
        realtime: realtimeHandler(relay, { edge, patience }),
        pageOrigins,
      }
    : config.ROLES.includes("gateway")
      ? { ...gatewayHandlers({ ...gatewayParts, load: relay.load }), pageOrigins }
      : null;
  registerGauges({ ...base, inFlight: () => relay.load.inFlight });
  const routes = routesOf(base, gateway, stopping.signal, backend);
  const { transportSecurity = null } = routes;
  const headers = transportSecurity === null ? {} : { "strict-transport-security": transportSecurity };
  const hasFront = config.CHAT_FRONT === "on" && config.ROLES.includes("relay");
  return {
    backend,
    app: createApp(routes, handlers, log, () => stopping.signal.aborted),
    front: hasFront ? { work: frontWork({ ...base, relay }), headers } : null,
    beginDrain: () => {
      stopping.abort();
      realtime.beginDrain();
    },
    cutOff: () => gateway?.cutOff(),
    inFlight: () => relay.load.inFlight,
    close: async () => {
      scheduled?.stop();
      models.stop();
      base.settings.stop();
      base.branding.stop();
      (await backend?.settled())?.stop();
      await Promise.all([site?.stop(), work.stop(flushMs), realtime.close()]);
      const isEmptied = await spool.flush(flushMs);
      const isReleased = (await gateway?.stop(isEmptied)) ?? isEmptied;
      await trace.close(flushMs);
      await spool.close(isReleased);
      base.lag.stop();
      base.aside.stop();
      base.books.stop();
      await base.notifications.close();
      await db.close(closeMs);
    },
  };
}

/** The probes, and the backend if this process is one. */
function routesOf(
  base: Base,
  gateway: GatewayRuntime | null,
  stopping: AbortSignal,
  backend: Late<OpenBackend> | null,
): AppRoutes {
  const { config, registry } = base;
  const reasons = () => unreadyReasons(base, gateway, stopping);
  const operations = operationsRoutes(reasons, registry, metricsAccess(config.METRICS_TOKEN, config.NODE_ENV));
  const isEncrypted = publicBaseUrl(config).startsWith("https:");
  const transportSecurity = config.NODE_ENV === "production" && isEncrypted ? "max-age=31536000" : null;
  if (backend === null) {
    return { probes: operations, transportSecurity };
  }
  return {
    probes: { ...operations, ...peerStatusOf(base) },
    transportSecurity,
    rest: async (request, server) => (await backend.get()).answer(request, server),
    failedPage: (request, requestId) => backend.opened?.failedPage(request, requestId) ?? null,
  };
}

/** Uptime checks ask for it as well. */
function peerStatusOf({ config, settings }: Base): Probes {
  const address = config.PUBLIC_BASE_URL ?? null;
  return peerStatusRoutes(() => ({ name: settings.values["brand.name"], address }), new Date(systemClock.now()));
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
