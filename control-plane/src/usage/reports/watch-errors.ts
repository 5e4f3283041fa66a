import { listConditions, recordCondition } from "../../events/service.ts";
import type { Database } from "../../platform/db.ts";
import { countErrors, type ErrorCount } from "./error-rate-store.ts";

export type ErrorRule = {
  /** The share of failed attempts from which on it is an event. */
  readonly percent: number;
  /** With fewer attempts, the share says nothing. */
  readonly attemptsMin: number;
};

const minutes = 5;
const prefix = "errors:";
const percentMax = 100;

/** What is counted: a channel, or all of them (null). */
type Counted = Omit<ErrorCount, "channelId" | "channel"> & {
  readonly name: string;
  readonly channelId: bigint | null;
  readonly channel: string | null;
};

/** What a share of failures means. Between the two limits, nothing changes. */
export function judgeErrors(
  { attempts, failed }: Pick<ErrorCount, "attempts" | "failed">,
  { percent, attemptsMin }: ErrorRule,
): "high" | "low" | "unclear" {
  if (attempts < attemptsMin) {
    // Nothing is known of a channel without calls; one that fails gets fewer of them.
    return attempts > 0 && failed === 0 ? "low" : "unclear";
  }
  const share = (failed / attempts) * percentMax;
  return share >= percent ? "high" : share * 2 <= percent ? "low" : "unclear";
}

/** Reports channels at which many attempts fail, and those at which it is over. */
export async function watchErrors(db: Database, rule: ErrorRule): Promise<void> {
  const counts = await countErrors(db, minutes);
  const sum = (pick: (each: ErrorCount) => number): number => counts.reduce((total, each) => total + pick(each), 0);
  const all: Counted = {
    name: `${prefix}all`,
    channelId: null,
    channel: null,
    attempts: sum(({ attempts }) => attempts),
    failed: sum(({ failed }) => failed),
  };
  const counted: Counted[] = [all, ...counts.map((each) => ({ ...each, name: `${prefix}${each.channelId}` }))];
  const known = new Set(await listConditions(db, prefix));
  for (const each of counted) {
    const verdict = judgeErrors(each, rule);
    // Only changes are worth a transaction.
    if ((verdict === "high") !== known.has(each.name) && verdict !== "unclear") {
      await report(db, each, verdict === "high");
    }
  }
}

async function report(db: Database, counted: Counted, holds: boolean): Promise<void> {
  const { name, channelId, channel, attempts, failed } = counted;
  const percent = Math.round((failed / attempts) * percentMax);
  const data = { channel_id: channelId?.toString() ?? null, channel, attempts, failed, percent, minutes };
  await db.withTransaction((tx) =>
    holds
      ? recordCondition(tx, name, { holds, type: "error_rate.high", gatewayUserId: null, data })
      : recordCondition(tx, name, { holds, type: "error_rate.recovered", gatewayUserId: null, data }),
  );
}
