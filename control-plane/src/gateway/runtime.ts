import type { ApiKeyId, BudgetId, GatewayUserId, ReplicaId } from "@sluice/contracts/ids";
import type { HttpClient } from "@sluice/http-client/model";
import type { Registry } from "prom-client";
import { CaptureAllowance } from "../platform/answer-capture.ts";
import type { Clock } from "../platform/clock.ts";
import { sha256Hex } from "../platform/crypto/digest.ts";
import type { MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import { type Notifications, notify } from "../platform/db-notifications.ts";
import type { Log } from "../platform/log.ts";
import { gauge } from "../platform/metric.ts";
import type { WebSocketClient } from "../platform/websocket/model.ts";
import { AccountFigures } from "./account-figures/account-figures.ts";
import type { BodyRoom } from "./body-room.ts";
import { type Catalog, emptyCatalog, loadCatalog } from "./catalog.ts";
import { Affinities } from "./channels/affinities.ts";
import { ChannelLoads, type ExitTraffic } from "./channels/channel-load.ts";
import { markAccepted, markRefused } from "./channels/credential-store.ts";
import { openChannelCredential, openFurtherCredential } from "./channels/credentials.ts";
import { KeyDirectory } from "./keys/key-directory.ts";
import { KeyLimits } from "./keys/key-limits.ts";
import { LimitShares } from "./keys/limit-shares.ts";
import { findPrincipal, markFirstUse, markUse } from "./keys/store.ts";
import { GatewayMetrics } from "./metrics.ts";
import { Pipeline } from "./pipeline.ts";
import type { GatewayObserver, PipelineDeps, UpstreamLimits, UsageSpool } from "./pipeline-deps.ts";
import { createLeaseStore } from "./quota/lease-store.ts";
import { QuotaLeases } from "./quota/leases.ts";
import { releaseLeases, renewTerm } from "./quota/replica-store.ts";
import { LeaseTerm } from "./quota/term.ts";
import { ReadOnRoom } from "./read-on.ts";
import type { RealtimeLimits } from "./realtime/limits.ts";
import { RealtimeGateway } from "./realtime/realtime-gateway.ts";
import { observeCache, registerCacheGauges } from "./response-cache/cache-metrics.ts";
import type { CacheRules, SharedAnswers } from "./response-cache/model.ts";
import { ResponseCache } from "./response-cache/response-cache.ts";
import { type ExportedCall, ExportingObserver } from "./telemetry.ts";
import { Authorizer } from "./upstreams/authorize.ts";

const sweepMs = 1_000;
/** A term is renewed at least this many times before it ends. */
const renewalsPerTerm = 4;
const renewMsMax = 5_000;
const catalogReloadMs = 30_000;
const reconcileMs = 60_000;
const markUseMs = 15_000;
/** How often the use of limits is reported, at most. */
const shareLimitsMs = 1_000;
const limitsChannel = "limit_use";
const exitTrafficMs = 2_000;

export type GatewayRuntimeDeps = {
  readonly db: Database;
  readonly notifications: Notifications;
  readonly usage: UsageSpool;
  readonly replicaId: ReplicaId;
  /** How long calls are admitted on leases after the last contact with the database. */
  readonly leaseTermMs: number;
  /** How long budgets with plenty left keep idle quota, in milliseconds. */
  readonly leaseKeptMs: number;
  readonly masterKey: MasterKey;
  readonly client: HttpClient;
  readonly sockets: WebSocketClient;
  readonly upstreamLimits: UpstreamLimits;
  readonly parseAside: PipelineDeps["parseAside"];
  readonly aside: PipelineDeps["aside"];
  readonly unpaidPerHour: number | null;
  readonly bodyRoom: BodyRoom;
  readonly isSentRetried: boolean;
  readonly streamStallTimeoutMs: number;
  readonly realtimeLimits: RealtimeLimits;
  readonly cacheRules: () => CacheRules;
  /** Where replicas share cached responses; null where they don't. */
  readonly sharedAnswers: SharedAnswers | null;
  /** Whether connections to an exit node's address are allowed. */
  readonly isNodeAddressAllowed: (address: string) => boolean;
  /** Stores what was observed about exit nodes, for the feature that manages them. */
  readonly keepExitTraffic: (seen: readonly ExitTraffic[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
  readonly registry: Registry;
  /** Called for each finished call; null if nobody observes. */
  readonly exportCall: ((call: ExportedCall) => void) | null;
};

function openObserver({ registry, exportCall }: GatewayRuntimeDeps): GatewayObserver {
  const metrics = new GatewayMetrics(registry);
  return exportCall === null ? metrics : new ExportingObserver(metrics, exportCall);
}

/** The upstream gateway of this process, with everything that keeps its memory consistent with the database. */
export class GatewayRuntime {
  readonly pipeline: Pipeline;
  readonly realtime: RealtimeGateway;
  readonly leases: QuotaLeases;
  readonly #deps: GatewayRuntimeDeps;
  readonly #term: LeaseTerm;
  readonly #directory: KeyDirectory;
  readonly #limits: KeyLimits;
  readonly #account: AccountFigures;
  readonly #loads: ChannelLoads;
  readonly #readOnRoom: ReadOnRoom;
  readonly #responses: ResponseCache;
  readonly #seenFirstUse = new Set<ApiKeyId>();
  readonly #timers: Timer[] = [];
  #catalog: Catalog = emptyCatalog;
  #reload: Promise<void> = Promise.resolve();
  #renewal: Promise<void> | null = null;
  #stopWatching: () => void = () => undefined;

  constructor(deps: GatewayRuntimeDeps) {
    const { clock, db, log, masterKey } = deps;
    this.#deps = deps;
    this.#term = new LeaseTerm(deps.leaseTermMs);
    this.leases = new QuotaLeases(createLeaseStore(db, deps.replicaId), this.#term, clock, log);
    this.leases.keptMs = deps.leaseKeptMs;
    this.#directory = new KeyDirectory((keyHash) => findPrincipal(db, keyHash), clock);
    this.#limits = new KeyLimits(clock, deps.unpaidPerHour, new LimitShares(deps.replicaId, clock));
    this.#account = new AccountFigures(db, clock);
    this.#loads = new ChannelLoads(clock, {
      onRefused: (id, reason) => this.#markCredential(markRefused(db, id, reason)),
      onAccepted: (id) => this.#markCredential(markAccepted(db, id)),
    });
    this.#readOnRoom = new ReadOnRoom(deps.upstreamLimits.afterAbort);
    this.#responses = this.#openCache();
    const pipelineDeps: PipelineDeps = {
      directory: this.#directory,
      limits: this.#limits,
      account: this.#account,
      bodyRoom: deps.bodyRoom,
      readOnRoom: this.#readOnRoom,
      leases: this.leases,
      loads: this.#loads,
      affinities: new Affinities(),
      catalog: () => this.#catalog,
      client: deps.client,
      authorizer: new Authorizer(deps.client, clock),
      captures: new CaptureAllowance(),
      usage: deps.usage,
      responses: this.#responses,
      observer: openObserver(deps),
      clock,
      random: Math.random,
      log,
      digestKey: sha256Hex,
      hopMark: Buffer.from(masterKey.deriveKey("mark of the gateways a request has passed")).toString("hex", 0, 8),
      upstreamLimits: deps.upstreamLimits,
      isSentRetried: deps.isSentRetried,
      parseAside: deps.parseAside,
      aside: deps.aside,
      streamStallTimeoutMs: deps.streamStallTimeoutMs,
      onFirstUse: (id) => this.#markFirstUse(id),
    };
    this.pipeline = new Pipeline(pipelineDeps);
    const { sockets, realtimeLimits } = deps;
    this.realtime = new RealtimeGateway({ ...pipelineDeps, sockets, realtimeLimits });
    this.#registerGauges();
  }

  #openCache(): ResponseCache {
    const { masterKey, cacheRules, sharedAnswers, clock, registry } = this.#deps;
    const cache = new ResponseCache({
      rules: cacheRules,
      generation: () => this.#catalog.cacheGeneration,
      secret: masterKey.deriveKey("digests of cached requests"),
      shared: sharedAnswers,
      clock,
      observer: observeCache(registry),
    });
    registerCacheGauges(registry, cache);
    return cache;
  }

  /** Listens for changes, begins the term of this replica, loads the catalog, starts the timers. */
  async start(): Promise<void> {
    const { notifications } = this.#deps;
    notifications.listen("key_changed", (id) => this.#directory.forget(({ apiKeyId }) => apiKeyId === BigInt(id)));
    notifications.listen("user_changed", (id) =>
      this.#directory.forget(({ gatewayUserId }) => gatewayUserId === (BigInt(id) as GatewayUserId)),
    );
    notifications.listen("group_changed", () => this.#directory.onGap());
    notifications.listen("catalog_changed", () => void this.reloadCatalog());
    notifications.listen("budget_changed", (id) => this.leases.onBudgetChanged(BigInt(id) as BudgetId));
    notifications.listen("lease_returned", (id) => this.leases.onBudgetChanged(BigInt(id) as BudgetId));
    notifications.listen("lease_recall", (text) => {
      const [budgetId = "0", recall = "0"] = text.split(":");
      void this.leases.onRecall(BigInt(budgetId) as BudgetId, BigInt(recall));
    });
    notifications.listen(limitsChannel, (text) => this.#limits.shares.hear(text));
    notifications.onGap(() => {
      this.#directory.onGap();
      void this.reloadCatalog();
    });
    await this.#renew();
    await this.reloadCatalog();
    this.#every(sweepMs, () => this.#sweep());
    this.#every(Math.min(renewMsMax, this.#deps.leaseTermMs / renewalsPerTerm), () => this.#renew());
    this.#every(catalogReloadMs, () => this.reloadCatalog());
    this.#every(reconcileMs, () => this.leases.reconcile());
    this.#every(shareLimitsMs, () => this.#shareLimits());
    this.#every(markUseMs, () => this.#markUse());
    this.#every(exitTrafficMs, () => this.#keepExitTraffic());
    this.#stopWatching = this.#deps.db.onReachabilityChange((isReachable) => {
      if (isReachable) {
        // Other replicas count us as gone until they see us again, and our term may be over.
        this.#renew().catch((error: unknown) => this.#deps.log.warn("gateway.timer_failed", { error }));
      }
    });
  }

  /** Abandoned calls are not read on: they end now. */
  cutOff(): void {
    this.#readOnRoom.close();
  }

  /**
   * Stops the timers and gives every lease back; returns whether that was done. It is not done while calls still run,
   * the spool is not empty, or rows were quarantined, because their cost is owed from the leases.
   */
  async stop(isEmptied: boolean): Promise<boolean> {
    this.#stopWatching();
    for (const timer of this.#timers) {
      clearInterval(timer);
    }
    this.#responses.close();
    await this.leases.stop();
    const { held, pending } = this.leases.totals();
    if (!isEmptied || held > 0n || pending > 0n) {
      return false;
    }
    try {
      await releaseLeases(this.#deps.db, this.#deps.replicaId);
      return true;
    } catch (error) {
      this.#deps.log.warn("quota.release_failed", { error });
      return false;
    }
  }

  /** Loads the catalog; callers that come during a load share the next one. */
  reloadCatalog(): Promise<void> {
    this.#reload = this.#reload.then(async () => {
      try {
        const { db, log, masterKey, isNodeAddressAllowed } = this.#deps;
        this.#catalog = await loadCatalog({
          db,
          openCredential: (id, sealed) => openChannelCredential(masterKey, id, sealed),
          openFurtherCredential: (id, sealed) => openFurtherCredential(masterKey, id, sealed),
          isNodeAddressAllowed,
          log,
        });
      } catch (error) {
        this.#deps.log.warn("catalog.load_failed", { error });
      }
    });
    return this.#reload;
  }

  /** Whether there is anything to serve. */
  hasCatalog(): boolean {
    return this.#catalog !== emptyCatalog;
  }

  async #sweep(): Promise<void> {
    this.#directory.setBlind(!this.#deps.notifications.isConnected());
    this.#limits.forgetIdle();
    this.#account.forgetIdle();
    this.pipeline.forgetIdle();
    this.#responses.sweep();
    this.realtime.endOverdue();
    if (this.#deps.db.isReachable()) {
      await this.leases.sweep();
    }
  }

  /** Renewals run one after the other, so that no stale response replaces a newer one. */
  #renew(): Promise<void> {
    this.#renewal ??= this.#renewOnce()
      .then((isRenewed) => (isRenewed ? undefined : this.#renewOnce()))
      .then(() => undefined)
      .finally(() => {
        this.#renewal = null;
      });
    return this.#renewal;
  }

  /** Returns false when the era had changed: now it is known, and the term can be renewed in it. */
  async #renewOnce(): Promise<boolean> {
    const { db, replicaId, clock } = this.#deps;
    const askedTick = clock.tick();
    const answer = await renewTerm(db, replicaId, this.#term);
    this.leases.renew(askedTick, answer);
    this.#limits.shares.setReplicas(answer.live);
    this.#account.setReplicas(answer.live);
    this.#loads.setReplicas(answer.live);
    return answer.isRenewed;
  }

  /** What can't be reported now is reported later; meanwhile, limits stay divided as they are. */
  async #shareLimits(): Promise<void> {
    const { db, notifications } = this.#deps;
    const report = this.#limits.shares.report(notifications.isConnected() && db.isReachable());
    if (report !== null) {
      await notify(db, limitsChannel, report);
    }
  }

  async #markUse(): Promise<void> {
    const used = this.#limits.takeUsed();
    if (used.length > 0) {
      await markUse(this.#deps.db, used);
    }
  }

  /** Observations that can't be stored are lost: they indicate how nodes are doing, and are not an account of usage. */
  async #keepExitTraffic(): Promise<void> {
    const seen = this.#loads.takeExitTraffic();
    if (seen.length > 0) {
      await this.#deps.keepExitTraffic(seen);
    }
  }

  /** Without the mark, calls do the same, but neither admins nor other replicas know. */
  #markCredential(written: Promise<void>): void {
    written.catch((error: unknown) => this.#deps.log.warn("channel.credential_not_marked", { error }));
  }

  #markFirstUse(id: ApiKeyId): void {
    if (this.#seenFirstUse.has(id)) {
      return;
    }
    this.#seenFirstUse.add(id);
    markFirstUse(this.#deps.db, id).catch((error: unknown) => {
      this.#seenFirstUse.delete(id);
      this.#deps.log.debug("keys.first_use_not_recorded", { error });
    });
  }

  #every(intervalMs: number, run: () => Promise<void>): void {
    let isRunning = false;
    const timer = setInterval(() => {
      if (isRunning) {
        return;
      }
      isRunning = true;
      run()
        .catch((error: unknown) => this.#deps.log.warn("gateway.timer_failed", { error }))
        .finally(() => {
          isRunning = false;
        });
    }, intervalMs);
    timer.unref();
    this.#timers.push(timer);
  }

  #registerGauges(): void {
    const { registry } = this.#deps;
    const lease = (read: (totals: ReturnType<QuotaLeases["totals"]>) => number | bigint) => () =>
      Number(read(this.leases.totals()));
    gauge(
      registry,
      "sluice_lease_budgets",
      "Budgets with quota leased by this replica.",
      lease((sum) => sum.budgets),
    );
    gauge(
      registry,
      "sluice_lease_quota",
      "Quota leased by this replica.",
      lease((sum) => sum.leased),
    );
    gauge(
      registry,
      "sluice_held_quota",
      "Quota set aside for running calls.",
      lease((sum) => sum.held),
    );
    gauge(
      registry,
      "sluice_pending_quota",
      "Quota charged and not yet committed.",
      lease((sum) => sum.pending),
    );
    gauge(registry, "sluice_realtime_sessions", "Realtime sessions running now.", () => this.realtime.size);
    gauge(registry, "sluice_cached_keys", "API keys known to this replica.", () => this.#directory.size());
  }
}
