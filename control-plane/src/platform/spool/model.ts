import { asBuffer } from "@sluice/http-client/as-buffer";
import { JsonBytes } from "./json-bytes.ts";

/** How rows of one kind are converted to JSON text and back from the parsed JSON. */
export type RowCodec<Row> = {
  /** One line of JSON. Encoding must not throw for a valid row, because the recorded work is already done. */
  readonly encode: (row: Row) => string;
  /** Writes the same as bytes, if all of it is plain; for rows that are recorded with every call. */
  readonly writePlain?: (row: Row, out: JsonBytes) => void;
  /** @throws Error when the value is not a row of a known version */
  readonly decode: (value: unknown) => Row;
};

/** One codec for each kind of row. `Rows` maps the name of a kind, which is ASCII, to the type of its rows. */
export type RowCodecs<Rows> = { readonly [Kind in keyof Rows]: RowCodec<Rows[Kind]> };

/**
 * A line for several rows that have something in common, instead of one line for each. The line has a kind of its own, and
 * a list of fields, which later rows add to.
 */
export type JoinedRows<Rows> = {
  readonly kind: string;
  /**
   * Writes the fields that such a line begins with.
   * @returns false if the row needs a line of its own; what was written is cut off, as it is when not all of it is plain
   */
  readonly begin: (entry: SpoolEntry<Rows>, out: JsonBytes) => boolean;
  /** Adds the row to the line of another one, which was recorded right before it. @returns as `begin` does */
  readonly add: (entry: SpoolEntry<Rows>, first: SpoolEntry<Rows>, out: JsonBytes) => boolean;
  /** The rows of a line. @throws Error when the value is not the fields of one */
  readonly read: (value: unknown) => SpoolEntry<Rows>[];
};

/** How rows are converted to lines and back, and summarized. */
export type RowForms<Rows, Summary> = {
  readonly codecs: RowCodecs<Rows>;
  readonly summaries: RowSummaries<Rows, Summary>;
  readonly joined?: JoinedRows<Rows> | undefined;
};

/** One row with the name of its kind. */
export type SpoolEntry<Rows> = {
  [Kind in keyof Rows & string]: { readonly kind: Kind; readonly row: Rows[Kind] };
}[keyof Rows & string];

/**
 * Who waits for a row to be on disk. One of the two is called, once, after the row was appended, and throws nothing: all rows
 * that are written together have one task, because a promise for each costs more than its row.
 */
export interface RowWaiter {
  onWritten(): void;
  onLost(error: unknown): void;
}

/** A recorded row with its encoded form, so that a consumer who wants JSON need not encode it again. */
export type EncodedEntry<Rows> = {
  [Kind in keyof Rows & string]: { readonly kind: Kind; readonly row: Rows[Kind]; readonly json: string };
}[keyof Rows & string];

/**
 * What a consumer has to know of the rows of a batch besides their text. It is made as they are recorded, so that rows need
 * not be kept in memory or parsed again.
 */
export type RowSummaries<Rows, Summary> = {
  /** The summary of no rows. */
  readonly begin: () => Summary;
  readonly add: (summary: Summary, entry: SpoolEntry<Rows>) => void;
  /** Adds what another summary counts. */
  readonly merge: (summary: Summary, other: Summary) => void;
};

/** Some rows as texts in the form of the log, one row per line in UTF-8, and their summary. */
export type RowTexts<Summary> = {
  readonly texts: readonly Uint8Array[];
  readonly count: number;
  readonly summary: Summary;
};

/**
 * The rows that the consumer has to commit in one transaction. It must be idempotent: a batch may be repeated. When it has
 * committed them, the memory of their texts is used again.
 */
export type SpoolBatch<Rows, Summary = null> = RowTexts<Summary> & {
  /** The rows themselves, which are parsed for it. */
  readonly entries: readonly EncodedEntry<Rows>[];
  /** The rows were recorded before this process opened the spool: nothing in memory belongs to them. */
  readonly isReplay: boolean;
  /** The rows were offered before, and it is unknown whether that attempt took effect. */
  readonly isRetry: boolean;
};

/** A row that can't be committed, kept on disk until the next start, which tries it again. */
export type QuarantinedEntry<Rows> = {
  /** Null when not even its text could be read. */
  readonly entry: SpoolEntry<Rows> | null;
  readonly text: string;
  readonly error: unknown;
};

export type SpoolDepth = {
  readonly entries: number;
  /** The bytes on disk that are not committed yet, including the quarantine. */
  readonly bytes: number;
  /** Age of the oldest row that is not committed; 0 when there is none. */
  readonly oldestAgeMs: number;
  readonly quarantined: number;
};

export type SpoolWarning = {
  readonly event:
    | "spool.disk_full"
    | "spool.recovered"
    | "spool.backlog_full"
    | "spool.corrupt"
    | "spool.write_failed"
    | "spool.waiter_failed";
  readonly detail: Record<string, unknown>;
};

