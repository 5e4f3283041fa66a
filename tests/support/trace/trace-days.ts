import type { RequestId } from "@sluice/contracts/ids";
import { createMissingPartitions } from "@sluice/control-plane/db/partitions.ts";
import { dayMs, systemClock, utcDay } from "@sluice/control-plane/platform/clock.ts";
import type { MasterKey } from "@sluice/control-plane/platform/crypto/master-key.ts";
import type { Database } from "@sluice/control-plane/platform/db.ts";
import { commitTraces, TraceService } from "@sluice/control-plane/trace/service.ts";
import { toSpooledTrace } from "@sluice/control-plane/trace/trace-row.ts";
import { PayloadPair } from "./payload-pair.ts";
import { PayloadCounts, payloadOf, silentLog, traceRowOf } from "./trace-fixtures.ts";

export type TraceDay = { readonly day: string; readonly requestIds: readonly RequestId[] };

/**
 * Stores payloads ("a prompt"), and the trace of their calls, as the program would have so many days ago.
 * @throws when the day takes no payloads (any more)
 */
export async function fillTraceDay(
  db: Database,
  masterKey: MasterKey,
  { daysAgo, payloads = 3 }: { readonly daysAgo: number; readonly payloads?: number },
): Promise<TraceDay> {
  const counts = new PayloadCounts();
  // The clock is stopped, so that midnight can't come meanwhile.
  const nowMs = Date.now() - daysAgo * dayMs;
  const day = utcDay(nowMs);
  for (const table of ["payload_segment", "payload_record", "trace_record"] as const) {
    await createMissingPartitions(db, table, [day]);
  }
  const trace = new TraceService({
    db,
    masterKey,
    clock: { ...systemClock, now: () => nowMs },
    log: silentLog,
    thread: PayloadPair.on(db),
    append: () => undefined,
    limits: { bodyBytesMax: 1_000, queueBytesMax: 1_000_000, queueCountMax: 100 },
    observer: counts,
  });
  await trace.start();
  const made = Array.from({ length: payloads }, () => payloadOf({ day, request: "a prompt" }));
  const fates = made.map((payload) => trace.storePayload(payload));
  if (fates.includes("dropped")) {
    await trace.close(0);
    throw new Error("the payloads were dropped");
  }
  const requestIds = made.map(({ requestId }) => requestId);
  await commitTraces(
    db,
    requestIds.map((requestId) => toSpooledTrace(traceRowOf({ day, requestId }))),
  );
  await counts.untilStored(payloads);
  await trace.close(1_000);
  return { day, requestIds };
}
