import type { Registry } from "prom-client";
import { recordCondition } from "../events/service.ts";
import type { Database, Transaction } from "../platform/db.ts";
import { tryAdvisoryLock } from "../platform/db-locks.ts";
import type { Log } from "../platform/log.ts";
import { gauge } from "../platform/metric.ts";
import type { MoneyViolation } from "./model.ts";
import { selectViolations } from "./money-check-store.ts";

export type MoneyCheckDeps = { readonly db: Database; readonly log: Log; readonly registry: Registry };

/** The time limit is long, because the check reads the whole usage log. */
const nightlyMsMax = 1_800_000;
/** How many violations a log line shows at most. */
const rowsLogged = 50;
const invariantsReported = 10;

/** Checks all of the money, at night and when an admin asks. */
export class MoneyCheck {
  readonly #deps: MoneyCheckDeps;
  #violations = 0;

  constructor(deps: MoneyCheckDeps) {
    this.#deps = deps;
    const help = "Violations of check_money() found by the last nightly check; 0 where another replica checked.";
    gauge(deps.registry, "sluice_money_violations", help, () => this.#violations);
  }

  /**
   * The invariants that are violated now.
   * @throws DatabaseTimeoutError when the check takes longer than the time limit
   */
  async check(timeoutMs: number): Promise<MoneyViolation[]> {
    return await this.#deps.db.withTransaction((tx) => selectViolations(tx), { statementTimeoutMs: timeoutMs });
  }

  /**
   * The nightly job. Every replica runs it, but only one checks; the others clear their number from an earlier night.
   */
  async runJob(): Promise<void> {
    const { db, log } = this.#deps;
    const options = { statementTimeoutMs: nightlyMsMax };
    const found = await db.withTransaction(
      async (tx) => ((await tryAdvisoryLock(tx, "money-check")) ? await selectViolations(tx) : null),
      options,
    );
    const violations = found ?? [];
    this.#violations = violations.length;
    if (found !== null) {
      await db.withTransaction((tx) => report(tx, found));
    }
    if (violations.length > 0) {
      log.error("money.violated", { violations: violations.length, rows: violations.slice(0, rowsLogged) });
    }
  }
}

async function report(tx: Transaction, found: readonly MoneyViolation[]): Promise<void> {
  if (found.length === 0) {
    await recordCondition(tx, "money", { holds: false, type: "money_check.passed", gatewayUserId: null, data: {} });
    return;
  }
  const invariants = [...new Set(found.map(({ invariant }) => invariant))].slice(0, invariantsReported);
  await recordCondition(tx, "money", {
    holds: true,
    type: "money_check.violated",
    gatewayUserId: null,
    data: { violations: found.length, invariants },
  });
}
