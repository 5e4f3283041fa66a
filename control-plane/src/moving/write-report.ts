import { usdOfQuota } from "@sluice/contracts/money";
import type { Finding } from "./model.ts";
import type { CallsReport } from "./move-calls.ts";
import type { ImportReport } from "./service.ts";
import { lineOf } from "./source/read-values.ts";
import type { UsageSum } from "./store.ts";

const titles: Readonly<Record<Finding["level"], string>> = {
  decide: "Decide, and run again",
  lost: "Not moved",
  note: "Different here",
};

/** The report for people. */
export function writeReport(report: ImportReport): string {
  const { isApplied, instance, counts, findings, leftOut, movedQuota, prices, usage } = report;
  const head = isApplied
    ? `Moved from ${instance}:`
    : `A rehearsal: nothing was kept. With --apply, this would be moved from ${instance}:`;
  const rows = [...counts].map(
    ([name, { made, changed, unchanged, kept, leftOut: left }]) =>
      `  ${name.padEnd(9)} ${made} new, ${changed} changed, ${unchanged} unchanged, ${kept} kept as they are here, ${left} left out`,
  );
  const sections = (["decide", "lost", "note"] as const).flatMap((level) => sectionOf(level, findings));
  const tables = [...leftOut].filter(([, count]) => count > 0).map(([table, count]) => `${table} (${count})`);
  return [
    head,
    ...rows,
    `  balances  ${movedQuota} quota in all, ${usdOfQuota(movedQuota)} USD`,
    ...usageLines(usage),
    ...(tables.length === 0 ? [] : [`  Tables that are not moved: ${tables.join(", ")}`]),
    ...priceLines(prices),
    ...sections,
    "",
  ].join("\n");
}

/** What happened to single calls, for people. */
export function writeCalls({ made, unchanged, leftOut, findings }: CallsReport, isApplied: boolean): string {
  const head = isApplied ? "Single calls:" : "Single calls that would be moved:";
  const sections = (["decide", "lost", "note"] as const).flatMap((level) => sectionOf(level, findings));
  return ["", `${head} ${made} new, ${unchanged} unchanged, ${leftOut} left out`, ...sections, ""].join("\n");
}

function usageLines(usage: ImportReport["usage"]): string[] {
  if (usage === null) {
    return [];
  }
  const textOf = ({ calls, inputTokens, outputTokens, quota }: UsageSum): string =>
    `${calls} calls, ${inputTokens} input and ${outputTokens} output tokens, ${quota} quota`;
  const [there, here] = [textOf(usage.there), textOf(usage.here)];
  return [`  history   ${there}, ${there === here ? "the same here" : `DIFFERENT here: ${here}`}`];
}

/** Prices in USD: input, output and cached input per million tokens, and a request. */
function priceLines(prices: ImportReport["prices"]): string[] {
  const different = prices.filter(({ isSame }) => !isSame);
  const lines = prices.map(({ model, group, there, here, isSame }) => {
    const end = isSame ? "the same here" : `DIFFERENT here: ${here}`;
    return `  ${model}, ${group}: ${there}, ${end}`;
  });
  return prices.length === 0
    ? []
    : [
        "",
        `Prices in USD of input, output and cached input per million tokens, and of a request (${different.length} of ${prices.length} differ):`,
        ...lines,
      ];
}

/** A cell there can hold anything, also what a terminal obeys; more of it than this helps nobody. */
const findingLengthMax = 2_000;

function sectionOf(level: Finding["level"], findings: readonly Finding[]): string[] {
  const found = findings.filter((finding) => finding.level === level);
  return found.length === 0
    ? []
    : ["", `${titles[level]} (${found.length}):`, ...found.map((finding) => `  ${findingLine(finding)}`)];
}

function findingLine({ table, id, text }: Finding): string {
  const line = lineOf(`${table} ${id}: ${text}`);
  return line.length > findingLengthMax ? `${line.slice(0, findingLengthMax)} ...` : line;
}
