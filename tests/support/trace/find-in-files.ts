/**
 * Which of the texts occur anywhere in the files below a folder: for a database these are tables, indexes, out-of-line
 * storage and the write-ahead log. Files that disappear meanwhile are skipped.
 * @param changedSinceMs only files that were written since, in milliseconds since 1970
 */
export async function findInFiles(
  directory: string,
  texts: readonly (string | Uint8Array)[],
  changedSinceMs = 0,
): Promise<Set<string | Uint8Array>> {
  const found = new Set<string | Uint8Array>();
  for await (const path of new Bun.Glob("**/*").scan({ cwd: directory, absolute: true, dot: true, onlyFiles: true })) {
    const file = Bun.file(path);
    if (!(await file.exists()) || file.lastModified < changedSinceMs) {
      continue;
    }
    const content = Buffer.from(await file.arrayBuffer());
    for (const text of texts) {
      if (content.includes(text)) {
        found.add(text);
      }
    }
  }
  return found;
}
