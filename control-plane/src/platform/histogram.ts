/** How many calls each bucket of `performance_bucket` has. */
export type Histogram = ReadonlyMap<number, number>;

/** Four buckets for each doubling. */
const bucketsPerDoubling = 4;

/** The time in the middle of a bucket, in milliseconds. */
function middleMs(bucket: number): number {
  return Math.round(2 ** ((bucket + 0.5) / bucketsPerDoubling));
}

/** The time within which a share of the calls ended, in milliseconds, right to a tenth; null without calls. */
export function percentileMs(histogram: Histogram, share: number): number | null {
  const buckets = [...histogram].filter(([, calls]) => calls > 0).sort(([one], [other]) => one - other);
  const all = buckets.reduce((sum, [, calls]) => sum + calls, 0);
  let seen = 0;
  for (const [bucket, calls] of buckets) {
    seen += calls;
    if (seen >= share * all) {
      return middleMs(bucket);
    }
  }
  return null;
}
