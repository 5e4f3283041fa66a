import { capital, cr, endOfName, endOfValue, lf, nameBytes, skipBlanks, trimEnd } from "./field-bytes.ts";
import { HeadFields } from "./head-fields.ts";
import { KeptHead, SharedHeads } from "./kept-head.ts";

/**
 * What becomes of a connection whose next request begins like this: more bytes decide; the front serves the request; the
 * runtime's server gets the connection, because the request is legal but rare; or the request is illegal.
 */
export type Verdict = "more" | "serve" | "hand_over" | "refuse";

/** The longest head that the front reads. The runtime's server answers those that are longer. */
export const headBytesMax = 16_384;
const fieldsMax = 100;
/** A connection has room for so many until it sends more: most clients send fewer. None while it repeats its head. */
const usualFields = 20;
const noFields = new Int32Array();
/** A longer number is not the length of any body. */
const lengthDigitsMax = 15;

const colon = 58;
const zero = 48;

/** The fields that decide about the framing of a request or its connection. */
type Role = "length" | "encoding" | "host" | "connection" | "rare";
type Known = { readonly name: Uint8Array; readonly role: Role };

const roles: Readonly<Record<string, Role>> = {
  "content-length": "length",
  "transfer-encoding": "encoding",
  host: "host",
  connection: "connection",
  ...Object.fromEntries(
    ["expect", "upgrade", "te", "trailer", "keep-alive", "proxy-connection", "http2-settings"].map((name) => [
      name,
      "rare",
    ]),
  ),
};

/** Only these letters: what else a host may be written with is for the runtime's server. */
const plainHost = /^[a-z0-9_.-]+(:\d{1,5})?$|^\[[0-9a-f:.]+\](:\d{1,5})?$/i;
const keepAlive = Buffer.from("keep-alive");
const close = Buffer.from("close");
const noHost = Buffer.alloc(0);

export type HeadRules = {
  /** The targets that are served, exactly as in the request line. */
  readonly targets: readonly string[];
  /** Names of further fields, in lower case, with which a request is handed over. */
  readonly rareFields: readonly string[];
};

/** The rules in the form in which bytes are compared with them. */
export class HeadTable {
  readonly lines: readonly { readonly target: string; readonly bytes: Buffer }[];
  /** By the length of the name. */
  readonly known: readonly (readonly Known[] | undefined)[];
  readonly heads = new SharedHeads();
  /** The host of an earlier request: the next one nearly always names it too. */
  plainHost: Buffer = noHost;

  constructor({ targets, rareFields }: HeadRules) {
    this.lines = targets.map((target) => ({ target, bytes: Buffer.from(`POST ${target} HTTP/1.1\r\n`) }));
    const known: Known[][] = [];
    const rare = rareFields.map((name) => [name, "rare"] as const);
    for (const [name, role] of [...Object.entries(roles), ...rare]) {
      const ofLength = known[name.length] ?? [];
      ofLength.push({ name: Buffer.from(name), role });
      known[name.length] = ofLength;
    }
    this.known = known;
  }
}

/**
 * Reads the head of a request strictly, from bytes that may come in any pieces, each byte a small number of times. What
 * two parsers could understand differently is refused; what is legal but rare is not read to its end.
 */
export class RequestHead {
  target = "";
  /** The offset of the body. */
  end = 0;
  contentLength = -1;
  /** The client wants the connection to be closed after the response. */
  isLast = false;
  readonly #table: HeadTable;
  /** Four offsets for each field: of its name and of its value. */
  #fields = noFields;
  #count = 0;
  #at = 0;
  /** How far the bytes were searched for the end of the line that begins at `#at`. */
  #searched = 0;
  #hosts = 0;
  #hasEncoding = false;
  #isRare = false;
  /** The last head that was read to its end and served: clients nearly always send it again. */
  #kept = new KeptHead();
  #isRepeated = false;

  constructor(table: HeadTable) {
    this.#table = table;
  }

