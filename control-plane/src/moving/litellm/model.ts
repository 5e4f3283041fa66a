import { sha256 } from "../../platform/crypto/digest.ts";
import type { Finding } from "../model.ts";
import type { Note, Row, Source } from "../source/model.ts";
import { OddValue, textOf } from "../source/read-values.ts";
import { UnreadColumns } from "../source/unread-columns.ts";
import { knownColumns } from "./known-columns.ts";

/** Reads every row of a table, with a note for each that can't be read. */
export type ReadRows = <Read extends object>(
  table: Table,
  readRow: (row: Row, note: Note) => Read | null,
) => Promise<readonly Read[]>;

/** The tables that are read, with what orders their rows and names them in the report. */
export const tables = {
  LiteLLM_UserTable: "user_id",
  LiteLLM_TeamTable: "team_id",
  LiteLLM_ProjectTable: "project_id",
  LiteLLM_BudgetTable: "budget_id",
  LiteLLM_VerificationToken: "token",
  LiteLLM_DeprecatedVerificationToken: "id",
  LiteLLM_ProxyModelTable: "model_id",
  LiteLLM_CredentialsTable: "credential_id",
  LiteLLM_DailyUserSpend: "id",
} as const;
export type Table = keyof typeof tables;

/** Ids in the report: a key is named by its SHA-256 there, which nobody needs in full. */
const idLengthMax = 60;

export function rowsReader(source: Source, findings: Finding[]): ReadRows {
  return async <Read extends object>(table: Table, readRow: (row: Row, note: Note) => Read | null) => {
    const all: Read[] = [];
    if ((await source.columnsOf(table)) === null) {
      return all;
    }
    const unread = await UnreadColumns.of(source, table, knownColumns[table]);
    for await (const row of source.rows(table, tables[table])) {
      unread.see(row);
      const id = shownId(table, textOf(row[tables[table]]));
      const note: Note = (level, text) => findings.push({ level, table: shownTable(table), id, text });
      try {
        const one = readRow(row, note);
        if (one !== null) {
          all.push(one);
        }
      } catch (error) {
        if (!(error instanceof OddValue)) {
          throw error;
        }
        note("lost", `The row can't be read: ${error.message}.`);
      }
    }
    unread.note(findings, shownTable(table));
    return all;
  };
}

export const shownTable = (table: string): string => table.replace("LiteLLM_", "");

export function shownId(table: Table, id: string): string {
  return table === "LiteLLM_VerificationToken" ? shownKey(id) : id.slice(0, idLengthMax);
}

/** The start of what a key is stored as, which is its digest unless its operator chose another form. */
export const shownKey = (token: string): string =>
  /^[0-9a-f]{64}$/.test(token) ? token.slice(0, 12) : Buffer.from(sha256(token)).toString("hex").slice(0, 12);

/** Columns that say something which is not moved, if they hold anything. */
export function noteOthers(row: Row, note: Note, columns: readonly string[]): void {
  const set = columns.filter((column) => !isEmpty(row[column]));
  if (set.length > 0) {
    note("lost", `Not moved: ${set.join(", ")}.`);
  }
}

function isEmpty(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    value === "" ||
    (Array.isArray(value) && value.length === 0) ||
    (typeof value === "object" && !(value instanceof Date) && Object.keys(value).length === 0)
  );
}

/** The texts of a list column. */
export function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map((each) => textOf(each)).filter((each) => each !== "") : [];
}

/** A JSON column as an object; empty for anything else. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

/** A limit within what a limit can be here; null without one, or for one above that. */
export function countOf(value: unknown, max: number): number | null {
  if (value === null || value === undefined) {
    return null;
  }
  const count = Number(value);
  return Number.isFinite(count) && count <= max ? Math.max(1, Math.floor(count)) : null;
}
