import type { CellResult } from "../support/cross-table/cell-log.ts";
import { type ClientFacts, dialects, type Theme, themes } from "../support/cross-table/model.ts";

const columns: readonly (readonly [Theme, isStream: boolean])[] = [
  ...themes.map((theme) => [theme, false] as const),
  ...themes.map((theme) => [theme, true] as const),
];
const titles = ["client", "channel", ...columns.map(([theme, isStream]) => (isStream ? `${theme} ~` : theme))];
const works = "yes";
const failed = "FAIL";
const unknown = "?";

/** The reasons of a table, each with the number under which squares name it. */
class Reasons {
  readonly #numbers = new Map<string, number>();

  numberOf(reason: string): string {
    const number = this.#numbers.get(reason) ?? this.#numbers.size + 1;
    this.#numbers.set(reason, number);
    return String(number);
  }

  lines(): string[] {
    return [...this.#numbers].map(([reason, number]) => `${number}  ${reason}`);
  }
}

/**
 * The table as text: a line for each client and channel, with a column for each theme, whole and streamed.
 * @returns with how many squares nothing is known of
 */
export function formatTable(
  clients: readonly ClientFacts[],
  results: readonly CellResult[],
): { readonly text: string; readonly missing: number } {
  const reasons = new Reasons();
  let missing = 0;
  const square = (client: string, channel: string, [theme, isStream]: (typeof columns)[number]): string => {
    const found = results.find(
      (one) => one.client === client && one.channel === channel && one.theme === theme && one.isStream === isStream,
    );
    if (found === undefined) {
      missing += 1;
      return unknown;
    }
    const { result, reason } = found;
    if (result === "served") {
      return works;
    }
    return result === "failed" ? failed : reasons.numberOf(reason ?? "");
  };
  const rows = clients.flatMap(({ name, note }) =>
    dialects.map((channel, index) => [
      index === 0 ? `${name}${note === undefined ? "" : ` (${reasons.numberOf(note)})`}` : "",
      channel,
      ...columns.map((column) => square(name, channel, column)),
    ]),
  );
  const counts = countResults(results, missing);
  return { text: [...align([titles, ...rows]), "", "~  streamed", ...reasons.lines(), "", counts].join("\n"), missing };
}

function countResults(results: readonly CellResult[], missing: number): string {
  const count = (result: CellResult["result"]): number => results.filter((one) => one.result === result).length;
  const unknownText = missing > 0 ? `, ${missing} unknown (${unknown})` : "";
  return `${count("served")} served, ${count("refused")} refused as they should be, ${count("untried")} untried for the reason given, ${count("failed")} failed${unknownText}`;
}

function align(rows: readonly (readonly string[])[]): string[] {
  const widths = titles.map((_, column) => Math.max(...rows.map((row) => (row[column] ?? "").length)));
  return rows.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
