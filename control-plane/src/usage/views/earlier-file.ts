import { csvHeaders, csvWriter } from "../../platform/csv.ts";
import { csvFile } from "./csv-file.ts";
import type { EarlierPlace, listEarlierCalls, listEarlierUsage } from "./earlier-store.ts";

const csv = csvWriter(["day", "gateway", "model", "calls", "input_tokens", "output_tokens", "quota"]);

/** A file with a line for each day and model of the time before the account was moved. */
export function earlierFile(rows: Awaited<ReturnType<typeof listEarlierUsage>>): Response {
  return new Response([csv.head, ...rows.map((row) => csv.line(row))].join(""), {
    headers: csvHeaders("usage-before-the-move.csv"),
  });
}

const calls = csvWriter(["made_at", "gateway", "key_name", "model", "input_tokens", "output_tokens", "quota"]);

/** A file with a line for each call of the time before the account was moved. */
export function earlierCallsFile(
  readPage: (after: EarlierPlace | null) => ReturnType<typeof listEarlierCalls>,
): Response {
  return csvFile(calls, "calls-before-the-move.csv", async (after: EarlierPlace | null) => {
    const rows = await readPage(after);
    const last = rows.at(-1);
    return { rows, next: last === undefined ? null : { madeAt: last.made_at, id: last.id } };
  });
}
