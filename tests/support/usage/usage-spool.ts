import type { Database } from "@sluice/control-plane/platform/db.ts";
import { openDatabase } from "@sluice/control-plane/platform/db-open.ts";
import type { DrainOptions } from "@sluice/control-plane/platform/spool/drain.ts";
import { isFaultOfRows } from "@sluice/control-plane/platform/spool/poison.ts";
import { openSpool, type Spool, type SpoolOptions } from "@sluice/control-plane/platform/spool/spool.ts";
import { commitUsageBatch, usageRowCodec, writeUsage } from "@sluice/control-plane/usage/log/commit-usage.ts";
import type { UsageRow } from "@sluice/control-plane/usage/log/model.ts";

export type UsageRows = { usage: UsageRow };

/** A spool of usage rows that is committed to Postgres, as the control plane does it. */
export type UsageSpool = AsyncDisposable & {
  readonly spool: Spool<UsageRows>;
  readonly db: Database;
  /** Resolves when the next batch is committed. */
  nextCommit(): Promise<void>;
};

export async function openUsageSpool(
  databaseUrl: string,
  options: Partial<SpoolOptions<UsageRows>> & { directory: string },
  drain: Partial<DrainOptions<UsageRows>> = {},
): Promise<UsageSpool> {
  const db = openDatabase({ url: databaseUrl, poolMax: 2, applicationName: "spool", statementTimeoutMs: 2_000 });
  const spool = await openSpool<UsageRows>({
    codecs: { usage: usageRowCodec },
    onWarning: () => undefined,
    ...options,
  });
  let committed = Promise.withResolvers<void>();
  spool.drain({
    commit: async ({ entries, isReplay, isRetry }) => {
      await commitUsageBatch(
        {
          leases: null,
          write: (order) =>
            writeUsage({ db, replicaId: spool.replicaId, createPartitions: async () => undefined }, order),
        },
        { rows: entries, isReplay, isRetry },
      );
      committed.resolve();
      committed = Promise.withResolvers();
    },
    isPoison: isFaultOfRows,
    onQuarantine: ({ error }) => {
      throw error;
    },
    intervalMs: 5,
    steadyIntervalMs: 5,
    ...drain,
  });
  return {
    spool,
    db,
    nextCommit: () => committed.promise,
    [Symbol.asyncDispose]: async () => {
      await spool.close();
      await db.close(1_000);
    },
  };
}
