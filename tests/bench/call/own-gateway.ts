/* Relay and gateway without a database: keys, prices and leases are in memory, rows go to the disk and no further. */
import type { ApiKeyId, BudgetId, ChannelId, CredentialId, GatewayUserId } from "@sluice/contracts/ids";
import { byKeyField, callSettings } from "@sluice/contracts/key-fields";
import type { Decimal } from "@sluice/contracts/money";
import { CallCommits } from "@sluice/control-plane/compose/call-commits.ts";
import { type CallSpool, callForms, TraceEntry } from "@sluice/control-plane/compose/call-rows.ts";
import { frontWork } from "@sluice/control-plane/compose/front.ts";
import type { FrontWork } from "@sluice/control-plane/front/model.ts";
import { BodyRoom } from "@sluice/control-plane/gateway/body-room.ts";
import type { Catalog } from "@sluice/control-plane/gateway/catalog.ts";
import { Affinities } from "@sluice/control-plane/gateway/channels/affinities.ts";
import { ChannelLoads } from "@sluice/control-plane/gateway/channels/channel-load.ts";
import { type Channel, toUpstream } from "@sluice/control-plane/gateway/channels/model.ts";
import { KeyDirectory } from "@sluice/control-plane/gateway/keys/key-directory.ts";
import { KeyLimits } from "@sluice/control-plane/gateway/keys/key-limits.ts";
import { type CallRow, toCallSettings } from "@sluice/control-plane/gateway/keys/model.ts";
import { GatewayMetrics } from "@sluice/control-plane/gateway/metrics.ts";
import type { ModelEntry, Principal } from "@sluice/control-plane/gateway/model.ts";
import { Pipeline } from "@sluice/control-plane/gateway/pipeline.ts";
import type { PipelineDeps } from "@sluice/control-plane/gateway/pipeline-deps.ts";
import type { RealtimePort } from "@sluice/control-plane/gateway/port.ts";
import { QuotaLeases } from "@sluice/control-plane/gateway/quota/leases.ts";
import { LeaseTerm } from "@sluice/control-plane/gateway/quota/term.ts";
import { ReadOnRoom } from "@sluice/control-plane/gateway/read-on.ts";
import { Authorizer } from "@sluice/control-plane/gateway/upstreams/authorize.ts";
import { toPriceVersion } from "@sluice/control-plane/models/model.ts";
import { CaptureAllowance } from "@sluice/control-plane/platform/answer-capture.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { loadConfig } from "@sluice/control-plane/platform/config.ts";
import { sha256Hex } from "@sluice/control-plane/platform/crypto/digest.ts";
import { KeptThread } from "@sluice/control-plane/platform/kept-thread.ts";
import { createLog, type Log } from "@sluice/control-plane/platform/log.ts";
import { openSpool } from "@sluice/control-plane/platform/spool/spool.ts";
import { RelayService } from "@sluice/control-plane/relay/service.ts";
import type { TraceService } from "@sluice/control-plane/trace/service.ts";
import { commitCharges } from "@sluice/control-plane/usage/log/commit-usage.ts";
import { PooledHttpClient } from "@sluice/http-client/pooled-client";
import { Registry } from "prom-client";
import { ampleStore } from "../../support/leases/ample-store.ts";
import { chatCall } from "../relay/load/call.ts";

/** Nobody listens there: connections to it are those of the provider in the process itself. */
export const providerPort = 9;
export const apiKey = `sk-${"b".repeat(48)}`;
const longMs = 3_600_000;
const bodyLimits = { bytesMax: 32 * 1024 * 1024, timeoutMs: 30_000 };

export type OwnGateway = {
  readonly work: FrontWork;
  /** How many rows were committed so far, once all are that were recorded. */
  committed(): Promise<number>;
};

