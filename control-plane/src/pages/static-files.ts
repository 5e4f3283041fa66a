import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { hashOf, type StaticFile, type StoredFile } from "../platform/static-file.ts";

/** Files by path. Any other path gets nothing, whatever it looks like. */
export type StaticFiles = ReadonlyMap<string, StoredFile>;

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
 * The files of a folder, by their paths in it. Files of types that browsers should not get are skipped.
 * @throws Error when the folder is missing or holds more than a build ever does
 */
export async function findStaticFiles(folder: string): Promise<StaticFiles> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const names = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  if (names.length > filesMax) {
    throw new Error(`${folder} holds ${names.length} files, more than a build of the web has`);
  }
  const present = new Set(names);
  const files = new Map<string, StoredFile>();
  for (const name of names.sort()) {
    const contentType = contentTypes[/\.(\w+)$/.exec(name)?.[1] ?? ""];
    if (contentType === undefined) {
      continue;
    }
    const form = (path: string): string | null => (present.has(path) ? path : null);
    files.set(name.slice(folder.length).replaceAll("\\", "/"), {
      bytes: name,
      brotli: form(`${name}.br`),
      gzip: form(`${name}.gz`),
      contentType,
    });
  }
  return files;
}

/** Such a file with its content in memory, where it stays if the file is removed. */
export async function keptFile({ bytes, brotli, gzip, contentType }: StoredFile): Promise<StaticFile> {
  const read = (path: string): Promise<Uint8Array<ArrayBuffer>> => Bun.file(path).bytes();
  const content = await read(bytes);
  return {
    bytes: content,
    brotli: brotli === null ? null : await read(brotli),
    gzip: gzip === null ? null : await read(gzip),
    contentType,
    hash: hashOf(content),
  };
}
