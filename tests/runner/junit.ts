export type TestCounts = {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
};

export type TestReport = TestCounts & {
  /** The files with at least one test that ran or was skipped. */
  readonly files: ReadonlySet<string>;
};

/**
 * Reads a report of `bun test --reporter=junit`: the totals from its first element, and the files from their suites.
 * Null when the report is missing or has no totals, which means that the test process did not get to its end.
 */
export function readReport(xml: string): TestReport | null {
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
  const files = [...xml.matchAll(/<testcase\b[^>]*?\bfile="([^"]*)"/g)].map((match) => match[1] ?? "");
  return { passed: tests - failures - skippedCount, failed: failures, skipped: skippedCount, files: new Set(files) };
}

/** A group of tests that did not run for one reason. */
export type SkippedTests = { readonly reason: string; readonly count: number; readonly files: readonly string[] };

const entities: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };
const reasonPattern = /\(skipped: (.*)\)$/;

/** Why tests were skipped: `support/obstacles` puts the reason at the end of the name of the test or of its group. */
export function readSkipReasons(xml: string): SkippedTests[] {
  const found: { reason: string; file: string }[] = [];
  for (const [, attributes = ""] of xml.matchAll(/<testcase\b([^>]*[^/])>\s*<skipped\b/g)) {
    const reason = ["name", "classname"].map((name) => reasonIn(attributes, name)).find((given) => given !== null);
    found.push({ reason: reason ?? "no reason is given", file: /\bfile="([^"]*)"/.exec(attributes)?.[1] ?? "" });
  }
  return [...Map.groupBy(found, ({ reason }) => reason)].map(([reason, tests]) => {
    const files = [...new Set(tests.map(({ file }) => file))];
    return { reason, count: tests.length, files };
  });
}

function reasonIn(attributes: string, name: string): string | null {
  const value = new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1] ?? "";
  const text = value.replace(/&(\w+);/g, (whole, entity: string) => entities[entity] ?? whole);
  const group = text.split(/ > | &gt; /).find((part) => reasonPattern.test(part)) ?? text;
  return reasonPattern.exec(group)?.[1] ?? null;
}
