import { packageOf, resolveImport } from "./boundary-check.ts";
import { type ModuleImport, parseSource } from "./source.ts";
import type { SourceFile } from "./tree.ts";

/** Stores, schema and driver. */
const sqlPlaces = /(^|\/)(store|[\w-]+-store)\.ts$|^control-plane\/src\/(db\/|platform\/db[./-])/;
const sqlFreeFeature = /^control-plane\/src\/(relay|pages)\//;
const driver = /^(postgres|drizzle-orm|bun:sqlite)$/;
const sqlTag = /^(sql|tx|transaction)$/;
const sqlStart =
  /^\s*(select|insert\s+into|update\s+\S+(\s+(as\s+)?\w+)?\s+set|delete\s+from|with\s+\S+\s+as|create|alter|drop|truncate|lock\s+table|begin|commit|rollback|savepoint|set\s+local|listen|notify|copy|explain|vacuum|analyze)\b/i;
const sqlQuery = /\bselect\s[\s\S]*\sfrom\s/i;
/** Whole statements only: a sentence of a response may begin with "Select" or "Update". */
const sqlStatement =
  /^\s*(select\s[\s\S]*\sfrom\s|insert\s+into\s+\S+|update\s+\S+\s+set\s|delete\s+from\s+\S+|create\s+(unlogged\s+)?(table|index|unique|function|role)\s|alter\s+table\s|drop\s+table\s|truncate\s+\S+$|(un)?listen\s+\w+$|notify\s+\w+)/;

/** Whether a file of the product may talk to a database. Tests are not part of the product. */
export function maySpeakSql(path: string): boolean {
  return sqlPlaces.test(path) && !sqlFreeFeature.test(path);
}

/** Whether a template or a string holds a statement, or a query inside an expression. */
export function isSqlStatement(tag: string | null, text: string): boolean {
  return tag === null ? sqlStatement.test(text) : sqlStart.test(text) || (sqlTag.test(tag) && sqlQuery.test(text));
}

/** How an import is related to a database, or null. */
function databaseImport(path: string, { specifier, names }: ModuleImport): string | null {
  const target = resolveImport(path, specifier);
  if (typeof target === "string") {
    return null; // Reported by the check of the boundaries.
  }
  if (target.to === "bun") {
    const client = names.find((name) => /^(SQL|sql|postgres)$/.test(name));
    return client === undefined ? null : `imports ${client} of bun`;
  }
  const isDatabase = target.isPath
    ? target.to.startsWith("control-plane/src/db/schema")
    : driver.test(packageOf(target.to));
  return isDatabase ? `imports ${target.to}` : null;
}

function findInFile(file: SourceFile): string[] {
  const source = parseSource(file);
  const found: { line: number; what: string }[] = [];
  for (const match of source.code.matchAll(/\bBun\.(SQL|sql|postgres)\b/g)) {
    found.push({ line: source.lineAt(match.index), what: `uses ${match[0]}` });
  }
  for (const reference of source.imports) {
    const what = databaseImport(file.path, reference);
    if (what !== null) {
      found.push({ line: reference.line, what });
    }
  }
  for (const { tag, text, line } of source.pieces) {
    if (tag === null ? sqlStatement.test(text) : sqlTag.test(tag) || sqlStart.test(text)) {
      found.push({ line, what: `holds SQL "${text.trim().replace(/\s+/g, " ").slice(0, 40)}"` });
    }
  }
  for (const { receiver, name, line } of source.methodCalls) {
    if (name === "unsafe" || (name === "raw" && receiver === "sql")) {
      found.push({ line, what: `calls .${name}()` });
    }
  }
  const rule = sqlFreeFeature.test(file.path)
    ? "this part of the program never touches the database"
    : "SQL belongs in store.ts, a *-store.ts, db/ or platform/db";
  return found.map(({ line, what }) => `${file.path}:${line}: ${what}; ${rule}`);
}

/** Every place outside the stores that talks to a database, as `path:line: what; rule`. */
export function findSqlViolations(files: readonly SourceFile[]): string[] {
  return files.filter(({ path }) => !(path.startsWith("tests/") || maySpeakSql(path))).flatMap(findInFile);
}
