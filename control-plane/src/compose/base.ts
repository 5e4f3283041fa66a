import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { Registry } from "prom-client";
import { fixedBy } from "../admin/settings/model.ts";
import { Settings } from "../admin/settings/service.ts";
import { Branding } from "../branding/service.ts";
import { findAppRole } from "../db/app-role.ts";
import { callTables, ensurePartitions } from "../db/partitions.ts";
import { type LoopLag, watchEventLoop } from "../operations/event-loop-lag.ts";
import { openWebBuild, type WebBuild } from "../pages/web-build.ts";
import { systemClock, utcDay } from "../platform/clock.ts";
import { type Config, masterKeySource } from "../platform/config.ts";
import { loadMasterKey, type MasterKey } from "../platform/crypto/master-key.ts";
import type { Database } from "../platform/db.ts";
import { type Notifications, notify, openNotifications } from "../platform/db-notifications.ts";
import { openDatabase } from "../platform/db-open.ts";
import type { KeptThread } from "../platform/kept-thread.ts";
import type { Log } from "../platform/log.ts";
import { counter } from "../platform/metric.ts";
import type { SideThread } from "../platform/side-thread.ts";
import { openSpool } from "../platform/spool/spool.ts";
import { TraceService } from "../trace/service.ts";
import { openBooksThread } from "./books-thread.ts";
import { lookRules } from "./brand.ts";
import { CallCommits } from "./call-commits.ts";
import { type CallSpool, type CallSpoolOptions, callForms, TraceEntry } from "./call-rows.ts";
import { openSideThread } from "./side-thread.ts";

const payloadsQueuedMax = 20_000;
/** The parts that every role of the program is built on. */
export type Base = {
  readonly config: Config;
  readonly log: Log;
  readonly masterKey: MasterKey;
  readonly db: Database;
  readonly notifications: Notifications;
  readonly spool: CallSpool;
  readonly spoolOptions: CallSpoolOptions;
  readonly registry: Registry;
  readonly lag: LoopLag;
  /** A second thread for work that would block all calls. */
  readonly aside: SideThread;
  /** A second thread that keeps the books. */
  readonly books: KeptThread;
  /** What it commits of the spool. */
  readonly commits: CallCommits;
  /** The settings, which are not started yet. */
  readonly settings: Settings;
  /** What the operator has uploaded and written, which is not loaded yet. */
  readonly branding: Branding;
  /** PEM certificates of the CAs that upstreams are verified with, if not the well-known ones. */
  readonly upstreamCa: string | null;
  /** Null when the web UI is not built or not served. */
  readonly webBuild: WebBuild | null;
};

/**
 * Opens the database, the listener, this replica's spool and its gauges.
 * @throws for a bad master key, and for a data folder that can't be written
 */
export async function openBase(config: Config, log: Log): Promise<Base> {
  const masterKey = await loadMasterKey(masterKeySource(config));
  const spoolOptions: CallSpoolOptions = {
    directory: join(config.DATA_DIR, "spool"),
    ...callForms,
    bytesMax: config.SPOOL_BYTES_MAX,
    reserveBytes: config.RESERVE_FILE_BYTES,
    onWarning: ({ event, detail }) => log.warn(event, detail),
  };
  const { UPSTREAM_CA_FILE: caFile } = config;
  const role = await findAppRole(config.DATABASE_URL);
  const registry = new Registry();
  const losses = counter(registry, "sluice_books_thread_losses_total", "Times the second thread was lost.");
  const books = openBooksThread({ url: config.DATABASE_URL, role }, log, () => losses(1));
  const db = openDatabase({
    url: config.DATABASE_URL,
    poolMax: config.DATABASE_POOL_MAX,
    applicationName: "sluice",
    role,
  });
  const settings = new Settings({ db, log, fixed: fixedBy(config) });
  return {
    config,
    log,
    masterKey,
    db,
    notifications: openNotifications(config.DATABASE_URL, log, (channel) => notify(db, channel, "")),
    spool: await openSpool(spoolOptions),
    spoolOptions,
    registry,
    lag: watchEventLoop(),
    aside: openSideThread(log),
    books,
    commits: new CallCommits(books),
    settings,
    branding: new Branding({ db, log, rules: () => lookRules(settings.values) }),
    upstreamCa: caFile === undefined ? null : await readFile(caFile, "utf8"),
    webBuild: await openWeb(config),
  };
}

async function openWeb({ ROLES, WEB_DIST }: Config): Promise<WebBuild | null> {
  return ROLES.includes("backend") && WEB_DIST !== "none" ? await openWebBuild(WEB_DIST) : null;
}

/** The trace of calls, not yet started. */
export function openTrace(base: Base): TraceService {
  const { config, db, masterKey, log, spool, books, registry, settings } = base;
  const stored = counter(registry, "sluice_payloads_stored_total", "Bodies of calls that were stored.");
  const dropped = counter(registry, "sluice_payloads_dropped_total", "Bodies of calls that were dropped.", "reason");
  return new TraceService({
    db,
    masterKey,
    clock: systemClock,
    log,
    thread: books,
    append: (row) => {
      const entry = new TraceEntry(log, row);
      spool.appendFor(entry, entry);
    },
    limits: {
      get bodyBytesMax() {
        return settings.values["trace.max_payload_bytes"];
      },
      queueBytesMax: config.TRACE_QUEUE_BYTES_MAX,
      queueCountMax: payloadsQueuedMax,
    },
    observer: {
      onStored: (count) => stored(count),
      onDropped: (reason, count) => dropped(count, reason),
    },
  });
}

/** Creates the partitions of today and of the days ahead. */
export async function makePartitions(db: Database): Promise<void> {
  for (const table of callTables) {
    await ensurePartitions(db, { table, today: utcDay(systemClock.now()) });
  }
}
