import { writeSync } from "node:fs";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { settleNextRows } from "@sluice/control-plane/usage/settlement/settlement-store.ts";

/**
 * A separate process that settles usage endlessly, a few rows at a time, and writes a line after each step. It ends
 * when it is killed.
 */
const { databaseUrl, rowsMax } = JSON.parse(Bun.argv[2] ?? "") as { databaseUrl: string; rowsMax: number };

const db = openDatabase({ url: databaseUrl, poolMax: 1, applicationName: "settlement-runner", role: "sluice_app" });
writeSync(1, "ready\n");
for (;;) {
  try {
    const { outcome, rowsSettled } = await settleNextRows(db, { rowsMax, isReconciled: false, shard: null });
    writeSync(1, `${outcome} ${rowsSettled}\n`);
    if (outcome !== "more") {
      await Bun.sleep(2);
    }
  } catch (error) {
    // Its connection was ended; the next statement opens another.
    writeSync(1, `failed ${(error as Error).name}\n`);
    await Bun.sleep(2);
  }
}
