import { describe, expect, test } from "bun:test";
import { middleOf, resultOf, tableOf } from "../../lighthouse/results.ts";

const audit = (score: number | null, displayValue?: string) => ({ title: `title ${score}`, score, displayValue });

function reportOf(performance: number, isIndexed: boolean): unknown {
  const category = (score: number, ...ids: readonly string[]) => ({
    score,
    auditRefs: ids.map((id) => ({ id, weight: 1, ...(id.startsWith("total") ? { group: "metrics" } : {}) })),
  });
  return {
    environment: { benchmarkIndex: 1_234.5 },
    audits: {
      "color-contrast": audit(0),
      "total-blocking-time": audit(0.5, "250\u00a0ms"),
      "is-crawlable": audit(1),
      "not-asked": audit(null),
    },
    categories: {
      performance: category(performance, "total-blocking-time"),
      accessibility: category(0.955, "color-contrast", "not-asked"),
      "best-practices": category(1),
      ...(isIndexed ? { seo: category(1, "is-crawlable") } : {}),
    },
  };
}

describe("a Lighthouse result", () => {
  test("contains its scores of 100, its figures, and every audit that costs a point except the figures themselves", () => {
    expect(resultOf("home", reportOf(0.91, true))).toEqual({
      name: "home",
      scores: { performance: 91, accessibility: 96, bestPractices: 100, seo: 100 },
      metrics: { fcp: "-", lcp: "-", tbt: "250 ms", cls: "-" },
      machine: 1_235,
      faults: ["color-contrast: title 0"],
    });
  });

  test("omits search engines if they were not checked", () => {
    expect(tableOf([resultOf("keys", reportOf(1, false))], false)).toStartWith("| keys | 100 | 96 | 100 | - | - | - |");
  });

  test("is the median of several runs, and the lower of two", () => {
    const runs = [0.7, 0.99, 0.9, 0.8].map((score) => resultOf("home", reportOf(score, true)));
    expect(middleOf(runs.slice(0, 3)).scores.performance).toBe(90);
    expect(middleOf(runs).scores.performance).toBe(80);
    expect(() => middleOf([])).toThrow("nothing was measured");
  });
});
