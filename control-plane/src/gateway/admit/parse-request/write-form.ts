import type { FormPart } from "./read-multipart.ts";

/** A form as sent to a provider. */
export type WrittenForm = { readonly body: Buffer; readonly contentType: string };

/**
 * Writes the parts of a form so that every parser reads them alike: a part is a file if and only if it names one, and
 * each file has a type.
 * @param chance 16 random bytes for the boundary: no client can have put it into a part
 */
export function writeForm(parts: readonly FormPart[], chance: Uint8Array): WrittenForm {
  const boundary = `sluice-${Buffer.from(chance).toString("hex")}`;
  const pieces = parts.flatMap(({ name, file, value }) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${name}"${describeFile(file)}\r\n\r\n`),
    value,
    Buffer.from("\r\n"),
  ]);
  const body = Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]);
  return { body, contentType: `multipart/form-data; boundary=${boundary}` };
}

function describeFile(file: FormPart["file"]): string {
  return file === null ? "" : `; filename="${file.name}"\r\nContent-Type: ${file.type}`;
}
