/** Compares what callers have seen with rows, charges, settlement, sums and ledger, user by user. */
import type { Database, Transaction, TransactionOptions } from "@sluice/control-plane/platform/db.ts";
import type { TestUser } from "../../support/service/sluice.ts";
import type { SeenCalls } from "./callers.ts";

/** The price of every call, in hundredths of a dollar for a million tokens. */
export const price = { input: 15, output: 60 };
/** 500,000 quota are 1 USD: so many of the products of tokens and price are 1 quota. */
const productsPerQuota = 200;

/** Millions of rows take longer than a statement of the service may. */
const unhurried: TransactionOptions = { isolation: "repeatable read", statementTimeoutMs: 3_600_000 };

export type Totals = { readonly rows: bigint; readonly quota: bigint; readonly settled: bigint };

type UserBooks = {
  readonly gatewayUserId: bigint;
  readonly granted: bigint;
  readonly used: bigint;
  readonly leased: bigint;
  readonly reserved: bigint;
  readonly balance: bigint;
  readonly entries: bigint;
  readonly rows: bigint;
  readonly wholeCompleted: bigint;
  readonly streamsCompleted: bigint;
  /** Completed rows whose quota is not what their tokens cost. */
  readonly mispriced: bigint;
  readonly quota: bigint;
  /** What the rows cost with the multiplier, each rounded up. */
  readonly due: bigint;
  readonly settledRows: bigint;
  readonly settled: bigint;
  readonly summedRows: bigint;
  readonly summed: bigint;
  readonly traces: bigint;
};

async function readBooks(tx: Transaction): Promise<Map<bigint, UserBooks>> {
  const rows = await tx.sql<UserBooks>`
    with logged as (
      select gateway_user_id, count(*) as rows, sum(quota)::int8 as quota, sum(ceil(quota * rate_multiplier))::int8 as due,
        count(*) filter (where outcome = 'completed' and not is_stream) as whole,
        count(*) filter (where outcome = 'completed' and is_stream) as streams,
        count(*) filter (where outcome = 'completed' and quota <>
          (input_tokens * ${price.input}::int8 + output_tokens * ${price.output}::int8 + ${productsPerQuota - 1}::int8)
            / ${productsPerQuota}::int8) as mispriced
      from usage_log group by 1
    ), settled as (
      select gateway_user_id, sum(rows)::int8 as rows, sum(settled)::int8 as quota from settled_sums() group by 1
    ), summed as (
      select gateway_user_id, sum(calls)::int8 as calls, sum(settled_quota)::int8 as quota
      from usage_rollup where slice = 'user' group by 1
    ), traced as (
      select gateway_user_id, count(*) as rows from trace_record group by 1
    ), posted as (
      select account_id, sum(amount)::int8 as amount from ledger_entry group by 1
    )
    select b.gateway_user_id as "gatewayUserId", b.granted, b.used, b.leased, b.reserved, a.balance,
      coalesce(p.amount, 0) as entries, coalesce(l.rows, 0) as rows, coalesce(l.whole, 0) as "wholeCompleted",
      coalesce(l.streams, 0) as "streamsCompleted", coalesce(l.mispriced, 0) as mispriced, coalesce(l.quota, 0) as quota,
      coalesce(l.due, 0) as due, coalesce(s.rows, 0) as "settledRows", coalesce(s.quota, 0) as settled,
      coalesce(r.calls, 0) as "summedRows", coalesce(r.quota, 0) as summed, coalesce(t.rows, 0) as traces
    from budget b
    join ledger_account a using (gateway_user_id)
    left join posted p on p.account_id = a.id
    left join logged l using (gateway_user_id)
    left join settled s using (gateway_user_id)
    left join summed r using (gateway_user_id)
    left join traced t using (gateway_user_id)`;
  return new Map(rows.map((row) => [row.gatewayUserId, row]));
}

/**
 * Everything that does not add up, a line each; none when the books are right. The service must have drained and
 * settled everything.
 */
export async function auditBooks(
  db: Database,
  users: readonly TestUser[],
  seen: readonly SeenCalls[],
): Promise<{ readonly faults: readonly string[]; readonly totals: Totals }> {
  const books = await db.withTransaction(readBooks, unhurried);
  const faults: string[] = [];
  const totals = { rows: 0n, quota: 0n, settled: 0n };
  for (const { apiKey, answered, cut, refused } of seen) {
    const user = users.find((each) => each.apiKey === apiKey);
    const id = user?.gatewayUserId;
    const own = id === undefined ? undefined : books.get(id);
    if (user === undefined || own === undefined) {
      faults.push(`user ${id} has no books`);
      continue;
    }
    const check = (isRight: boolean, what: string): void => {
      if (!isRight) {
        faults.push(`user ${id}: ${what}`);
      }
    };
    const same = (what: string, one: bigint, other: bigint): void => check(one === other, `${what}: ${one}, ${other}`);
    const received = answered.whole + answered.stream;
    const { rows, quota, settled } = own;
    const most = received + cut + refused;
    check(rows >= received && rows <= most, `${rows} rows of ${received} calls, ${cut} cut off and ${refused} refused`);
    check(own.wholeCompleted >= answered.whole, `${own.wholeCompleted} rows of ${answered.whole} whole responses`);
    check(own.streamsCompleted >= answered.stream, `${own.streamsCompleted} rows of ${answered.stream} streams`);
    same("rows with another cost than their tokens have, none", own.mispriced, 0n);
    same("charged to the budget, and the sum of its rows", own.used, quota);
    same("rows, and those that are settled", rows, own.settledRows);
    same("settled, and what the rows cost with the multiplier", settled, own.due);
    same("balance of the ledger, and what was granted and not settled", own.balance, user.granted - settled);
    // What the multiplier changes is granted, or taken from what was.
    same("left of the budget, and of what was granted and not settled", own.granted - own.used, user.granted - settled);
    same("balance of the ledger, and the sum of its entries", own.balance, own.entries);
    same("rows, and those of the sums by user", rows, own.summedRows);
    same("settled, and the sums by user", settled, own.summed);
    same("rows, and traces", rows, own.traces);
    same("leased when nothing runs, none", own.leased, 0n);
    same("reserved when all is settled, none", own.reserved, 0n);
    totals.rows += rows;
    totals.quota += quota;
    totals.settled += settled;
  }
  return { faults, totals };
}

/** What `check_money()` finds, a line each. */
export async function moneyFaults(db: Database): Promise<readonly string[]> {
  const violations = await db.withTransaction(
    (tx) => tx.sql`select invariant, subject, detail from check_money()`,
    unhurried,
  );
  return violations.map((violation) => `check_money: ${JSON.stringify(violation)}`);
}
