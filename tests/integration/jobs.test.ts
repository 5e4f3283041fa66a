import { expect, test } from "bun:test";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import { createLog } from "@sluice/control-plane/platform/log.ts";
import { type Job, startJobs } from "@sluice/control-plane/platform/schedule-jobs.ts";
import { createTestDatabase } from "../support/postgres/test-database.ts";

test("a job that takes longer than a transaction may be idle still runs on only one replica", async () => {
  await using database = await createTestDatabase();
  const idleMs = 100;
  const replicas = [0, 1].map(() =>
    openDatabase({
      url: database.url,
      poolMax: 2,
      applicationName: "test",
      idleInTransactionTimeoutMs: idleMs,
    }),
  );
  const lines: string[] = [];
  const log = createLog("debug", (line) => lines.push(line));
  const seen = { running: 0, most: 0 };
  const enough = Promise.withResolvers<void>();
  const job: Job = {
    name: "slow",
    pattern: "* * * * * *",
    run: async (db) => {
      seen.running += 1;
      seen.most = Math.max(seen.most, seen.running);
      // Over one of the times at which the other replica wakes up.
      await db.sql`select pg_sleep(1.5)`;
      seen.running -= 1;
      enough.resolve();
    },
  };
  const started = replicas.map((db) => startJobs([job], db, log));
  await enough.promise;
  for (const jobs of started) {
    jobs.stop();
  }
  await Promise.all(replicas.map((db) => db.close(5_000)));
  expect(lines.filter((line) => line.includes("jobs.failed"))).toEqual([]);
  expect(seen.most).toBe(1);
});