/** @param directory where the rows go */
export async function openOwnGateway(directory: string): Promise<OwnGateway> {
  const log = createLog("warn", (line) => process.stderr.write(line));
  const spool: CallSpool = await openSpool({
    directory,
    ...callForms,
    reserveBytes: 0,
    onWarning: ({ event, detail }) => log.warn(event, detail),
  });
  const term = new LeaseTerm(longMs);
  const leases = new QuotaLeases(ampleStore(), term, systemClock, log);
  leases.renew(systemClock.tick(), { era: "own", isRenewed: true, live: 1 });
  let rows = 0;
  drain(spool, leases, (count) => {
    rows += count;
  });
  const pipeline = new Pipeline(pipelineDeps(spool, leases));
  const relay = new RelayService({
    gateway: pipeline,
    realtime: {} as RealtimePort,
    trace: traceTo(spool, log),
    clock: systemClock,
    bodyLimits,
    keepsPayloads: () => false,
    siteUrl: "http://127.0.0.1:8080",
  });
  const config = loadConfig({ DATABASE_URL: "postgres://127.0.0.1/none", PORT: "8080" });
  return {
    work: frontWork({ config, relay, log, registry: new Registry() }),
    committed: async () => {
      await spool.flush(longMs);
      return rows;
    },
  };
}

/** Commits go to a second thread as they do in the service; there they are accepted as they are. */
function drain(spool: CallSpool, leases: QuotaLeases, onCommitted: (count: number) => void): void {
  const address = new URL("./own-books.ts", import.meta.url);
  const log = createLog("error", (line) => process.stderr.write(line));
  const commits = new CallCommits(new KeptThread({ address, log, onLost: () => undefined }));
  const { replicaId } = spool;
  spool.drain({
    commit: async ({ texts, count, summary, isReplay, isRetry }) => {
      const { usageDays, charges, traceDays } = summary;
      const sums = charges.list;
      const usage = { sums, days: [...usageDays] };
      const order = { replicaId, texts, usage, traceDays: [...traceDays], isNew: true };
      await commitCharges(leases, { sums, isReplay, isRetry }, () => commits.commit(order));
      onCommitted(count);
    },
    isPoison: () => true,
    onQuarantine: ({ error }) => {
      throw error;
    },
  });
}

function traceTo(spool: CallSpool, log: Log): TraceService {
  const trace: Pick<TraceService, "record" | "storePayload"> = {
    record: (row) => {
      const entry = new TraceEntry(log, row);
      spool.appendFor(entry, entry);
    },
    storePayload: refuse,
  };
  return trace as TraceService;
}

function pipelineDeps(spool: CallSpool, leases: QuotaLeases): PipelineDeps {
  const client = new PooledHttpClient();
  const log = createLog("warn", (line) => process.stderr.write(line));
  const catalog = ownCatalog();
  const principal = ownPrincipal();
  const afterAbort = { timeoutMs: 5_000, bytesMax: 1 };
  const deps: Omit<PipelineDeps, "responses" | "account" | "aside"> = {
    directory: new KeyDirectory(async () => principal, systemClock),
    limits: new KeyLimits(systemClock, null),
    bodyRoom: new BodyRoom({ bytesMax: 2 ** 30, userBytesMax: 2 ** 30 }),
    readOnRoom: new ReadOnRoom(afterAbort),
    leases,
    loads: new ChannelLoads(systemClock, { onRefused: refuse, onAccepted: () => undefined }),
    affinities: new Affinities(),
    catalog: () => catalog,
    client,
    authorizer: new Authorizer(client, systemClock),
    usage: {
      append: (row, waiter) => spool.appendFor({ kind: "usage", row }, waiter),
      isAccepting: () => spool.isAccepting,
    },
    captures: new CaptureAllowance(),
    observer: new GatewayMetrics(new Registry()),
    clock: systemClock,
    random: Math.random,
    log,
    digestKey: sha256Hex,
    hopMark: "0123456789abcdef",
    upstreamLimits: {
      connectTimeoutMs: 5_000,
      firstByteTimeoutMs: 600_000,
      firstTokenTimeoutMs: 55_000,
      idleTimeoutMs: 45_000,
      totalTimeoutMs: 1_800_000,
      responseBytesMax: 2 ** 30,
      afterAbort,
    },
    isSentRetried: false,
    parseAside: refuse,
    streamStallTimeoutMs: 60_000,
    onFirstUse: () => undefined,
  };
  return deps as PipelineDeps;
}