/**
 * Encodes the row of an entry.
 * @throws any error of its codec
 */
function encodeEntry<Rows>(codecs: RowCodecs<Rows>, { kind, row }: SpoolEntry<Rows>): EncodedEntry<Rows> {
  return { kind, row, json: codecs[kind].encode(row) };
}

/** The text of one entry, as a line of its group. */
export function entryText<Rows>({ kind, json }: EncodedEntry<Rows>): string {
  return `["${kind}",${json}]`;
}

/** What a line for several rows ends with. */
const lineEnd = "]]";

/**
 * Collects the rows of a group: their text and their summary. Rows are written straight into the bytes of the group, because
 * a text for each would be garbage.
 */
export class RowCollector<Rows, Summary> {
  readonly #forms: RowForms<Rows, Summary>;
  readonly #out: JsonBytes;
  readonly summary: Summary;
  count = 0;
  /** The row that begins the last line, if others may be added to that. */
  #first: SpoolEntry<Rows> | null = null;

  /** @param out where the text goes; what is in it is overwritten */
  constructor(forms: RowForms<Rows, Summary>, out = new JsonBytes()) {
    this.#forms = forms;
    this.#out = out;
    this.summary = forms.summaries.begin();
    out.cut(0);
  }

  /** @throws any error of the row's codec or of the summary; then the row is not added */
  add(entry: SpoolEntry<Rows>): void {
    const out = this.#out;
    const { length } = out;
    try {
      if (!this.#join(entry)) {
        this.#begin(entry.kind);
        this.#write(entry);
        out.ascii("]");
        this.#end(entry);
      }
    } catch (error) {
      out.cut(length);
      throw error;
    }
  }

  /** Writes the row in a line for several. */
  #join(entry: SpoolEntry<Rows>): boolean {
    const { joined } = this.#forms;
    if (joined === undefined) {
      return false;
    }
    const out = this.#out;
    const { length } = out;
    const first = this.#first;
    this.#first = null;
    if (first !== null) {
      out.cut(length - lineEnd.length);
      let isAdded = false;
      try {
        if (joined.add(entry, first, out) && out.isPlain) {
          this.#end(entry);
          isAdded = true;
        }
      } finally {
        // Whatever was written, the line of the other row stays as it was.
        if (!isAdded) {
          out.cut(length - lineEnd.length);
        }
        out.ascii(lineEnd);
      }
      if (isAdded) {
        return true;
      }
    }
    this.#begin(joined.kind);
    out.ascii("[");
    if (joined.begin(entry, out) && out.isPlain) {
      out.ascii(lineEnd);
      this.#end(entry);
      this.#first = entry;
      return true;
    }
    out.cut(length);
    return false;
  }

  addEncoded(entry: EncodedEntry<Rows>): void {
    this.#begin(entry.kind);
    this.#out.json(entry.json);
    this.#out.ascii("]");
    this.#end(entry);
  }

  /** One row per line. The next collector on the same bytes overwrites it. */
  get text(): Buffer {
    return this.#out.written;
  }

  #begin(kind: string): void {
    this.#out.ascii(this.count === 0 ? '["' : '\n["');
    this.#out.ascii(kind);
    this.#out.ascii('",');
  }

  #write({ kind, row }: SpoolEntry<Rows>): void {
    const { writePlain, encode } = this.#forms.codecs[kind];
    const out = this.#out;
    if (writePlain !== undefined) {
      const { length } = out;
      writePlain(row, out);
      if (out.isPlain) {
        return;
      }
      out.cut(length);
    }
    out.json(encode(row));
  }

  #end(entry: SpoolEntry<Rows>): void {
    this.#forms.summaries.add(this.summary, entry);
    this.count += 1;
  }
}

/** The lines of such texts. */
export function linesOf(texts: Iterable<Uint8Array>): string[] {
  const lines: string[] = [];
  for (const text of texts) {
    for (const line of asBuffer(text).toString("utf8").split("\n")) {
      lines.push(line);
    }
  }
  return lines;
}

/**
 * Parses a line. Its rows are re-encoded, because the text may be of an older version.
 * @throws Error when it is not JSON, of an unknown kind, or refused by its codec
 */
export function parseLine<Rows>(
  { codecs, joined }: Pick<RowForms<Rows, unknown>, "codecs" | "joined">,
  text: string,
): EncodedEntry<Rows>[] {
  const parsed: unknown = JSON.parse(text);
  if (!Array.isArray(parsed) || parsed.length !== 2 || typeof parsed[0] !== "string") {
    throw new Error("not an entry of a spool");
  }
  const [kind, value] = parsed as [keyof Rows & string, unknown];
  if (kind === joined?.kind) {
    return joined.read(value).map((entry) => encodeEntry(codecs, entry));
  }
  if (!Object.hasOwn(codecs, kind)) {
    throw new Error(`no codec for entries of kind ${kind.slice(0, 40)}`);
  }
  return [encodeEntry(codecs, { kind, row: codecs[kind].decode(value) })];
}
