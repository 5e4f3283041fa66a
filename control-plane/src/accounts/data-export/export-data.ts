import { writeBigInt } from "../../platform/csv.ts";
import type { Database } from "../../platform/db.ts";
import { type ExportOf, findProfileRow, type Section, sections, sumUsageByDay } from "./export-store.ts";

const rowsAtOnce = 500;
/** Of each kind. */
export const exportRowsMax = 50_000;

/**
 * The data of a person as one JSON document, in parts: it is read and sent page by page, so that a long one is never in
 * memory at once. `incomplete` names the kinds with more rows than a file can have.
 */
export async function* exportParts(db: Database, of: ExportOf, exportedAt: Date): AsyncGenerator<string> {
  const incomplete: string[] = [];
  yield `{"exported_at":${write(exportedAt)},"profile":${write(await findProfileRow(db, of))}`;
  for (const [name, section] of Object.entries(sections)) {
    yield `,${write(name)}:[`;
    const isComplete: boolean = yield* sectionParts(db, of, section);
    yield "]";
    if (!isComplete) {
      incomplete.push(name);
    }
  }
  const usage = await sumUsageByDay(db, of, exportRowsMax + 1);
  if (usage.length > exportRowsMax) {
    incomplete.push("usage_by_day");
  }
  yield `,"usage_by_day":${write(usage.slice(0, exportRowsMax))},"incomplete":${write(incomplete)}}\n`;
}

/** The rows of one kind, with commas between them. Returns whether these are all. */
async function* sectionParts(db: Database, of: ExportOf, section: Section): AsyncGenerator<string, boolean> {
  let after = 0n;
  for (let sent = 0; sent < exportRowsMax; sent += rowsAtOnce) {
    const rows = await section(db, of, { after, limit: rowsAtOnce });
    const text = rows.map((row) => write(row)).join(",\n");
    if (text !== "") {
      yield sent === 0 ? text : `,\n${text}`;
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) {
      return true;
    }
    after = last.id;
  }
  return (await section(db, of, { after, limit: 1 })).length === 0;
}

const write = (value: unknown): string => JSON.stringify(value, writeBigInt);
