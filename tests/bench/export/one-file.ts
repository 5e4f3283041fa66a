/** Reads one file of calls to its end, as fast as it comes, and prints on stdout what that took: url, format, days. */
import { usage } from "@sluice/control-plane/admin/lists/gateway-lists-store.ts";
import { systemClock } from "@sluice/control-plane/platform/clock.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { readListRequest } from "@sluice/control-plane/platform/list-query/endpoints.ts";
import { ListExports } from "@sluice/control-plane/platform/list-query/list-export.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import type { ExportMeasure } from "./run.ts";

const rowsMax = 2_000_000;
const dayMs = 86_400_000;

const [url = "", format = "csv", days = "1"] = Bun.argv.slice(2);
const db = openDatabase({ url, poolMax: 2, applicationName: "bench", statementTimeoutMs: 60_000 });
const [newest] = await db.sql<{ day: string }>`select max(day)::text as day from usage_log`;
const to_day = newest?.day ?? "";
const from_day = new Date(Date.parse(to_day) - (Number(days) - 1) * dayMs).toISOString().slice(0, 10);
// A tenth of all calls are the first user's.
const asked = { sort: "-time", limit: 25, zone: "UTC", user_id: 1n, from_day, to_day };
const exports = new ListExports({ db, clock: systemClock, log: createLog("error", () => undefined), rowsMax });
let rows = 0;
const started = performance.now();
const file = await exports.open(
  usage,
  readListRequest(usage, asked, Date.now()),
  format === "json" ? "json" : "csv",
  (count) => {
    rows = count;
    return Promise.resolve();
  },
);
Bun.gc(true);
const rssBefore = process.memoryUsage.rss();
let rssMost = rssBefore;
let bytes = 0;
for await (const piece of file.body ?? []) {
  bytes += piece.byteLength;
  rssMost = Math.max(rssMost, process.memoryUsage.rss());
}
const seconds = (performance.now() - started) / 1_000;
console.log(JSON.stringify({ rows, bytes, seconds, rssBefore, rssMost } satisfies ExportMeasure));
await db.close(1_000);
