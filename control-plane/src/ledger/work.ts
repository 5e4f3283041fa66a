import type { Registry } from "prom-client";
import type { Database } from "../platform/db.ts";
import type { Work } from "../platform/feature.ts";
import type { Log } from "../platform/log.ts";
import { MoneyCheck } from "./money-check.ts";

/** The nightly check of the money, which admins can also ask for. */
export function moneyCheckWork(deps: { db: Database; log: Log; registry: Registry }): Work & {
  readonly check: MoneyCheck;
} {
  const check = new MoneyCheck(deps);
  return {
    check,
    jobs: [{ name: "money-check", pattern: "0 41 3 * * *", run: () => check.runJob(), isPerReplica: true }],
  };
}
