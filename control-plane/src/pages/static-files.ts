import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** A file in memory, as it goes out: with its compressed forms, where it has any. */
export type StaticFile = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly brotli: Uint8Array<ArrayBuffer> | null;
  readonly gzip: Uint8Array<ArrayBuffer> | null;
  readonly contentType: string;
  /** Strong, for each encoding with a letter of its own behind it. */
  readonly hash: string;
};

/** Files by their address. Whoever asks for a path that is not in here gets nothing, whatever the path looks like. */
export type StaticFiles = ReadonlyMap<string, StaticFile>;

const filesMax = 5_000;

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
 * Reads a folder into memory. A file of a kind that browsers should not get is left out.
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

/** A file made by ourselves while running. */
export function fileOf(text: string, contentType: string): StaticFile {
  const bytes = new TextEncoder().encode(text);
  return { bytes, brotli: null, gzip: null, contentType, hash: Bun.hash(bytes).toString(36) };
}

type FileAnswer = { readonly status?: number; readonly headers: Readonly<Record<string, string>> };

/** The answer to a GET or HEAD: compressed as the client takes it, and 304 where the client has it already. */
export function fileResponse(request: Request, file: StaticFile, { status = 200, headers }: FileAnswer): Response {
  const { body, encoding } = chooseForm(file, request.headers.get("accept-encoding") ?? "");
  const tag = `"${file.hash}${encoding === null ? "" : `-${encoding}`}"`;
  const all: Record<string, string> = {
    "content-type": file.contentType,
    "x-content-type-options": "nosniff",
    vary: "accept-encoding",
    etag: tag,
    ...headers,
  };
  if (status === 200 && matches(request.headers.get("if-none-match"), tag)) {
    delete all["content-type"];
    return new Response(null, { status: 304, headers: all });
  }
  if (encoding !== null) {
    all["content-encoding"] = encoding;
  }
  if (request.method === "HEAD") {
    return new Response(null, { status, headers: { ...all, "content-length": String(body.length) } });
  }
  return new Response(body, { status, headers: all });
}

function chooseForm(
  { bytes, brotli, gzip }: StaticFile,
  accepted: string,
): { readonly body: Uint8Array<ArrayBuffer>; readonly encoding: "br" | "gzip" | null } {
  const takes = (name: string): boolean =>
    accepted.split(",").some((part) => {
      const [coding = "", quality = ""] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/);
      return coding === name && !/^q=0(\.0*)?$/.test(quality);
    });
  if (brotli !== null && takes("br")) {
    return { body: brotli, encoding: "br" };
  }
  if (gzip !== null && takes("gzip")) {
    return { body: gzip, encoding: "gzip" };
  }
  return { body: bytes, encoding: null };
}

function matches(header: string | null, tag: string): boolean {
  return (header ?? "").split(",").some((each) => each.trim().replace(/^W\//, "") === tag);
}
