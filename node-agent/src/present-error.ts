export type ErrorSecrets = { readonly apiKey: string; readonly hostname: string };

/** How encoders of JSON, URLs and HTML write a character; a backslash before one that needs none is ignored. */
const escapes = /\\{1,4}u00([0-9a-f]{2})|%([0-9a-f]{2})|&#x([0-9a-f]{2});|&#(\d{2,3});|\\{1,4}(?=[!-/:-@[-`{-~])/gi;

/** A text with its characters decoded, in lower case, and the position in the text where each of them begins. */
type Plain = { readonly signs: string; readonly places: readonly number[] };

function toPlain(text: string): Plain {
  const places: number[] = [];
  let signs = "";
  let end = 0;
  const take = (more: string, at: number, width: number): void => {
    for (let index = 0; index < more.length; index += 1) {
      places.push(at + index * width);
    }
    signs += more;
  };
  for (const found of text.matchAll(escapes)) {
    const [whole, ofJson, ofAddress, ofPage, decimal] = found;
    const hex = ofJson ?? ofAddress ?? ofPage;
    take(text.slice(end, found.index), end, 1);
    if (hex !== undefined || decimal !== undefined) {
      take(String.fromCharCode(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)), found.index, 0);
    }
    end = found.index + whole.length;
  }
  take(text.slice(end), end, 1);
  places.push(text.length);
  return { signs: lower(signs), places };
}

/** Letters whose length changes with their case do not occur in a key, and positions must be preserved. */
const lower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

function hide(text: string, secret: string, name: string): string {
  const { signs, places } = toPlain(text);
  const wanted = lower(secret);
  let shown = "";
  let end = 0;
  for (let at = signs.indexOf(wanted); at !== -1; at = signs.indexOf(wanted, at + wanted.length)) {
    shown += text.slice(end, places[at]) + name;
    end = places[at + wanted.length] ?? text.length;
  }
  return shown + text.slice(end);
}

/**
 * A provider's error in the form that the caller may read. Errors tend to quote what they refuse, and to name their
 * host. In a model's output the same name is just text, so only errors are changed. One pass covers every encoding.
 */
export function presentError(body: Uint8Array, { apiKey, hostname }: ErrorSecrets): string {
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
  return hide(hide(text, apiKey, "*"), hostname, "provider");
}
