import { type Known, KnownBytes } from "../../platform/known-bytes.ts";
import { commonCount, ownCount } from "./call-record.ts";

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const closeBracket = 0x5d;
const letterN = 0x6e;
const letterU = 0x75;
const letterL = 0x6c;
const zero = 0x30;
/** A number of so many digits is exact. */
const digitsMax = 15;
const uuidLength = 36;
const nullLength = "null".length;
/** Refuses bytes that the database refuses, in place of changing them. */
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
/** How many ends are kept: 1 KB each, 6 with a beginning of its own. When there are more, all are forgotten and learned again. */
const endsMax = 5_000;

/**
 * What is made of the fields that records have in common.
 * @throws RangeError, TypeError, SyntaxError if they are not fit for it
 */
export type RecordMaker<Common, End> = {
  /** What precedes the fields of each record, and is found together with them. */
  readonly start: Buffer;
  readonly common: (fields: readonly unknown[]) => Common;
  /** Of a list that has the common fields and those that only traces say, at their places. */
  readonly end: (fields: readonly unknown[]) => End;
};

type Beginning<Common, End> = {
  readonly fields: readonly unknown[];
  readonly common: Common | null;
  readonly ends: KnownBytes<End | null>;
};

/**
 * Reads records of calls from their bytes without making texts or lists of them: what the calls of a key have in common is
 * found by its bytes, and the numbers between are read digit by digit. It reads one record at a time, whose values are its
 * fields.
 */
export class RecordReader<Common, End> {
  readonly #maker: RecordMaker<Common, End>;
  #beginnings = new KnownBytes<Beginning<Common, End>>();
  #endCount = 0;
  #text: Buffer = Buffer.alloc(0);
  #view: DataView = new DataView(new ArrayBuffer(0));
  #at = 0;
  #isPlain = true;
  common: Common | null = null;
  /** Null for a record without a trace. */
  end: End | null = null;
  /** Where the text of its id is. */
  requestIdAt = 0;
  startedAtMs = 0;
  durationMs = 0;
  firstByteMs: number | null = null;
  /** Where both times of its attempt are, with the comma between them. */
  attemptFrom = 0;
  attemptTo = 0;
  quota = 0;
  quotaHeld = 0;
  providerCost: string | null = null;
  inputTokens = 0;
  outputTokens = 0;
  cacheReadTokens = 0;
  cacheWriteTokens = 0;
  reasoningTokens = 0;

  constructor(maker: RecordMaker<Common, End>) {
    this.#maker = maker;
  }

  /** @returns false for a record that is not read like this, although it may be valid */
  read(text: Buffer, from: number, to: number): boolean {
    if (text !== this.#text) {
      this.#text = text;
      this.#view = new DataView(text.buffer, text.byteOffset, text.length);
    }
    const beginning = this.#beginnings.foundAt(this.#view, from, to) ?? this.#learnBeginning(from, to);
    if (beginning === null || beginning.value.common === null) {
      return false;
    }
    this.common = beginning.value.common;
    this.#at = from + beginning.bytes.length;
    this.#readOwn();
    return this.#isPlain && this.#readEnd(beginning.value, to);
  }

