/** The bytes from `start` up to, not including, `end`. */
export type Place = readonly [start: number, end: number];

/** What a scan of a JSON text's structure finds, without building any value. */
export type JsonShape = {
  /** A limit was exceeded, and the text after that position was not checked. */
  readonly isOverLimit: boolean;
  /** Top-level keys that occur twice. */
  readonly hasDuplicateTopLevelKey: boolean;
  /** Where the value of each top-level key begins and ends. */
  readonly topLevel: ReadonlyMap<string, Place>;
  /** Keys at all depths, each as often as it occurs. */
  readonly keys: number;
};

export type JsonLimits = {
  readonly depthMax: number;
  readonly keysMax: number;
  readonly topLevelKeysMax: number;
  readonly valuesMax: number;
};

const quote = 0x22;
const backslash = 0x5c;
const lastSpace = 0x20;
const depthChange: ReadonlyMap<number, number> = new Map([
  [0x7b, 1],
  [0x5b, 1],
  [0x7d, -1],
  [0x5d, -1],
]);

/** The position after the closing quote of the string that opens at `start`. */
export function stringEnd(bytes: Buffer, start: number): number {
  for (let at = bytes.indexOf(quote, start + 1); at !== -1; at = bytes.indexOf(quote, at + 1)) {
    let slashes = 0;
    while (bytes[at - 1 - slashes] === backslash) {
      slashes += 1;
    }
    if (slashes % 2 === 0) {
      return at + 1;
    }
  }
  return bytes.length;
}

/**
 * Scans the structure of a text that may or may not be JSON: strings are skipped at native speed, values are not built.
 * The scan does not check validity, stops once a limit is exceeded, and takes linear time for any bytes.
 */
export function scanJson(bytes: Buffer, limits: JsonLimits): JsonShape {
  const walk = new StructureWalk(bytes, limits);
  for (let at = 0; at < bytes.length && !walk.isOverLimit; ) {
    const byte = bytes[at];
    if (byte === quote) {
      const end = stringEnd(bytes, at);
      walk.onString(at, end);
      at = end;
      continue;
    }
    if (byte === 0x7b || byte === 0x5b) {
      walk.onOpen(byte === 0x7b);
    } else if (byte === 0x7d || byte === 0x5d) {
      walk.onClose(at);
    } else if (byte === 0x2c) {
      walk.onComma(at);
    }
    at += 1;
  }
  return {
    isOverLimit: walk.isOverLimit,
    hasDuplicateTopLevelKey: walk.hasDuplicateTopLevelKey,
    topLevel: walk.topLevel,
    keys: walk.keys,
  };
}

/** The text was accepted before, within narrower limits. */
const acceptedLimits = { depthMax: 256, keysMax: 1_000_000, topLevelKeysMax: 10_000, valuesMax: 10_000_000 };

/** Where the values of the top-level fields of an accepted text are; there may be white space around them. */
export function topLevelOf(bytes: Buffer): ReadonlyMap<string, Place> {
  return scanJson(bytes, acceptedLimits).topLevel;
}

/** Where the items of the array in this range of a valid JSON text begin and end. */
export function itemRanges(bytes: Buffer, [start, end]: Place): Place[] {
  const items: Place[] = [];
  let depth = 0;
  let itemStart = bytes.indexOf(0x5b, start) + 1;
  for (let at = start; at < end; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === quote) {
      at = stringEnd(bytes, at) - 1;
      continue;
    }
    depth += depthChange.get(byte) ?? 0;
    const isEnd = byte === 0x2c ? depth === 1 : byte === 0x5d && depth === 0;
    if (isEnd) {
      items.push([itemStart, at]);
      itemStart = at + 1;
    }
  }
  return items;
}

class StructureWalk {
  readonly topLevel = new Map<string, Place>();
  hasDuplicateTopLevelKey = false;
  isOverLimit = false;
  keys = 0;
  readonly #bytes: Buffer;
  readonly #limits: JsonLimits;
  /** Which of the open containers are objects. */
  readonly #isObject: boolean[] = [];
  #depth = 0;
  #values = 0;
  #isKeyNext = false;
  #openKey: string | null = null;
  #valueStart = 0;

  constructor(bytes: Buffer, limits: JsonLimits) {
    this.#bytes = bytes;
    this.#limits = limits;
  }

  onString(start: number, end: number): void {
    if (!this.#isKeyNext) {
      return;
    }
    this.keys += 1;
    this.#isKeyNext = false;
    if (this.#depth === 1) {
      this.#openKey = topLevelKey(this.#bytes, start, end);
      this.hasDuplicateTopLevelKey ||= this.topLevel.has(this.#openKey);
      this.#valueStart = this.#afterColon(end);
      this.isOverLimit ||= this.topLevel.size >= this.#limits.topLevelKeysMax;
    }
    this.isOverLimit ||= this.keys > this.#limits.keysMax;
  }

  onOpen(isObject: boolean): void {
    this.#isObject[this.#depth] = isObject;
    this.#isKeyNext = isObject;
    this.#depth += 1;
    this.isOverLimit ||= this.#depth > this.#limits.depthMax;
  }

  onClose(at: number): void {
    this.#closeTopLevelValue(at);
    this.#depth -= 1;
    // More brackets were closed than opened: this is not JSON, and nothing after it matters.
    this.isOverLimit ||= this.#depth < 0;
    this.#isKeyNext = false;
  }

  onComma(at: number): void {
    this.#closeTopLevelValue(at);
    this.#isKeyNext = this.#isObject[this.#depth - 1] === true;
    this.#values += 1;
    this.isOverLimit ||= this.#values > this.#limits.valuesMax;
  }

  /** Where the value of a key that ends here begins. JSON allows only white space before the colon. */
  #afterColon(end: number): number {
    let at = end;
    while ((this.#bytes[at] ?? lastSpace + 1) <= lastSpace) {
      at += 1;
    }
    return at + 1;
  }

  #closeTopLevelValue(end: number): void {
    if (this.#depth === 1 && this.#openKey !== null) {
      this.topLevel.set(this.#openKey, [this.#valueStart, end]);
      this.#openKey = null;
    }
  }
}

/** The name of a key, with its escapes decoded: "m\u006fdel" is "model" to a provider too. */
function topLevelKey(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString("utf8", start, end);
  if (!raw.includes("\\")) {
    return raw.slice(1, -1);
  }
  try {
    return String(JSON.parse(raw));
  } catch {
    return raw;
  }
}
