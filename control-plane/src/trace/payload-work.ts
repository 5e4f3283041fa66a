import { createMissingPartitions } from "../db/partitions.ts";
import type { Clock } from "../platform/clock.ts";
import type { Database } from "../platform/db.ts";
import { isDatabaseOutage, isMissingPartition } from "../platform/db-errors.ts";
import type { Log } from "../platform/log.ts";
import type { PayloadSegment } from "./model.ts";
import { PayloadIntake } from "./payload-intake.ts";
import type { PayloadNews, PayloadOrder } from "./payload-thread.ts";
import { insertSegment } from "./write-store.ts";

export type PayloadWorkDeps = {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly report: (news: PayloadNews) => void;
};

/** What the second thread does with payloads: takes the orders of a `PayloadOutbox`. */
export function openPayloadWork(deps: PayloadWorkDeps): (order: PayloadOrder) => void {
  let intake: PayloadIntake | null = null;
  return (order) => {
    if (order.kind === "open") {
      const write = (segment: PayloadSegment): Promise<void> => writeSegment(deps.db, segment);
      intake = new PayloadIntake({ ...deps, write, isOutage: isDatabaseOutage }, order);
    } else {
      intake?.take(order);
    }
  };
}

/** Writes a segment, which may come again after any failure. */
async function writeSegment(db: Database, segment: PayloadSegment): Promise<void> {
  try {
    await insertSegment(db, segment);
  } catch (error) {
    if (!isMissingPartition(error)) {
      throw error;
    }
    await createMissingPartitions(db, "payload_segment", [segment.day]);
    await insertSegment(db, segment);
  }
}
