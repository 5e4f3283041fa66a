/**
 * A test program that settles an order in a separate process: several notices at once, and a crash at one point of the
 * settlement on request. Reads one JSON line of arguments; writes one line with the results.
 */
import type { PaidNotice } from "@sluice/control-plane/payments/model.ts";
import type { FaultInjector, FaultPoint } from "@sluice/control-plane/payments/port.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { billingDeps } from "./billing-scene.ts";
import { deliverUntilTaken } from "./payers.ts";

type PayerOrder = {
  readonly url: string;
  readonly notice: PaidNotice;
  readonly times: number;
  readonly diesAt: FaultPoint | null;
};

async function main(): Promise<void> {
  const { url, notice, times, diesAt } = JSON.parse(process.argv[2] ?? "") as PayerOrder;
  const db = openDatabase({ url, poolMax: 8, applicationName: "payer" });
  const fault: FaultInjector = (point) => {
    if (point === diesAt) {
      process.kill(process.pid, "SIGKILL");
    }
  };
  const deps = billingDeps(db);
  const results = await Promise.all(Array.from({ length: times }, () => deliverUntilTaken(deps, notice, { fault })));
  process.stdout.write(`${JSON.stringify(results)}\n`);
  await db.close(500);
}

await main();
