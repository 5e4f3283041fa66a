import type { ConnectionPool } from "./connection-pool.ts";
import type { DeadlineTicker } from "./deadline-ticker.ts";

export type ExchangePorts = {
  readonly pool: ConnectionPool;
  readonly ticker: DeadlineTicker;
};
