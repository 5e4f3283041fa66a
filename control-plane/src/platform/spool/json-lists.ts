import { asBuffer } from "@sluice/http-client/as-buffer";

const lineFeed = 0x0a;
const comma = 0x2c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const empty = Buffer.from("[]");

/** Values as a JSON list in UTF-8. */
export type JsonList = { readonly json: Uint8Array; readonly count: number };

/** What statements with a list begin with: the elements of their first parameter, as `incoming (f)`. The bytes are sent as they are. */
export const incomingSql = `
  with incoming as (select f from jsonb_array_elements(convert_from($1::bytea, 'UTF8')::jsonb) as list (f))`;

/** The text of an insert for rows that are all new, as far as anybody knows, and of one that leaves existing rows alone. */
export type InsertTexts = { readonly new: string; readonly missing: string };

/** What may take a line, which is between two offsets of a text. */
export type LineTaker = { take(text: Buffer, from: number, to: number): boolean };

/** A list as text. */
export function toJsonList(values: readonly string[]): JsonList {
  return { json: Buffer.from(`[${values.join(",")}]`), count: values.length };
}

/**
 * The values of the lines of texts by their kinds, each as a list. Nothing is parsed, and bytes stay bytes: as texts the lines
 * take four times as long.
 * @param kinds of lines; what is of no such kind is left out
 * @param first takes lines before any list does
 */
export function jsonLists<Kind extends string>(
  texts: readonly Uint8Array[],
  kinds: readonly Kind[],
  first?: LineTaker,
): Readonly<Record<Kind, JsonList>> {
  const lengthMax = texts.reduce((sum, { length }) => sum + length, 2);
  const lists = kinds.map((kind) => new OpenList(kind, lengthMax));
  const takers: readonly LineTaker[] = first === undefined ? lists : [first, ...lists];
  for (const each of texts) {
    const text = asBuffer(each);
    for (let from = 0; from < text.length; ) {
      const next = text.indexOf(lineFeed, from);
      const end = next === -1 ? text.length : next;
      for (const taker of takers) {
        if (taker.take(text, from, end)) {
          break;
        }
      }
      from = end + 1;
    }
  }
  return Object.fromEntries(lists.map((list) => [list.kind, list.end()])) as Record<Kind, JsonList>;
}

/** A list that is being written. */
class OpenList<Kind extends string> implements LineTaker {
  readonly kind: Kind;
  /** What lines of the kind begin with. */
  readonly #start: Buffer;
  readonly #lengthMax: number;
  #json: Buffer | null = null;
  #length = 0;
  #count = 0;

  constructor(kind: Kind, lengthMax: number) {
    this.kind = kind;
    this.#start = Buffer.from(`["${kind}",`);
    this.#lengthMax = lengthMax;
  }

  /** Adds the value of a line, unless it is of another kind. */
  take(text: Buffer, from: number, end: number): boolean {
    const start = this.#start;
    for (let at = 0; at < start.length; at += 1) {
      if (text[from + at] !== start[at]) {
        return false;
      }
    }
    this.#json ??= Buffer.allocUnsafeSlow(this.#lengthMax);
    const json = this.#json;
    json[this.#length] = this.#count === 0 ? openBracket : comma;
    // Without the bracket that ends the line.
    this.#length += 1 + text.copy(json, this.#length + 1, from + start.length, end - 1);
    this.#count += 1;
    return true;
  }

  end(): JsonList {
    if (this.#json === null) {
      return { json: empty, count: 0 };
    }
    this.#json[this.#length] = closeBracket;
    return { json: this.#json.subarray(0, this.#length + 1), count: this.#count };
  }
}