  /** The fields between the common ones and those of the trace, in their order, each with the comma after it. */
  #readOwn(): void {
    this.requestIdAt = this.#at + 1;
    this.#at += uuidLength + 2;
    this.#isPlain = this.#text[this.requestIdAt - 1] === quote && this.#text[this.#at - 1] === quote;
    this.#skipComma();
    this.startedAtMs = this.#number();
    this.durationMs = this.#number();
    this.firstByteMs = this.#numberOrNull();
    this.attemptFrom = this.#at;
    this.#number();
    this.#number();
    this.attemptTo = this.#at - 1;
    this.quota = this.#number();
    this.quotaHeld = this.#number();
    this.providerCost = this.#wordOrNull();
    this.inputTokens = this.#number();
    this.outputTokens = this.#number();
    this.cacheReadTokens = this.#number();
    this.cacheWriteTokens = this.#number();
    this.reasoningTokens = this.#digits();
  }

  #readEnd({ fields, ends }: Beginning<Common, End>, to: number): boolean {
    const text = this.#text;
    const at = this.#at;
    this.end = null;
    if (at === to - 1) {
      return text[at] === closeBracket;
    }
    if (text[at] !== comma || text[to - 1] !== closeBracket) {
      return false;
    }
    const known = ends.foundAt(this.#view, at, to);
    // A longer one is another end.
    const isWhole = known !== null && at + known.bytes.length === to;
    const { value } = isWhole ? known : ends.learn(text, at, to, (bytes) => this.#makeEnd(fields, bytes));
    this.end = value;
    return value !== null;
  }

  /** Finds the beginning of a record, up to the comma before its own fields. */
  #learnBeginning(from: number, to: number): Known<Beginning<Common, End>> | null {
    const text = this.#text;
    const { start } = this.#maker;
    const fieldsAt = from + start.length;
    if (fieldsAt > to || text.compare(start, 0, start.length, from, fieldsAt) !== 0) {
      return null;
    }
    let commas = 0;
    let isInText = false;
    for (let at = fieldsAt; at < to; at += 1) {
      const byte = text[at];
      if (byte === quote) {
        isInText = !isInText;
      } else if (byte === backslash) {
        at += 1;
      } else if (byte === comma && !isInText) {
        commas += 1;
        if (commas === commonCount) {
          return this.#beginnings.learn(text, from, at + 1, (bytes) => this.#makeBeginning(bytes));
        }
      }
    }
    return null;
  }

  #makeBeginning(bytes: Buffer): Beginning<Common, End> {
    const made = madeOrNull(() => {
      const fields = JSON.parse(`${utf8.decode(bytes.subarray(this.#maker.start.length, -1))}]`) as unknown[];
      return { fields, common: this.#maker.common(fields) };
    });
    return made === null ? { fields: [], common: null, ends: new KnownBytes() } : { ...made, ends: new KnownBytes() };
  }

  #makeEnd(fields: readonly unknown[], bytes: Buffer): End | null {
    if (this.#endCount === endsMax) {
      this.#beginnings = new KnownBytes();
      this.#endCount = 0;
    }
    this.#endCount += 1;
    return madeOrNull(() => {
      const end = JSON.parse(`[${utf8.decode(bytes.subarray(1))}`) as unknown[];
      return this.#maker.end([...fields, ...Array.from({ length: ownCount }), ...end]);
    });
  }

  #number(): number {
    const value = this.#digits();
    this.#skipComma();
    return value;
  }

  #numberOrNull(): number | null {
    if (this.#text[this.#at] !== letterN) {
      return this.#number();
    }
    this.#skipNull();
    return null;
  }

  #digits(): number {
    const text = this.#text;
    const from = this.#at;
    let at = from;
    let value = 0;
    for (let digit = (text[at] as number) - zero; digit >= 0 && digit <= 9; digit = (text[at] as number) - zero) {
      value = value * 10 + digit;
      at += 1;
    }
    this.#isPlain &&= at > from && at - from <= digitsMax && (text[from] !== zero || at - from === 1);
    this.#at = at;
    return value;
  }

  #wordOrNull(): string | null {
    const text = this.#text;
    if (text[this.#at] === letterN) {
      this.#skipNull();
      return null;
    }
    const from = this.#at + 1;
    const to = text.indexOf(quote, from);
    this.#isPlain &&= text[from - 1] === quote && to !== -1;
    this.#at = to + 1;
    this.#skipComma();
    return text.toString("latin1", from, to);
  }

  /** From its first letter, with the comma after it. */
  #skipNull(): void {
    const text = this.#text;
    const at = this.#at;
    this.#isPlain &&= text[at + 1] === letterU && text[at + 2] === letterL && text[at + 3] === letterL;
    this.#at = at + nullLength;
    this.#skipComma();
  }

  #skipComma(): void {
    this.#isPlain &&= this.#text[this.#at] === comma;
    this.#at += 1;
  }
}

/** What can't be made is left to the statement for all records, which says what is wrong. */
function madeOrNull<Made>(make: () => Made): Made | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError) {
      return null;
    }
    throw error;
  }
}
