import { type CallHistogramInput, histogramDaysMax } from "@sluice/contracts/call-histogram";
import { dayMs } from "../../platform/clock.ts";
import type { Database } from "../../platform/db.ts";
import { AppError } from "../../platform/errors.ts";
import { countCallBars, countedFilters } from "./call-histogram-store.ts";
import { readUsageAsOf } from "./usage-sums-store.ts";

const quarterMs = 900_000;
const hourMs = 3_600_000;
const barsMax = 100;
/** From a quarter hour on, which is the resolution of the sums. */
const barLengthsMs = [quarterMs, hourMs, 2 * hourMs, 6 * hourMs, dayMs, 7 * dayMs] as const;

/**
 * The calls of a time in at most a hundred bars, as far as the sums know the filters.
 * @throws AppError `invalid_parameter` for a time that ends before it begins, or is too long
 */
export async function readCallHistogram(db: Database, input: CallHistogramInput, nowMs: number) {
  const toMs = input.to?.getTime() ?? nowMs;
  const fromMs = input.from?.getTime() ?? toMs - dayMs;
  if (fromMs >= toMs || toMs - fromMs > histogramDaysMax * dayMs) {
    throw new AppError("invalid_parameter", { fields: { from: `Choose at most ${histogramDaysMax} days.` } });
  }
  const barMs = barLengthsMs.find((ms) => (toMs - fromMs) / ms <= barsMax) ?? 7 * dayMs;
  const beginMs = Math.floor(fromMs / barMs) * barMs;
  const spans = Array.from({ length: Math.ceil((toMs - beginMs) / barMs) }, (_, index) => ({
    from: new Date(beginMs + index * barMs),
    to: new Date(beginMs + (index + 1) * barMs),
  }));
  return await db.withTransaction(
    async (tx) => {
      const counted = new Map((await countCallBars(tx, spans, input)).map(({ bar, ...counts }) => [bar, counts]));
      return {
        from: new Date(beginMs),
        to: spans.at(-1)?.to ?? new Date(toMs),
        bar_ms: barMs,
        filters: [...countedFilters(input)],
        as_of: await readUsageAsOf(tx),
        bars: spans.map(({ from }, bar) => ({ starts_at: from, ...(counted.get(bar) ?? none) })),
      };
    },
    { isolation: "repeatable read", isPageRead: true },
  );
}

const none = { calls: 0n, completed: 0n, aborted: 0n, failed: 0n, refused: 0n };
