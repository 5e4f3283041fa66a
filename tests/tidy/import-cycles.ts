import { resolveImport } from "./boundary-check.ts";
import { parseSource } from "./source.ts";
import type { SourceFile } from "./tree.ts";

/** Which files of the list each file names, in whatever form: also for a type, also later. */
function importsOf(files: readonly SourceFile[]): Map<string, readonly string[]> {
  const paths = new Set(files.map(({ path }) => path));
  return new Map(
    files.map((file) => {
      const targets = parseSource(file).imports.map(({ specifier }) => resolveImport(file.path, specifier));
      const named = targets.flatMap((target) => (typeof target !== "string" && target.isPath ? [target.to] : []));
      return [file.path, named.filter((path) => paths.has(path))];
    }),
  );
}

/** Files that import each other, over whatever way, as `a.ts > b.ts > a.ts`: one for each file that closes a circle. */
export function findImportCycles(files: readonly SourceFile[]): string[] {
  const imports = importsOf(files);
  const cycles: string[] = [];
  const way: string[] = [];
  const isDone = new Set<string>();
  const visit = (path: string): void => {
    const start = way.indexOf(path);
    if (start !== -1) {
      cycles.push([...way.slice(start), path].join(" > "));
      return;
    }
    if (isDone.has(path)) {
      return;
    }
    way.push(path);
    for (const target of imports.get(path) ?? []) {
      visit(target);
    }
    way.pop();
    isDone.add(path);
  };
  for (const path of imports.keys()) {
    visit(path);
  }
  return cycles;
}
