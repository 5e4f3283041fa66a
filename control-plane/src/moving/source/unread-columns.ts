import type { Finding } from "../model.ts";
import type { Row, Source } from "./model.ts";

/** What is read of a table, and what has no meaning here, such as times and counters. All else is in the report. */
export type KnownColumns = {
  readonly read: readonly string[];
  readonly immaterial: readonly string[];
  /** What columns hold that are known and not moved. */
  readonly lost?: Readonly<Record<string, string>>;
};

/** Values that a column without a meaning for its row has. */
const emptyTexts = new Set(["", "0", "false", "{}", "[]", "null"]);
const nameLengthMax = 60;
const columnsMax = 100;

/** Counts the rows that have a value in a column that nothing reads, so that none is dropped in silence. */
export class UnreadColumns {
  readonly #table: string;
  readonly #known: KnownColumns;
  readonly #counts: Map<string, number>;

  private constructor(table: string, known: KnownColumns, unread: readonly string[]) {
    this.#table = table;
    this.#known = known;
    this.#counts = new Map(unread.map((name) => [name, 0]));
  }

  static async of(source: Source, table: string, known: KnownColumns): Promise<UnreadColumns> {
    const used = new Set([...known.read, ...known.immaterial]);
    const columns = (await source.columnsOf(table)) ?? new Set();
    return new UnreadColumns(
      table,
      known,
      [...columns].filter((name) => !used.has(name)),
    );
  }

  see(row: Row): void {
    for (const [name, count] of this.#counts) {
      if (!isEmpty(row[name])) {
        this.#counts.set(name, count + 1);
      }
    }
  }

  /** @param shown how the table is called in the report */
  note(findings: Finding[], shown = this.#table): void {
    const { lost = {} } = this.#known;
    const used = [...this.#counts].filter(([, count]) => count > 0);
    for (const [name, count] of used.slice(0, columnsMax)) {
      const rows = count === 1 ? "1 row has a value in it" : `${count} rows have a value in it`;
      const what = lost[name] ?? "It is unknown to this import: see whether you need it.";
      const id = `column ${name.slice(0, nameLengthMax)}`;
      findings.push({ level: "lost", table: shown, id, text: `Not moved; ${rows}. ${what}` });
    }
    if (used.length > columnsMax) {
      const text = "Not moved; they are unknown to this import.";
      findings.push({ level: "lost", table: shown, id: `${used.length - columnsMax} further columns`, text });
    }
  }
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined) {
    return true;
  }
  if (value instanceof Date) {
    return false;
  }
  if (value instanceof Uint8Array) {
    return value.length === 0;
  }
  return typeof value === "object" ? Object.keys(value).length === 0 : emptyTexts.has(String(value).trim());
}

const tablesMax = 200;

/** Names the tables with rows that this import does not know. */
export async function noteUnknownTables(
  source: Source,
  known: ReadonlySet<string>,
  findings: Finding[],
): Promise<void> {
  const unknown = (await source.tables()).filter((name) => !known.has(name)).toSorted();
  for (const table of unknown.slice(0, tablesMax)) {
    const count = await source.countOf(table);
    if (count !== 0) {
      const text = "Not moved: the table is unknown to this import. See whether you need it.";
      findings.push({
        level: "lost",
        table: table.slice(0, nameLengthMax),
        id: count === 1 ? "1 row" : `${count} rows`,
        text,
      });
    }
  }
  if (unknown.length > tablesMax) {
    const text = "Not moved: they are unknown to this import.";
    findings.push({ level: "lost", table: "all", id: `${unknown.length - tablesMax} further tables`, text });
  }
}
