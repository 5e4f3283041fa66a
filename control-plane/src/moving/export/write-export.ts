import type { Database } from "../../platform/db.ts";
import { type ExportedKind, exportedKinds, exportedPages, momentOf } from "./export-store.ts";

/** The form of the lines. A reader refuses a number that it does not know. */
const exportVersion = 1;

export type ExportCounts = Readonly<Record<ExportedKind, number>>;

/** Takes a page of lines, and is done when it has room for more. */
export type WriteLines = (lines: string) => Promise<void>;

const statementTimeoutMs = 600_000;

/**
 * Writes accounts, keys, balances and usage as lines of JSON, as of one moment. The first line says what they are, the last
 * how many there were: an export without it is not whole.
 */
export async function writeExport(db: Database, write: WriteLines): Promise<ExportCounts> {
  return await db.withTransaction(
    async (tx) => {
      const counts = Object.fromEntries(exportedKinds.map((kind) => [kind, 0])) as Record<ExportedKind, number>;
      await write(lineOf({ kind: "export", version: exportVersion, made_at: await momentOf(tx) }));
      for (const kind of exportedKinds) {
        for await (const page of exportedPages(tx, kind)) {
          counts[kind] += page.length;
          await write(page.map((row) => lineOf({ kind, ...row })).join(""));
        }
      }
      await write(lineOf({ kind: "end", counts }));
      return counts;
    },
    { isolation: "repeatable read", statementTimeoutMs },
  );
}

/** Ids and quota are texts of digits, because many readers keep numbers as floats; times are in ISO 8601 and UTC. */
function lineOf(fields: object): string {
  return `${JSON.stringify(fields, (_, value: unknown) => (typeof value === "bigint" ? value.toString() : value))}\n`;
}
