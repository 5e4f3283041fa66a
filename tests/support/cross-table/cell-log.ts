/** Where `bun run cross-table` reads the results of the cells: a line of JSON for each, in the file that it names. */
import { appendFileSync } from "node:fs";
import type { Cell } from "./model.ts";

export type CellResult = {
  readonly client: string;
  readonly channel: string;
  readonly theme: string;
  readonly isStream: boolean;
  /** `served` by the channel, `refused` as it should be, `failed`, or `untried` for the reason given. */
  readonly result: "served" | "refused" | "failed" | "untried";
  readonly reason: string | null;
};

export const logVariable = "CROSS_TABLE_FILE";

export function logCell(
  { client, channel, theme, isStream }: Cell,
  result: CellResult["result"],
  reason: string | null,
) {
  const file = process.env[logVariable];
  if (file !== undefined) {
    const row: CellResult = { client: client.name, channel, theme, isStream, result, reason };
    appendFileSync(file, `${JSON.stringify(row)}\n`);
  }
}
