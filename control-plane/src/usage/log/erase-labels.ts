import type { Database } from "../../platform/db.ts";
import type { Log } from "../../platform/log.ts";
import { eraseLabelSums, eraseLabels } from "./labels-store.ts";

const rowsAtOnce = 2_000;
const sumsAtOnce = 10_000;
const roundsMax = 100;

/**
 * Erases the end users and tags of calls that are older than this many days, because they may be personal; nothing else of a
 * usage row ever changes. Their sums end with them, also those of calls that came too late. What a run does not reach, the next one does.
 * @returns how many calls had some
 */
export async function eraseOldLabels(db: Database, log: Log, days: number): Promise<number> {
  for (let round = 0; round < roundsMax; round += 1) {
    if ((await eraseLabelSums(db, days, sumsAtOnce)) < sumsAtOnce) {
      break;
    }
  }
  let erased = 0;
  for (let round = 0; round < roundsMax; round += 1) {
    const rows = await eraseLabels(db, days, rowsAtOnce);
    erased += rows;
    if (rows < rowsAtOnce) {
      break;
    }
  }
  if (erased > 0) {
    log.info("usage.labels_erased", { calls: erased });
  }
  return erased;
}
