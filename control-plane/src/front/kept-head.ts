import { HeadFields, KnownFields } from "./head-fields.ts";

/** What was read of a head. */
type ReadHead = { readonly target: string; readonly end: number; readonly isLast: boolean };

/** A longer head is read each time: every connection keeps its own. */
const keptBytesMax = 2_048;
const lengthName = "content-length";
const nothing = Buffer.alloc(0);
const zero = 48;
const one = 49;
/** Nobody can make heads whose hashes are the same. */
const hashSeed = crypto.getRandomValues(new BigUint64Array(1))[0] ?? 0n;

/**
 * The last head of a connection. Clients send the same one with each request; only the length of the body differs. So the
 * next one is first compared with it, and read only if it differs in anything else.
 */
export class KeptHead {
  target = "";
  isLast = false;
  /** How long it is; 0 if none is kept. */
  end = 0;
  #bytes: Buffer = nothing;
  #offsets: Int32Array<ArrayBuffer> = new Int32Array();
  /** Where the digits of the length begin and end. */
  #digits = 0;
  #digitsEnd = 0;
  /** What was made of its fields, once it was repeated. */
  #known: KnownFields | null = null;
  /** How many connections have it as their last head; 0 while only the one that read it knows it. */
  users = 0;

  /** Keeps a head that is served. @param offsets four for each field: of its name and of its value */
  keep(bytes: Buffer, { target, end, isLast }: ReadHead, offsets: Int32Array<ArrayBuffer>): void {
    this.#known = null;
    this.end = 0;
    if (end > keptBytesMax) {
      return;
    }
    for (let slot = 0; slot < offsets.length; slot += 4) {
      const [from = 0, nameEnd = 0, valueFrom = 0, valueEnd = 0] = offsets.subarray(slot, slot + 4);
      const isLength =
        nameEnd - from === lengthName.length && bytes.toString("latin1", from, nameEnd).toLowerCase() === lengthName;
      if (isLength) {
        this.#digits = valueFrom;
        this.#digitsEnd = valueEnd;
        // A copy: the memory of a whole request is not kept for it.
        this.#bytes = Buffer.from(bytes.subarray(0, end));
        this.#offsets = offsets;
        this.target = target;
        this.isLast = isLast;
        this.end = end;
      }
    }
  }

  /** The length of the body, if the bytes begin with the kept head and as many digits; -1 if not. */
  lengthIn(bytes: Buffer, length: number): number {
    const { end } = this;
    if (end === 0 || length < end) {
      return -1;
    }
    const kept = this.#bytes;
    const from = this.#digits;
    const to = this.#digitsEnd;
    let contentLength = 0;
    for (let at = from; at < to; at += 1) {
      const digit = (bytes[at] as number) - zero;
      if (digit < 0 || digit > 9) {
        return -1;
      }
      contentLength = contentLength * 10 + digit;
    }
    // A length that begins with zeros is not one to be served.
    if (to - from > 1 && bytes[from] === zero) {
      return -1;
    }
    // The kept head gets these digits, so that everything is compared at once.
    for (let at = from; at < to; at += 1) {
      kept[at] = bytes[at] as number;
    }
    return bytes.compare(kept, 0, end, 0, end) === 0 ? contentLength : -1;
  }

  /** The same for heads that mean the same. */
  get hash(): number | bigint {
    // A number that may be a length.
    this.#bytes.fill(one, this.#digits, this.#digitsEnd);
    return Bun.hash(this.#bytes, hashSeed);
  }

  /** Whether both mean the same, whatever the length of the body. */
  isSame(other: KeptHead): boolean {
    return this.end === other.end && this.lengthIn(other.#bytes, other.end) !== -1;
  }

  /** The fields of such a head. What was made of them for an earlier request is not made again. */
  fieldsOf(bytes: Buffer): HeadFields {
    this.#known ??= new KnownFields();
    return new HeadFields(bytes, this.#offsets, this.#known);
  }
}

/**
 * The heads that connections repeat, each once. A client sends the same head over all of its connections: one copy of it
 * stays in the caches of a core, where hundreds would not.
 */
export class SharedHeads {
  /** By their hash. */
  readonly #heads = new Map<number | bigint, KeptHead[]>();

  /** The head that all connections with the same one have in common; `leave` must follow. */
  share(head: KeptHead): KeptHead {
    const { hash } = head;
    const alike = this.#heads.get(hash) ?? [];
    const shared = alike.find((each) => each.isSame(head)) ?? head;
    if (shared === head) {
      this.#heads.set(hash, [...alike, head]);
    }
    shared.users += 1;
    return shared;
  }

  /** The connection repeats it no longer. No key stays in memory for longer than its connections. */
  leave(head: KeptHead): void {
    head.users -= 1;
    if (head.users > 0) {
      return;
    }
    const { hash } = head;
    const others = (this.#heads.get(hash) ?? []).filter((each) => each !== head);
    if (others.length === 0) {
      this.#heads.delete(hash);
    } else {
      this.#heads.set(hash, others);
    }
  }
}
