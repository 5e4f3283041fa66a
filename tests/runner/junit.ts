export type TestCounts = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
};

/**
 * Reads the totals from the first element of a report of `bun test --reporter=junit`.
 * Null when the report is missing or has no totals, which means that the test process did not get to its end.
 */
export function readJunitTotals(xml: string): TestCounts | null {
  const root = /<testsuites\b[^>]*>/.exec(xml)?.[0];
  if (root === undefined) {
    return null;
  }
  const [tests, failures, skipped] = ["tests", "failures", "skipped"].map((name) => {
    const value = new RegExp(`\\b${name}="(\\d+)"`).exec(root)?.[1];
    return value === undefined ? Number.NaN : Number(value);
  });
  if (tests === undefined || failures === undefined || skipped === undefined || Number.isNaN(tests + failures)) {
    return null;
  }
  const skippedCount = Number.isNaN(skipped) ? 0 : skipped;
  return { passed: tests - failures - skippedCount, failed: failures, skipped: skippedCount };
}
