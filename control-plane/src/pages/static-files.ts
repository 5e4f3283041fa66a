import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { StaticFile } from "../platform/static-file.ts";

/** Files by path. Any other path gets nothing, whatever it looks like. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

/**
 * The limit is high enough for a public site with 200 models, each of which has pages in eleven languages and three
 * formats.
 */
const filesMax = 10_000;

const contentTypes: Readonly<Record<string, string>> = {
  html: "text/html; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
  png: "image/png",
  ico: "image/x-icon",
  woff2: "font/woff2",
  json: "application/json; charset=utf-8",
  xml: "application/xml; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  md: "text/markdown; charset=utf-8",
};

/**
 * Reads a folder into memory. Files of types that browsers should not get are skipped.
 * @throws Error when the folder is missing or holds more than a build ever does
 */
export async function readStaticFiles(folder: string): Promise<StaticFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  if (names.length > filesMax) {
    throw new Error(`${folder} holds ${names.length} files, more than a build of the web has`);
  }
  const present = new Set(names);
  const files = new Map<string, StaticFile>();
  for (const name of names.sort()) {
    const contentType = contentTypes[/\.(\w+)$/.exec(name)?.[1] ?? ""];
    if (contentType === undefined) {
      continue;
    }
    const bytes = new Uint8Array(await readFile(name));
    const read = async (form: string): Promise<Uint8Array<ArrayBuffer> | null> =>
      present.has(form) ? new Uint8Array(await readFile(form)) : null;
    const path = name.slice(folder.length).replaceAll("\\", "/");
    files.set(path, {
      bytes,
      brotli: await read(`${name}.br`),
      gzip: await read(`${name}.gz`),
      contentType,
      hash: Bun.hash(bytes).toString(36),
    });
  }
  return files;
}
