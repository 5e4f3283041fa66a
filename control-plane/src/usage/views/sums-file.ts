import { tokenColumns } from "@sluice/contracts/priced-units";
import type { UsageSummary, usageSumsBy } from "@sluice/contracts/usage";
import { csvHeaders, csvWriter } from "../../platform/csv.ts";

type By = (typeof usageSumsBy)[number];

/** What a line is about: its columns before the sums. */
const named: Readonly<Record<By, readonly string[]>> = {
  day: ["day"],
  model: ["model"],
  key: ["key_id", "key_name"],
  member: ["member_id", "member_email"],
  project: ["project_id", "project_name"],
};

const sums = ["calls", "completed_calls", "failed_calls", ...tokenColumns, "quota", "settled_quota"];

/** A file with a line for each day, model, key, member or project of a range. Of a range, quota is exact; 500,000 are 1 USD. */
export function sumsFile(summary: UsageSummary, by: By): Response {
  const { head, line } = csvWriter(["from_day", "to_day", ...named[by], ...sums]);
  const range = { from_day: summary.from_day, to_day: summary.to_day };
  const lines = summary[`by_${by}`].map((part) => line({ ...range, ...part }));
  return new Response([head, ...lines].join(""), {
    headers: csvHeaders(`usage-by-${by}-${summary.from_day}-${summary.to_day}.csv`),
  });
}
