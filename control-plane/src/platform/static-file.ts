import { promisify } from "node:util";
import { brotliCompress, constants, gzip as gzipCallback } from "node:zlib";

type FileForms<Content> = {
  readonly bytes: Content;
  readonly brotli: Content | null;
  readonly gzip: Content | null;
  readonly contentType: string;
};

/** A file in memory, ready to be sent: with its compressed forms, if any. */
export type StaticFile = FileForms<Uint8Array<ArrayBuffer>> & {
  /** The hash of the content, used as a strong ETag; each encoding adds its own suffix. */
  readonly hash: string;
};

/** A file on the disk, by the paths of its forms. What is at a path never changes, because its folder is named after it. */
export type StoredFile = FileForms<string>;

export const hashOf = (bytes: Uint8Array): string => Bun.hash(bytes).toString(36);

/** A file generated at run time. */
export function fileOf(text: string, contentType: string): StaticFile {
  const bytes = new TextEncoder().encode(text);
  return { bytes, brotli: null, gzip: null, contentType, hash: hashOf(bytes) };
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
export function fileResponse(request: Request, file: StaticFile, response: FileResponse): Response {
  const { body, encoding } = chooseForm(file, request);
  return formResponse(request, { body, encoding, hash: file.hash, contentType: file.contentType }, response);
}

/** The same for a file on the disk. @throws Error when it is gone */
export async function storedFileResponse(
  request: Request,
  file: StoredFile,
  response: FileResponse,
): Promise<Response> {
  const { body: path, encoding } = chooseForm(file, request);
  const { body, hash } = await readForm(path);
  return formResponse(request, { body, encoding, hash, contentType: file.contentType }, response);
}

type ReadForm = { readonly body: Uint8Array<ArrayBuffer>; readonly hash: string };

/** So many bytes of forms that were sent lately stay in memory; all compressed files of a build are fewer. */
const recentBytesMax = 1_000_000;
const recentForms = new Map<string, ReadForm>();
let recentBytes = 0;

/** A read takes twice as long as the rest of a response. */
async function readForm(path: string): Promise<ReadForm> {
  const known = recentForms.get(path);
  if (known !== undefined) {
    return known;
  }
  const body = await Bun.file(path).bytes();
  const form = { body, hash: hashOf(body) };
  if (recentBytes + body.length > recentBytesMax) {
    recentForms.clear();
    recentBytes = 0;
  }
  if (body.length <= recentBytesMax && !recentForms.has(path)) {
    recentForms.set(path, form);
    recentBytes += body.length;
  }
  return form;
}

type SentForm = ChosenForm<Uint8Array<ArrayBuffer>> & { readonly hash: string; readonly contentType: string };

function formResponse(
  request: Request,
  { body, encoding, hash, contentType }: SentForm,
  { status = 200, headers }: FileResponse,
): Response {
  const tag = `"${hash}${encoding === null ? "" : `-${encoding}`}"`;
  const all: Record<string, string> = {
    "content-type": contentType,
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

type ChosenForm<Content> = { readonly body: Content; readonly encoding: "br" | "gzip" | null };

function chooseForm<Content>({ bytes, brotli, gzip }: FileForms<Content>, { headers }: Request): ChosenForm<Content> {
  const accepted = headers.get("accept-encoding") ?? "";
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