  /** Begins a new request. */
  reset(): void {
    this.end = 0;
    this.contentLength = -1;
    this.isLast = false;
    this.#count = 0;
    this.#at = 0;
    this.#searched = 0;
    this.#hosts = 0;
    this.#hasEncoding = false;
    this.#isRare = false;
    this.#isRepeated = false;
  }

  /**
   * @param bytes all bytes of the request so far; those of earlier calls have not changed
   * @param length how many of them are valid
   */
  read(bytes: Buffer, length: number): Verdict {
    if (this.#at === 0) {
      const contentLength = this.#kept.lengthIn(bytes, length);
      if (contentLength !== -1) {
        return this.#repeat(contentLength);
      }
      const verdict = this.#readRequestLine(bytes, length);
      if (verdict !== "serve") {
        return verdict;
      }
    }
    const limit = Math.min(length, headBytesMax);
    // A line is read again only when its end has arrived.
    if (this.#searched > this.#at && bytes[this.#at] !== cr && !hasLineEnd(bytes, this.#searched, limit)) {
      return this.#wait(length, limit);
    }
    const verdict = this.#readFields(bytes, limit);
    return verdict === "more" ? this.#wait(length, limit) : verdict;
  }

  /** Reads lines until the empty one. */
  #readFields(bytes: Buffer, limit: number): Verdict {
    for (;;) {
      const at = this.#at;
      if (at + 1 < limit && bytes[at] === cr) {
        this.end = at + 2;
        return bytes[at + 1] === lf ? this.#judge() : "refuse";
      }
      const verdict = this.#readField(bytes, at, limit);
      if (verdict !== "serve") {
        return verdict;
      }
    }
  }

  /** The fields of this head, for longer than until the next one is read. */
  fieldsOf(bytes: Buffer): HeadFields {
    if (this.#isRepeated) {
      if (this.#kept.users === 0) {
        this.#kept = this.#table.heads.share(this.#kept);
        this.#fields = noFields;
      }
      return this.#kept.fieldsOf(bytes);
    }
    const offsets = this.#fields.slice(0, this.#count * 4);
    this.close();
    this.#kept.keep(bytes, this, offsets);
    return new HeadFields(bytes, offsets);
  }

  /** Leaves the last head to the other connections that have it. */
  close(): void {
    if (this.#kept.users > 0) {
      this.#table.heads.leave(this.#kept);
      this.#kept = new KeptHead();
    }
  }

  /** The head is the one before with another length, so that everything else that was read of it is true again. */
  #repeat(contentLength: number): Verdict {
    const kept = this.#kept;
    this.#isRepeated = true;
    this.contentLength = contentLength;
    this.target = kept.target;
    this.isLast = kept.isLast;
    this.end = kept.end;
    return "serve";
  }

  #wait(length: number, limit: number): Verdict {
    this.#searched = limit;
    return length >= headBytesMax ? "hand_over" : "more";
  }

  #readRequestLine(bytes: Buffer, length: number): Verdict {
    for (const { target, bytes: line } of this.#table.lines) {
      const compared = Math.min(length, line.length);
      if (bytes.compare(line, 0, compared, 0, compared) === 0) {
        if (compared < line.length) {
          return "more";
        }
        this.target = target;
        this.#at = line.length;
        return "serve";
      }
    }
    return "hand_over";
  }

  /** Reads the field that begins at this offset. */
  #readField(bytes: Buffer, from: number, limit: number): Verdict {
    const nameEnd = endOfName(bytes, from, limit);
    if (nameEnd === limit) {
      return "more";
    }
    // A folded line, a line without a name and a space before the colon end here.
    if (bytes[nameEnd] !== colon || nameEnd === from) {
      return bytes[from] === cr ? "more" : "refuse";
    }
    const valueFrom = skipBlanks(bytes, nameEnd + 1, limit);
    const lineEnd = endOfValue(bytes, valueFrom, limit);
    const ending = judgeLineEnd(bytes, lineEnd, limit);
    if (ending !== "serve") {
      return ending;
    }
    if (this.#count === fieldsMax) {
      return "hand_over";
    }
    if (this.#count * 4 === this.#fields.length) {
      const more = new Int32Array(4 * (this.#count === 0 ? usualFields : fieldsMax));
      more.set(this.#fields);
      this.#fields = more;
    }
    this.#at = lineEnd + 2;
    const slot = this.#count * 4;
    const fields = this.#fields;
    fields[slot] = from;
    fields[slot + 1] = nameEnd;
    fields[slot + 2] = valueFrom;
    fields[slot + 3] = trimEnd(bytes, valueFrom, lineEnd);
    this.#count += 1;
    return this.#understand(bytes, slot);
  }

  /** Applies what the field says about the framing. */
  #understand(bytes: Buffer, slot: number): Verdict {
    const fields = this.#fields;
    const from = fields[slot] as number;
    const known = this.#table.known[(fields[slot + 1] as number) - from];
    if (known !== undefined) {
      for (const { name, role } of known) {
        if (isSame(bytes, from, name)) {
          return this.#apply(role, bytes, fields[slot + 2] as number, fields[slot + 3] as number);
        }
      }
    }
    return "serve";
  }

  #apply(role: Role, bytes: Buffer, from: number, end: number): Verdict {
    switch (role) {
      case "length":
        return this.#readLength(bytes, from, end) ? "serve" : "refuse";
      case "encoding":
        this.#hasEncoding = true;
        break;
      case "host":
        this.#hosts += 1;
        this.#isRare ||= !this.#isPlainHost(bytes, from, end);
        break;
      case "connection":
        if (end - from === close.length && isSame(bytes, from, close)) {
          this.isLast = true;
        } else {
          this.#isRare ||= end - from !== keepAlive.length || !isSame(bytes, from, keepAlive);
        }
        break;
      case "rare":
        this.#isRare = true;
    }
    return "serve";
  }

  #isPlainHost(bytes: Buffer, from: number, end: number): boolean {
    const known = this.#table.plainHost;
    if (end - from === known.length && bytes.compare(known, 0, known.length, from, end) === 0) {
      return known !== noHost;
    }
    const isPlain = plainHost.test(bytes.toString("latin1", from, end));
    if (isPlain) {
      this.#table.plainHost = Buffer.from(bytes.subarray(from, end));
    }
    return isPlain;
  }

  /** @returns false for anything but one length in plain digits */
  #readLength(bytes: Buffer, from: number, end: number): boolean {
    if (this.contentLength !== -1 || end === from || end - from > lengthDigitsMax) {
      return false;
    }
    let length = 0;
    for (let at = from; at < end; at += 1) {
      const digit = (bytes[at] as number) - zero;
      if (digit < 0 || digit > 9) {
        return false;
      }
      length = length * 10 + digit;
    }
    this.#isRare ||= end - from > 1 && bytes[from] === zero;
    this.contentLength = length;
    return true;
  }

  /** The verdict once every field is known. */
  #judge(): Verdict {
    if (this.#hasEncoding && this.contentLength !== -1) {
      return "refuse";
    }
    return this.#isRare || this.#hosts !== 1 || this.contentLength === -1 ? "hand_over" : "serve";
  }
}

/** What the first byte after a value says about the line: what two parsers may read differently is not read here. */
function judgeLineEnd(bytes: Buffer, at: number, limit: number): Verdict {
  if (at === limit) {
    return "more";
  }
  if (bytes[at] !== cr) {
    return (bytes[at] as number) >= 128 ? "hand_over" : "refuse";
  }
  if (at + 1 === limit) {
    return "more";
  }
  return bytes[at + 1] === lf ? "serve" : "refuse";
}

function hasLineEnd(bytes: Buffer, from: number, limit: number): boolean {
  const found = bytes.indexOf(lf, from);
  return found !== -1 && found < limit;
}

/** Compares without regard to the case of letters; the other text is in lower case. */
function isSame(bytes: Buffer, from: number, lowerCase: Uint8Array): boolean {
  for (let index = 0; index < lowerCase.length; index += 1) {
    const byte = bytes[from + index] as number;
    if ((nameBytes[byte] === capital ? byte + 32 : byte) !== lowerCase[index]) {
      return false;
    }
  }
  return true;
}
