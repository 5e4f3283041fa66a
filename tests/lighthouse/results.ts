/** Of 100. */
type Scores = {
  readonly performance: number;
  readonly accessibility: number;
  readonly bestPractices: number;
  /** Null if it was not requested. */
  readonly seo: number | null;
};

export type PageResult = {
  readonly name: string;
  readonly scores: Scores;
  /** The figures behind the performance score, as Lighthouse writes them: `1.2 s`. */
  readonly metrics: Readonly<Record<"fcp" | "lcp" | "tbt" | "cls", string>>;
  /** The measured speed of the machine: below 1,000 Lighthouse itself warns that figures are too low. */
  readonly machine: number;
  /** The audits that cost a point, by name, with their findings. */
  readonly faults: readonly string[];
};

type Audit = {
  readonly title: string;
  readonly score: number | null;
  readonly scoreDisplayMode: string;
  readonly displayValue?: string;
};
type Category = {
  readonly score: number | null;
  readonly auditRefs: readonly { readonly id: string; readonly weight: number; readonly group?: string }[];
};
type Report = {
  readonly environment: { readonly benchmarkIndex: number };
  readonly audits: Readonly<Record<string, Audit>>;
  readonly categories: Readonly<Record<string, Category>>;
};

const full = 100;

/** The summary of a Lighthouse report. */
export function resultOf(name: string, report: unknown): PageResult {
  const { audits, categories, environment } = report as Report;
  const score = (category: Category | undefined): number => Math.round((category?.score ?? 0) * full);
  const metric = (id: string): string => (audits[id]?.displayValue ?? "-").replaceAll("\u00a0", " ");
  const weighed = Object.values(categories).flatMap(({ auditRefs }) => auditRefs.filter(({ weight }) => weight > 0));
  return {
    name,
    scores: {
      performance: score(categories["performance"]),
      accessibility: score(categories["accessibility"]),
      bestPractices: score(categories["best-practices"]),
      seo: categories["seo"] === undefined ? null : score(categories["seo"]),
    },
    metrics: {
      fcp: metric("first-contentful-paint"),
      lcp: metric("largest-contentful-paint"),
      tbt: metric("total-blocking-time"),
      cls: metric("cumulative-layout-shift"),
    },
    machine: Math.round(environment.benchmarkIndex),
    faults: weighed.flatMap(({ id, group }) => {
      const audit = audits[id];
      return audit === undefined || group === "metrics" || audit.score === null || audit.score === 1
        ? []
        : [`${id}: ${audit.title}`];
    }),
  };
}

/**
 * Of several runs the one whose performance is in the middle.
 * @throws Error when there is none
 */
export function middleOf(runs: readonly PageResult[]): PageResult {
  const sorted = [...runs].sort((a, b) => a.scores.performance - b.scores.performance);
  const middle = sorted[Math.floor((sorted.length - 1) / 2)];
  if (middle === undefined) {
    throw new Error("nothing was measured");
  }
  return middle;
}

/** A table in Markdown. */
export function tableOf(results: readonly PageResult[], hasHead = true): string {
  const head = [
    "| page | performance | accessibility | best practices | SEO | FCP | LCP | TBT | CLS | machine |",
    "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |",
  ];
  const rows = results.flatMap(({ name, scores, metrics, machine, faults }) => [
    `| ${[name, ...Object.values(scores).map((score) => score ?? "-"), metrics.fcp, metrics.lcp, metrics.tbt, metrics.cls, machine].join(" | ")} |`,
    ...faults.map((fault) => `  ${fault}`),
  ]);
  return [...(hasHead ? head : []), ...rows].join("\n");
}
