import type { Registry } from "prom-client";
import type { Database } from "../platform/db.ts";
import type { Feature } from "../platform/feature.ts";
import type { Log } from "../platform/log.ts";
import { MoneyCheck } from "./money-check.ts";
import { moneyCheckEndpoints } from "./routes.ts";

/** The nightly and on-demand check of the money. */
export function moneyCheckFeature(deps: { db: Database; log: Log; registry: Registry }): Feature {
  const check = new MoneyCheck(deps);
  return {
    name: "money-check",
    endpoints: moneyCheckEndpoints(check),
    jobs: [{ name: "money-check", pattern: "0 41 3 * * *", run: () => check.runJob(), isPerReplica: true }],
  };
}
