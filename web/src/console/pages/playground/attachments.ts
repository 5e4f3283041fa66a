import type { Attachment } from "./conversation.ts";

const mebibyte = 1024 * 1024;

/** What goes with one message. Together, and as base64, it stays well below what a request may have. */
export const attachmentLimits = {
  count: 8,
  imageBytes: 5 * mebibyte,
  fileBytes: 8 * mebibyte,
  textBytes: mebibyte / 2,
  totalBytes: 12 * mebibyte,
} as const;

/** Why a file can't be attached, and the limit in question. */
export type AttachmentFault = {
  readonly kind: "tooLarge" | "tooMany" | "total" | "kind";
  readonly name: string;
  readonly bytesMax: number;
};

/** What is known of a file before it is read. */
type FileFacts = { readonly name: string; readonly type: string; readonly size: number };

const imageTypes: ReadonlySet<string> = new Set(["image/png", "image/jpeg", "image/webp", "image/gif"]);
const textTypes = /^(text\/|application\/(json|xml|x-yaml|yaml|toml|javascript|sql|x-sh)\b)|\+(json|xml)$/;
const textNames =
  /\.(txt|md|csv|tsv|json|jsonl|ya?ml|toml|ini|xml|html?|css|[cm]?[jt]sx?|py|go|rs|java|kt|swift|rb|php|cs?|cpp|h|hpp|sh|sql|log|diff|patch)$/i;

const limitOf: Readonly<Record<Attachment["kind"], number>> = {
  image: attachmentLimits.imageBytes,
  file: attachmentLimits.fileBytes,
  text: attachmentLimits.textBytes,
};

/** What browsers offer in the choice of files. */
export const acceptedFiles = [...imageTypes, "application/pdf", "text/*", ".md", ".json", ".yaml", ".csv"].join(",");

function kindOf({ type, name }: FileFacts): Attachment["kind"] | null {
  if (imageTypes.has(type)) {
    return "image";
  }
  if (type === "application/pdf") {
    return "file";
  }
  return textTypes.test(type) || textNames.test(name) ? "text" : null;
}

/** What forbids to attach a file beside those that are there; null if nothing does. */
export function faultOfFile(file: FileFacts, present: readonly Attachment[]): AttachmentFault | null {
  const fault = (what: AttachmentFault["kind"], bytesMax = 0): AttachmentFault => ({
    kind: what,
    name: file.name,
    bytesMax,
  });
  const kind = kindOf(file);
  if (kind === null) {
    return fault("kind");
  }
  if (present.length >= attachmentLimits.count) {
    return fault("tooMany");
  }
  if (file.size > limitOf[kind]) {
    return fault("tooLarge", limitOf[kind]);
  }
  const total = present.reduce((sum, { bytes }) => sum + bytes, file.size);
  return total > attachmentLimits.totalBytes ? fault("total", attachmentLimits.totalBytes) : null;
}

/** Reads a file; null if it claims to be a text and is none. */
export async function readAttachment(file: File): Promise<Attachment | null> {
  const kind = kindOf(file) ?? "file";
  const facts = { id: crypto.randomUUID(), name: file.name, kind, bytes: file.size };
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (kind !== "text") {
    return { ...facts, data: `data:${file.type};base64,${toBase64(bytes)}` };
  }
  try {
    return { ...facts, data: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
  } catch {
    return null;
  }
}

const pieceBytes = 0x8000;

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    text += String.fromCharCode(...bytes.subarray(at, at + pieceBytes));
  }
  return btoa(text);
}
