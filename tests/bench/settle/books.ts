import type { ReplicaId } from "@sluice/contracts/ids";
import type { CallRows, CallsSummary } from "@sluice/control-plane/compose/call-rows.ts";
import { commitCalls } from "@sluice/control-plane/compose/commit-work.ts";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import type { DrainOptions } from "@sluice/control-plane/platform/spool/drain.ts";
import type { SpoolEntry } from "@sluice/control-plane/platform/spool/model.ts";
import { isFaultOfRows } from "@sluice/control-plane/platform/spool/poison.ts";
import { traceOfCall } from "../../support/trace/trace-of-call.ts";
import { recordedRows } from "../../support/usage/recorded-calls.ts";
import { type Customer, createCustomer, usageRow } from "../../support/usage/usage-rows.ts";

const customersMax = 20;
const granted = 10n ** 12n;
const replicaId = "bench" as ReplicaId;

/** The database that the rows go to, with the customers that they are charged to. */
export type Books = AsyncDisposable & {
  readonly db: Database;
  /** The rows of one finished call. */
  call(): SpoolEntry<CallRows>[];
  readonly drain: DrainOptions<CallRows, CallsSummary>;
  /** Usage rows in the database; throws when what the budgets were charged is not exactly what the rows say. */
  count(): Promise<number>;
};

export async function openBooks(databaseUrl: string): Promise<Books> {
  const db = openDatabase({ url: databaseUrl, poolMax: 2, applicationName: "bench" });
  const today = new Date().toISOString().slice(0, 10);
  await createMissingPartitions(db, "usage_log", [today]);
  await createMissingPartitions(db, "trace_record", [today]);
  const customers = await Promise.all(Array.from({ length: customersMax }, () => createCustomer(db, granted)));
  let calls = 0;
  return {
    db,
    call: () => {
      calls += 1;
      return rowsOfCall(customers[calls % customersMax] as Customer);
    },
    drain: {
      commit: async ({ texts, summary }) => {
        const { charges, usageDays, traceDays } = summary;
        const usage = { sums: charges.list, days: [...usageDays] };
        await commitCalls(db, { replicaId, texts, usage, traceDays: [...traceDays], isNew: false });
      },
      isPoison: isFaultOfRows,
      onQuarantine: ({ error }) => {
        throw error;
      },
      onRetry: (error) => {
        throw error;
      },
    },
    count: async () => {
      const violations = await db.sql`select * from check_money()`;
      const [row] = await db.sql<{ rows: number }>`select count(*)::integer as rows from usage_log`;
      if (violations.length > 0 || row === undefined) {
        throw new Error(`the books are wrong: ${JSON.stringify(violations)}`);
      }
      return row.rows;
    },
    [Symbol.asyncDispose]: () => db.close(1_000),
  };
}

function rowsOfCall(customer: Customer): SpoolEntry<CallRows>[] {
  const usage = usageRow(customer);
  return recordedRows(usage, traceOfCall(usage));
}
