import { writeSync } from "node:fs";
import type { Quota } from "@sluice/contracts/money";
import { testRandom } from "../values/test-seed.ts";
import { type Customer, usageRow } from "./usage-rows.ts";
import { openUsageSpool } from "./usage-spool.ts";

const random = testRandom();
/**
 * A separate process that finishes calls endlessly: takes a slot, leases quota, records usage rows, and writes the id
 * of each row to its output once the row is safe. It ends when it is killed.
 */
const { databaseUrl, directory, customers, callersMax } = JSON.parse(Bun.argv[2] ?? "", (key, value) =>
  key.endsWith("Id") ? BigInt(value) : value,
) as { databaseUrl: string; directory: string; customers: Customer[]; callersMax: number };

const { spool, db } = await openUsageSpool(databaseUrl, { directory, reserveBytes: 1_000_000 });
await db.sql`insert into replica (id) values (${spool.replicaId}) on conflict do nothing`;
for (const { userBudgetId } of customers) {
  await db.sql`select lease_quota(${userBudgetId}::bigint, ${spool.replicaId}, 500::bigint, 5000::bigint, 0::bigint,
    ${Date.now()}::bigint)`;
}
writeSync(1, "ready\n");

let calls = 0;

async function callForEver(): Promise<never> {
  for (;;) {
    calls += 1;
    const customer = customers[calls % customers.length];
    if (customer === undefined) {
      throw new Error("there are no customers");
    }
    const row = usageRow(customer, { quota: BigInt(calls % 7) as Quota });
    await spool.append({ kind: "usage", row });
    // Not through a stream: what is acknowledged must have left the process before it can be killed.
    writeSync(1, `${row.requestId}\n`);
    await Bun.sleep(random() * 4);
  }
}

await Promise.all(Array.from({ length: callersMax }, callForEver));
