import { csvHeaders, csvWriter } from "../../platform/csv.ts";
import type { listEarlierUsage } from "./earlier-store.ts";

const csv = csvWriter(["day", "gateway", "model", "calls", "input_tokens", "output_tokens", "quota"]);

/** A file with a line for each day and model of the time before the account was moved. */
export function earlierFile(rows: Awaited<ReturnType<typeof listEarlierUsage>>): Response {
  return new Response([csv.head, ...rows.map((row) => csv.line(row))].join(""), {
    headers: csvHeaders("usage-before-the-move.csv"),
  });
}
