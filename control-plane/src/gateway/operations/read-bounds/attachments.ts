/** What messages contain besides text. */
export type Attachments = {
  images: number;
  /** Pages of the documents in them, at least. */
  pages: number;
  /** Base64 letters of the files in them. */
  fileLetters: number;
  /** Some content is only referenced, or compressed, so that the size of the body says nothing about it. */
  hasMore: boolean;
};

/** What is read as images, audio or pages; any other file may be plain text. */
const fileStart = /^data:(?:(image|audio|video)\/|application\/(?:pdf|msword|vnd\.))[^,]{0,256};base64,/i;
const fileStartLengthMax = 512;
/** 50,000 bytes as base64; a page of text takes fewer. */
const lettersPerPage = 66_668;

export const noAttachments = (): Attachments => ({ images: 0, pages: 0, fileLetters: 0, hasMore: false });

/**
 * Counts the file in a part of a message. Only what is where providers look for files is one: text that begins like a
 * file is read as text.
 */
export function countFile(holder: unknown, attachments: Attachments): void {
  const text = typeof holder === "object" && holder !== null ? textIn(holder as Record<string, unknown>) : holder;
  const start = typeof text === "string" ? fileStart.exec(text.slice(0, fileStartLengthMax)) : null;
  if (typeof text !== "string" || start === null) {
    return;
  }
  const [{ length }, kind] = start;
  const pages = countLetters(text.length - length, attachments);
  attachments.pages += kind === undefined ? pages : 0;
  attachments.hasMore ||= kind?.toLowerCase() !== "image";
}

/** Counts the letters of a file. @returns how many pages it has at least if it is a document */
export function countLetters(letters: number, attachments: Attachments): number {
  attachments.fileLetters += letters;
  return Math.max(1, Math.ceil(letters / lettersPerPage));
}

function textIn(holder: Record<string, unknown>): unknown {
  return holder["url"] ?? holder["file_data"] ?? holder["data"];
}
