import { promisify } from "node:util";
import { brotliCompress, constants, gzip as gzipCallback } from "node:zlib";

/** A file in memory, ready to be sent: with its compressed forms, if any. */
export type StaticFile = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly brotli: Uint8Array<ArrayBuffer> | null;
  readonly gzip: Uint8Array<ArrayBuffer> | null;
  readonly contentType: string;
  /** The hash of the content, used as a strong ETag; each encoding adds its own suffix. */
  readonly hash: string;
};

/** A file generated at run time. */
export function fileOf(text: string, contentType: string): StaticFile {
  const bytes = new TextEncoder().encode(text);
  return { bytes, brotli: null, gzip: null, contentType, hash: Bun.hash(bytes).toString(36) };
}

const compressWithBrotli = promisify(brotliCompress);
const compressWithGzip = promisify(gzipCallback);
/** The best level takes ten times as long and saves another tenth of the size. */
const brotliQuality = 6;

/** Such a file with its compressed forms, which are created on threads beside the event loop. */
export async function compressedFileOf(text: string, contentType: string): Promise<StaticFile> {
  const file = fileOf(text, contentType);
  const params = { [constants.BROTLI_PARAM_QUALITY]: brotliQuality };
  const [brotli, gzipped] = await Promise.all([
    compressWithBrotli(file.bytes, { params }),
    compressWithGzip(file.bytes),
  ]);
  return { ...file, brotli: new Uint8Array(brotli), gzip: new Uint8Array(gzipped) };
}

type FileResponse = { readonly status?: number; readonly headers: Readonly<Record<string, string>> };

/** The response to a GET or HEAD: compressed as the client accepts it, and 304 if the client has it already. */
export function fileResponse(request: Request, file: StaticFile, { status = 200, headers }: FileResponse): Response {
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
  return new Response(body, { status, headers: all });
}

function chooseForm(
  { bytes, brotli, gzip }: StaticFile,
  accepted: string,
): { readonly body: Uint8Array<ArrayBuffer>; readonly encoding: "br" | "gzip" | null } {
  if (brotli !== null && accepts(accepted, "br")) {
    return { body: brotli, encoding: "br" };
  }
  if (gzip !== null && accepts(accepted, "gzip")) {
    return { body: gzip, encoding: "gzip" };
  }
  return { body: bytes, encoding: null };
}

/** Whether an `Accept-Encoding` takes a coding. */
export function accepts(accepted: string, name: "br" | "gzip"): boolean {
  return accepted.split(",").some((part) => {
    const [coding = "", quality = ""] = part
      .trim()
      .toLowerCase()
      .split(/\s*;\s*/);
    return coding === name && !/^q=0(\.0*)?$/.test(quality);
  });
}

function matches(header: string | null, tag: string): boolean {
  return (header ?? "").split(",").some((each) => each.trim().replace(/^W\//, "") === tag);
}
