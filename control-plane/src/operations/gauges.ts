import type { Registry } from "prom-client";
import type { Database } from "../platform/db.ts";
import { gauge } from "../platform/metric.ts";
import type { LoopLag } from "./event-loop-lag.ts";

/** What the gauges read. */
export type GaugeSources = {
  readonly registry: Registry;
  readonly spool: {
    readonly depth: () => {
      readonly entries: number;
      readonly bytes: number;
      readonly oldestAgeMs: number;
      readonly quarantined: number;
    };
  };
  readonly lag: LoopLag;
  readonly db: Database;
  readonly inFlight: () => number;
};

/** The state of this process, as metrics. */
export function registerGauges({ registry, spool, lag, db, inFlight }: GaugeSources): void {
  gauge(registry, "sluice_in_flight", "Calls running now.", inFlight);
  gauge(registry, "sluice_spool_entries", "Rows waiting for the database.", () => spool.depth().entries);
  gauge(registry, "sluice_spool_bytes", "Bytes of rows waiting for the database.", () => spool.depth().bytes);
  gauge(registry, "sluice_spool_oldest_seconds", "Age of the oldest such row.", () => spool.depth().oldestAgeMs / 1000);
  gauge(registry, "sluice_spool_quarantined", "Rows that could not be committed.", () => spool.depth().quarantined);
  gauge(registry, "sluice_event_loop_lag_seconds", "99th percentile of the lag.", () => lag.p99Ms() / 1000);
  gauge(registry, "sluice_database_connections", "Connections in use.", () => db.load().inUse);
}
