export type ErrorSecrets = { readonly apiKey: string; readonly hostname: string };

/** One sign of a key as writers of JSON, of addresses and of pages write it. */
function anyForm(sign: string): string {
  const code = sign.charCodeAt(0);
  const hex = code.toString(16);
  // Quoted once more, an escape has two strokes or four; without a bound, strokes alone would take a time of their square.
  const plain = `\\\\{0,4}${RegExp.escape(sign)}`;
  return `(?:${plain}|\\\\{1,4}u00${hex}|%${hex}|&#(?:${code}|x${hex});)`;
}

/**
 * An error of a provider as the caller may read it. Errors like to quote what they refuse, and to name their host; in what
 * a model wrote the same name is just text, so that this is for errors alone.
 */
export function presentError(body: Uint8Array, { apiKey, hostname }: ErrorSecrets): string {
  const key = new RegExp([...apiKey].map(anyForm).join(""), "gi");
  const host = new RegExp(RegExp.escape(hostname), "gi");
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
    .toString("utf8")
    .replaceAll(key, "*")
    .replaceAll(host, "provider");
}
