import type { FormPart } from "./read-multipart.ts";

/** A form as sent to a provider. */
export type WrittenForm = {
  readonly body: Buffer;
  readonly contentType: string;
  /** Where the name of the model is in the body; null if the form has none. */
  readonly modelPlace: readonly [start: number, end: number] | null;
};

/**
 * Writes the parts of a form so that every parser reads them alike: a part is a file if and only if it names one, and
 * each file has a type.
 * @param chance 16 random bytes for the boundary: no client can have put it into a part
 */
export function writeForm(parts: readonly FormPart[], chance: Uint8Array): WrittenForm {
  const boundary = `sluice-${Buffer.from(chance).toString("hex")}`;
  const pieces: Uint8Array[] = [];
  let length = 0;
  let modelPlace: WrittenForm["modelPlace"] = null;
  const add = (piece: Uint8Array): void => {
    pieces.push(piece);
    length += piece.byteLength;
  };
  for (const { name, file, value } of parts) {
    add(Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${describeFile(file)}\r\n\r\n`));
    if (name === "model" && file === null) {
      modelPlace = [length, length + value.byteLength];
    }
    add(value);
    add(Buffer.from("\r\n"));
  }
  add(Buffer.from(`--${boundary}--\r\n`));
  return { body: Buffer.concat(pieces), contentType: `multipart/form-data; boundary=${boundary}`, modelPlace };
}

function describeFile(file: FormPart["file"]): string {
  return file === null ? "" : `; filename="${file.name}"\r\nContent-Type: ${file.type}`;
}
