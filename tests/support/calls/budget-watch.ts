import type { BudgetId } from "@sluice/contracts/ids";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { patienceMs } from "../values/patience.ts";

/** A budget at one moment, with its leases. */
export type BudgetState = {
  readonly granted: bigint;
  /** In the current period. */
  readonly used: bigint;
  readonly leased: bigint;
  readonly reserved: bigint;
  /** Neither spent nor lent nor owed. */
  readonly remaining: bigint;
  /** The sum of its lease rows. */
  readonly leaseRows: bigint;
};

/** Reads a budget and its leases at one and the same moment. */
export async function readBudget(db: Database, id: BudgetId): Promise<BudgetState> {
  const [row] = await db.sql<BudgetState>`
    select granted, used - period_base as used, leased, reserved,
      granted - (used - period_base) - leased - reserved as remaining,
      coalesce((select sum(amount) from budget_lease where budget_id = b.id), 0)::int8 as "leaseRows"
    from budget b where id = ${id}::bigint`;
  if (row === undefined) {
    throw new Error(`budget ${id} does not exist`);
  }
  return row;
}

/** Waits until every replica has given back what it had leased of a budget. */
export async function waitForIdleReturn(db: Database, id: BudgetId, timeoutMs = patienceMs): Promise<BudgetState> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const state = await readBudget(db, id);
    if (state.leased === 0n && state.leaseRows === 0n) {
      return state;
    }
    if (performance.now() > deadline) {
      throw new Error(`${state.leased} of budget ${id} is still leased after ${timeoutMs} ms`);
    }
    await Bun.sleep(50);
  }
}

export type BudgetWatch = {
  /** Ends the watch: returns how often it looked, the least that remained, and every violated invariant it saw. */
  stop(): Promise<{ samples: number; leastRemaining: bigint; violations: unknown[] }>;
};

const { TEST_FULL } = process.env;
/** Between two looks: to check all invariants without a pause takes one processor, and most of a watch is waiting. */
const lookPauseMs = TEST_FULL === "1" ? 0 : 100;

/** Checks a budget and all money invariants again and again, until it is stopped. */
export function watchBudget(db: Database, id: BudgetId): BudgetWatch {
  const seen = { samples: 0, leastRemaining: 2n ** 63n, violations: [] as unknown[] };
  let isStopped = false;
  const look = async (): Promise<void> => {
    const [state, violations] = await Promise.all([readBudget(db, id), db.sql`select * from check_money()`]);
    seen.samples += 1;
    seen.leastRemaining = state.remaining < seen.leastRemaining ? state.remaining : seen.leastRemaining;
    seen.violations.push(...violations);
    if (state.leaseRows !== state.leased) {
      seen.violations.push(state);
    }
  };
  const watching = (async () => {
    while (!isStopped) {
      await look();
      await Bun.sleep(lookPauseMs);
    }
  })();
  return {
    stop: async () => {
      isStopped = true;
      await watching;
      // The last look may have begun before the end.
      await look();
      return seen;
    },
  };
}
