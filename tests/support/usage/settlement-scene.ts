import type { ReplicaId, RequestId } from "@sluice/contracts/ids";
import type { Decimal, Quota } from "@sluice/contracts/money";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { Database, Transaction } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { createLog, type LogFields } from "@sluice/control-plane/platform/log.ts";
import { commitUsage, toUsageOrder } from "@sluice/control-plane/usage/log/commit-usage.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";
import type { SettlementRun } from "@sluice/control-plane/usage/settlement/model.ts";
import { UsageSettlement } from "@sluice/control-plane/usage/settlement/usage-settlement.ts";
import { Registry } from "prom-client";
import { createTestDatabase, type TestDatabase } from "../postgres/test-database.ts";
import { patienceMs } from "../values/patience.ts";
import { ceiling, fromDecimal, fromInteger, times } from "../values/rational.ts";
import { type Customer, createCustomer, encoded, usageRow } from "./usage-rows.ts";

const granted = 10n ** 17n;
const dayMs = 86_400_000;
const replica = "replica one" as ReplicaId;

/** What is known about a row from outside: what it should be settled as. */
export type Expected = { readonly customer: Customer; readonly base: bigint; readonly multiplier: string };

/** A database with customers whose calls are recorded and settled, without the rest of the program. */
export class SettlementScene implements AsyncDisposable {
  readonly database: TestDatabase;
  /** Works as the role of the application. */
  readonly db: Database;
  /** Owns everything: for what none of our programs may do. */
  readonly owner: Database;
  readonly customers: readonly Customer[];
  readonly registry = new Registry();
  readonly settlement: UsageSettlement;
  /** Every line of the log of the settlement. */
  readonly lines: LogFields[] = [];
  /** Every row that was committed with `commit`. */
  readonly expected = new Map<RequestId, Expected>();

  private constructor(database: TestDatabase, databases: { db: Database; owner: Database }, customers: Customer[]) {
    this.database = database;
    this.db = databases.db;
    this.owner = databases.owner;
    this.customers = customers;
    const log = createLog("debug", (line) => this.lines.push(JSON.parse(line) as LogFields));
    this.settlement = new UsageSettlement({ db: this.db, clock: systemClock, log, registry: this.registry });
  }

  /** With a checkpoint already, so that the cursor is what finds the rows. */
  static async create(customerCount = 2, poolMax = 6): Promise<SettlementScene> {
    const database = await createTestDatabase();
    const options = {
      url: database.url,
      applicationName: "test",
      statementTimeoutMs: 30_000,
      acquireTimeoutMs: patienceMs,
    };
    const db = openDatabase({ ...options, poolMax, role: "sluice_app" });
    // A check of a million rows takes a busy machine minutes.
    const owner = openDatabase({ ...options, statementTimeoutMs: 600_000, poolMax: 2 });
    await db.sql`insert into replica (id) values (${replica})`;
    const days = [-1, 0, 1].map((ahead) => utcDay(Date.now() + ahead * dayMs));
    await createMissingPartitions(db, "usage_log", days);
    const customers: Customer[] = [];
    for (let each = 0; each < customerCount; each += 1) {
      customers.push(await createCustomer(db, granted));
    }
    const scene = new SettlementScene(database, { db, owner }, customers);
    await scene.settlement.run();
    return scene;
  }

  /** With a call that is not settled yet, whose multiplier is one. */
  static async createWithCall(): Promise<{ readonly scene: SettlementScene; readonly call: UsageRow }> {
    const scene = await SettlementScene.create();
    const call = scene.row(0, 10n, "1.0000");
    await createMissingPartitions(scene.db, "usage_settlement", [call.day]);
    await scene.commit(call);
    return { scene, call };
  }

  customer(index: number): Customer {
    const customer = this.customers[index % this.customers.length];
    if (customer === undefined) {
      throw new Error("there are no customers");
    }
    return customer;
  }

  row(index: number, base: bigint, multiplier: string, changes: Partial<UsageRow> = {}): UsageRow {
    const prices = { quota: base as Quota, quotaHeld: base as Quota, rateMultiplier: multiplier as Decimal };
    return usageRow(this.customer(index), { ...prices, ...changes });
  }

  /** Writes rows as the spool does, and charges their budgets. They are expected from now on. */
  async commit(...rows: readonly UsageRow[]): Promise<void> {
    await this.db.withTransaction((tx) => this.write(tx, ...rows));
    this.expect(...rows);
  }

  /** The same inside a transaction that the test ends itself. */
  async write(tx: Transaction, ...rows: readonly UsageRow[]): Promise<void> {
    await commitUsage(tx, replica, toUsageOrder(encoded(...rows)));
  }

  expect(...rows: readonly UsageRow[]): void {
    for (const row of rows) {
      const customer = this.customers.find(({ gatewayUserId }) => gatewayUserId === row.gatewayUserId);
      if (customer === undefined) {
        throw new Error("the row does not belong to a customer");
      }
      this.expected.set(row.requestId, { customer, base: row.quota, multiplier: row.rateMultiplier });
    }
  }

  /** A run, once no other transaction of this server is older than the rows that can be seen. */
  async run(options: { readonly isReconciled?: boolean } = {}): Promise<SettlementRun> {
    await waitUntilSettleable(this.db);
    return await this.settlement.run(options);
  }

  /** How many rows are settled. */
  async countSettled(): Promise<number> {
    const [row] = await this.db.sql<{ rows: number }>`select count(*)::integer as rows from settled_call`;
    return row?.rows ?? 0;
  }