function refuse(): never {
  throw new Error("a call of this bench keeps no body, and needs no other thread for its own");
}

function ownCatalog(): Catalog {
  const { model } = chatCall;
  const { endpoints, changes, flags } = toUpstream({
    dialects: { chat: { base_url: `http://127.0.0.1:${providerPort}/v1`, auth: "bearer" } },
    query: {},
    headers: { set: {}, remove: [] },
    body: { set: {}, remove: [] },
    flags: { asks_usage: true, thoughts_in_total: false },
  } as unknown as Parameters<typeof toUpstream>[0]);
  const credential = { id: 1n as CredentialId, label: "first", secret: "sk-provider", weight: 1 };
  const channel: Channel = {
    id: 1n as ChannelId,
    name: "first",
    endpoints,
    changes,
    flags,
    pinnedAddress: null,
    exitNode: null,
    credentials: [{ ...credential, requestsPerMinute: null, concurrencyMax: null, refusedAtMs: null }],
    requestsPerMinute: null,
    concurrencyMax: null,
    firstByteTimeoutMs: null,
    idleTimeoutMs: null,
    passThroughPaths: new Set(),
    isResting: false,
  };
  const abilities = [{ channel, upstreamModel: null, priority: 0, weight: 1 }];
  return {
    models: new Map([[model, ownModel(model)]]),
    abilities: new Map([["default", new Map([[model, abilities]])]]),
    permits: new Map(),
    cacheGeneration: 0n,
    fallbacks: new Map(),
  };
}

function ownModel(name: string): ModelEntry {
  return {
    name,
    ownedBy: "openai",
    kind: "chat",
    createdAt: 0,
    contextTokensMax: 128_000,
    outputTokensMax: 16_384,
    imageTokensMax: 0,
    deprecatedAtMs: null,
    sunsetAtMs: null,
    replacement: null,
    lifeHeaders: null,
    price: toPriceVersion({
      version: 1,
      input_usd_per_m: "0.15",
      output_usd_per_m: "0.60",
      cache_read_usd_per_m: "0.075",
      cache_write_usd_per_m: null,
      reasoning_usd_per_m: null,
      request_usd: "0",
      image_usd: "0",
      second_usd: "0",
      cache_write_1h_usd_per_m: null,
      search_usd_per_k: "0",
      long_prompt: null,
    }),
  };
}

/** A key with every limit, all of them generous. */
function ownPrincipal(): Principal {
  const row = byKeyField(callSettings, (setting) => setting.default) as CallRow;
  return {
    userId: null,
    gatewayUserId: 1n as GatewayUserId,
    apiKeyId: 2n as ApiKeyId,
    groupName: "default",
    hasGroup: true,
    rightsEndAtMs: null,
    groupLimits: null,
    accountLimits: null,
    isUserEnabled: true,
    keyStatus: "active",
    lockReason: null,
    ...toCallSettings(row),
    allowedModels: new Set([chatCall.model]),
    allowedIps: ["127.0.0.0/8"],
    requestsPerMinute: 100_000_000,
    tokensPerMinute: 2_000_000_000,
    concurrencyMax: 100_000,
    isFirstUse: false,
    rateMultiplier: "1.0000" as Decimal,
    userBudgetId: 1n as BudgetId,
    keyBudgetId: 2n as BudgetId,
    sharedBudgetIds: [],
    limitKeyId: 2n as ApiKeyId,
  };
}
