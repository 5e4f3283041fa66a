import { readFile } from "node:fs/promises";
import { SQL } from "bun";

/** Statements of a file, and the line of the file on which they start. */
export type SqlPart = { readonly text: string; readonly line: number };

/** An SQL file. A checkout may have converted line endings; that must not look like an edit. */
export async function readSql(file: URL): Promise<string> {
  return (await readFile(file, "utf8")).replaceAll("\r\n", "\n");
}

/** @throws Error with the file and the line that failed, and the server's error as its cause */
export async function applyPart(connection: SQL, file: string, part: SqlPart): Promise<void> {
  try {
    await connection.unsafe(part.text).simple();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${file}, line ${failedLine(part, error)}: ${reason}`, { cause: error });
  }
}

/** The server counts characters from 1 in the text that it was sent. */
function failedLine(part: SqlPart, error: unknown): number {
  const position = error instanceof SQL.PostgresError ? Number(error.position ?? Number.NaN) : Number.NaN;
  const before = Number.isNaN(position) ? /^\s*/.exec(part.text)?.[0] : [...part.text].slice(0, position - 1).join("");
  return part.line + (before ?? "").split("\n").length - 1;
}