  /**
   * Everything that is wrong: rows not settled, settled twice, or otherwise than arithmetic with fractions says; users
   * whose sums in settlement, ledger and budget differ from it; violated invariants.
   */
  async faults(): Promise<unknown[]> {
    return [...(await this.#faultsOfRows()), ...(await this.#faultsOfSums()), ...(await this.checkMoney())];
  }

  /** Does what triggers prevent, which superusers can disable. */
  async withoutTriggers(...statements: readonly string[]): Promise<void> {
    await this.owner.withTransaction(async (tx) => {
      for (const statement of ["set local session_replication_role = replica", ...statements]) {
        await tx.query(statement, []);
      }
    });
  }

  /** Gives each listed call the row that earlier releases have written for it. */
  async forgetLists(): Promise<void> {
    // Lists need no partition, so a day may have none, as one that has just begun.
    const listed = await this.owner.sql<{ day: string }>`
      select distinct day::text as day from settled_call where settled_quota is null`;
    await createMissingPartitions(
      this.db,
      "usage_settlement",
      listed.map(({ day }) => day),
    );
    await this.withoutTriggers(
      `insert into usage_settlement (day, request_id, batch_id, gateway_user_id, base_quota, rate_multiplier, settled_quota, quota_delta)
       select day, request_id, s.batch_id, u.gateway_user_id, u.quota, 1, u.quota, 0
       from settled_call s join usage_log u using (day, request_id) where s.settled_quota is null`,
      "delete from settled_calls",
    );
  }

  async checkMoney(): Promise<unknown[]> {
    return [...(await this.owner.sql`select * from check_money()`)];
  }

  async #faultsOfRows(): Promise<unknown[]> {
    const rows = await this.db.sql<{ id: RequestId; base: bigint; settled: bigint; delta: bigint }>`
      select s.request_id::text as id, coalesce(s.base_quota, s.settled_quota, u.quota) as base,
        coalesce(s.settled_quota, u.quota) as settled, coalesce(s.quota_delta, 0) as delta
      from settled_call s left join usage_log u using (day, request_id)`;
    const faults: unknown[] = [];
    const seen = new Set<RequestId>();
    for (const row of rows) {
      const expected = this.expected.get(row.id);
      const settled = expected === undefined ? null : settledExactly(expected);
      if (seen.has(row.id) || row.settled !== settled || row.delta !== settled - row.base) {
        faults.push({ row, expected, settled, isTwice: seen.has(row.id) });
      }
      seen.add(row.id);
    }
    return [...faults, ...[...this.expected].filter(([id]) => !seen.has(id)).map(([id]) => `${id} is not settled`)];
  }

  async #faultsOfSums(): Promise<unknown[]> {
    const sums = new Map<bigint, { base: bigint; settled: bigint }>();
    for (const expected of this.expected.values()) {
      const sum = sums.get(expected.customer.gatewayUserId) ?? { base: 0n, settled: 0n };
      sums.set(expected.customer.gatewayUserId, {
        base: sum.base + expected.base,
        settled: sum.settled + settledExactly(expected),
      });
    }
    const rows = await this.db.sql<{ id: bigint; used: bigint; granted: bigint; reserved: bigint; balance: bigint }>`
      select b.gateway_user_id as id, b.used, b.granted, b.reserved, a.balance
      from budget b join ledger_account a on a.gateway_user_id = b.gateway_user_id`;
    return rows.filter((row) => {
      const { base, settled } = sums.get(row.id) ?? { base: 0n, settled: 0n };
      const isRight =
        row.used === base &&
        row.granted === granted - (settled - base) &&
        row.reserved === 0n &&
        row.balance === granted - settled;
      return !isRight;
    });
  }

  /** A transaction with rows that stays open until it is ended. */
  async holdOpen(...rows: readonly UsageRow[]) {
    const isWritten = Promise.withResolvers<void>();
    const end = Promise.withResolvers<"commit" | "rollback">();
    const outcome = this.db
      .withTransaction(async (tx) => {
        await this.write(tx, ...rows);
        isWritten.resolve();
        if ((await end.promise) === "rollback") {
          throw new Error("rolled back");
        }
        this.expect(...rows);
      })
      .catch((error: Error) => {
        isWritten.reject(error);
      });
    await isWritten.promise;
    return async (how: "commit" | "rollback"): Promise<void> => {
      end.resolve(how);
      await outcome;
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.db.close(1_000);
    await this.owner.close(1_000);
    await this.database.drop();
  }
}

/** Other tests work on the same server, and their open transactions hold the cursor back like our own. */
export async function waitUntilSettleable(db: Database, timeoutMs = patienceMs): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const [row] = await db.sql<{ waits: boolean }>`
      select exists (select 1 from usage_log where xid >= pg_snapshot_xmin(pg_current_snapshot())
        and xid < pg_snapshot_xmax(pg_current_snapshot())) as waits`;
    if (row?.waits !== true) {
      return;
    }
    if (performance.now() > deadline) {
      const [oldest] = await db.sql<{ shown: string }>`
        select concat_ws(', ', datname, application_name, state, now() - xact_start, left(query, 200)) as shown
        from pg_stat_activity where backend_xid is not null order by age(backend_xid) desc limit 1`;
      throw new Error(`a transaction is open for more than ${timeoutMs} ms: ${oldest?.shown ?? "none any more"}`);
    }
    await Bun.sleep(10);
  }
}

function settledExactly({ base, multiplier }: Expected): bigint {
  return ceiling(times(fromInteger(base), fromDecimal(multiplier)));
}
