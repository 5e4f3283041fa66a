type ScanState = "empty" | "open" | "complete" | "invalid";

const depthMax = 512;

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const colon = 0x3a;
const minus = 0x2d;
const plus = 0x2b;
const dot = 0x2e;
const openBrace = 0x7b;
const closeBrace = 0x7d;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const zero = 0x30;
const nine = 0x39;

const isSpace = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
const isDigit = (unit: number): boolean => unit >= zero && unit <= nine;
const isExponent = (unit: number): boolean => unit === 0x65 || unit === 0x45;
const isHex = (unit: number): boolean => isDigit(unit) || ((unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x66);

/** The tokens that may come next. After `number...`, a number may also be over. */
type Expectation =
  | "object"
  | "first_key"
  | "key"
  | "colon"
  | "value"
  | "first_entry"
  | "more"
  | "string"
  | "escape"
  | "hex"
  | "literal"
  | "number_start"
  | "number_zero"
  | "number_int"
  | "fraction_start"
  | "number_fraction"
  | "exponent_sign"
  | "exponent_start"
  | "number_exponent";

const literals: ReadonlyMap<number, string> = new Map([
  [0x74, "rue"],
  [0x66, "alse"],
  [0x6e, "ull"],
]);

const simpleEscapes = new Set([...'"\\/bfnrt'].map((unit) => unit.charCodeAt(0)));

/**
 * Follows a text that should be one JSON object, piece by piece, and knows at any time whether it can still become one.
 * It looks at every character once and stops at the end of the object or at the first one that does not fit.
 */
export class JsonObjectScanner {
  /** Only white space so far; incomplete; complete; or not an object any more. */
  state: ScanState = "empty";
  /** The number of characters that fit; the position after the closing brace when the object is complete. */
  validLength = 0;
  /** The text up to here plus `closers` is a complete object without its unfinished part. */
  cutLength = 0;
  #expects: Expectation = "object";
  readonly #closers: number[] = [];
  #isKey = false;
  #pending = "";
  #hexDigits = 0;

  /** The opening brace has been seen; before it, nothing indicates an object. */
  get hasOpened(): boolean {
    return this.cutLength > 0;
  }

  /** The closing characters for all open containers. */
  get closers(): string {
    return String.fromCharCode(...this.#closers.toReversed());
  }

  /** Adds the next piece. Anything after the end of the object is ignored. */
  feed(piece: string): void {
    for (let at = 0; at < piece.length; at += 1) {
      if (this.state === "complete" || this.state === "invalid") {
        return;
      }
      if (!this.#take(piece.charCodeAt(at))) {
        this.state = "invalid";
        return;
      }
      this.validLength += 1;
    }
  }

  #take(unit: number): boolean {
    switch (this.#expects) {
      case "string":
        return this.#takeInString(unit);
      case "escape":
      case "hex":
        return this.#takeEscape(unit);
      case "literal":
        return this.#takeLiteral(unit);
      case "object":
      case "first_key":
      case "key":
      case "colon":
      case "value":
      case "first_entry":
      case "more":
        return isSpace(unit) || this.#takeStructure(unit);
      default:
        return this.#takeNumber(unit);
    }
  }

  #takeStructure(unit: number): boolean {
    switch (this.#expects) {
      case "object":
        return unit === openBrace && this.#open(closeBrace);
      case "first_key":
        return unit === closeBrace ? this.#close(unit) : this.#beginKey(unit);
      case "key":
        return this.#beginKey(unit);
      case "colon":
        return unit === colon && this.#goOn("value");
      case "first_entry":
        return unit === closeBracket ? this.#close(unit) : this.#beginValue(unit);
      case "value":
        return this.#beginValue(unit);
      default:
        return unit === comma ? this.#goOn(this.#isInObject() ? "key" : "value") : this.#close(unit);
    }
  }

  #beginKey(unit: number): boolean {
    this.#isKey = true;
    return unit === quote && this.#goOn("string");
  }

  #beginValue(unit: number): boolean {
    if (unit === quote) {
      this.#isKey = false;
      return this.#goOn("string");
    }
    if (unit === openBrace || unit === openBracket) {
      return this.#open(unit === openBrace ? closeBrace : closeBracket);
    }
    if (unit === minus) {
      return this.#goOn("number_start");
    }
    if (isDigit(unit)) {
      return this.#goOn(unit === zero ? "number_zero" : "number_int");
    }
    this.#pending = literals.get(unit) ?? "";
    return this.#pending !== "" && this.#goOn("literal");
  }

  #takeInString(unit: number): boolean {
    if (unit === quote) {
      return this.#isKey ? this.#goOn("colon") : this.#endValue(1);
    }
    return unit === backslash ? this.#goOn("escape") : unit >= 0x20;
  }

  #takeEscape(unit: number): boolean {
    if (this.#expects === "escape") {
      this.#hexDigits = 0;
      return unit === 0x75 ? this.#goOn("hex") : simpleEscapes.has(unit) && this.#goOn("string");
    }
    this.#hexDigits += 1;
    return isHex(unit) && this.#goOn(this.#hexDigits === 4 ? "string" : "hex");
  }

  #takeLiteral(unit: number): boolean {
    if (unit !== this.#pending.charCodeAt(0)) {
      return false;
    }
    this.#pending = this.#pending.slice(1);
    return this.#pending !== "" || this.#endValue(1);
  }

  #takeNumber(unit: number): boolean {
    const next = nextInNumber(this.#expects, unit);
    if (next !== null) {
      return this.#goOn(next);
    }
    // The number ends here, and the character follows it.
    const isOver = this.#expects.startsWith("number_") && this.#expects !== "number_start";
    return isOver && this.#endValue(0) && (isSpace(unit) || this.#takeStructure(unit));
  }

  #open(closer: number): boolean {
    this.state = "open";
    this.#closers.push(closer);
    this.cutLength = this.validLength + 1;
    return this.#closers.length <= depthMax && this.#goOn(closer === closeBrace ? "first_key" : "first_entry");
  }

  #close(unit: number): boolean {
    if (this.#closers.pop() !== unit) {
      return false;
    }
    if (this.#closers.length === 0) {
      this.state = "complete";
    }
    return this.#endValue(1);
  }

  /** @param ownLength 1 when the current character belongs to the value, 0 when it follows the value */
  #endValue(ownLength: 0 | 1): boolean {
    this.cutLength = this.validLength + ownLength;
    return this.#goOn("more");
  }

  #goOn(expects: Expectation): true {
    this.#expects = expects;
    return true;
  }

  #isInObject(): boolean {
    return this.#closers.at(-1) === closeBrace;
  }
}

/** The state in a number after one more character; null when the character does not belong to it. */
function nextInNumber(place: Expectation, unit: number): Expectation | null {
  if (isDigit(unit)) {
    return afterDigit(place, unit);
  }
  const isWhole = place === "number_zero" || place === "number_int";
  if (unit === dot) {
    return isWhole ? "fraction_start" : null;
  }
  if (isExponent(unit)) {
    return isWhole || place === "number_fraction" ? "exponent_sign" : null;
  }
  return (unit === plus || unit === minus) && place === "exponent_sign" ? "exponent_start" : null;
}

function afterDigit(place: Expectation, unit: number): Expectation | null {
  switch (place) {
    case "number_start":
      return unit === zero ? "number_zero" : "number_int";
    case "number_zero":
      return null;
    case "number_int":
      return "number_int";
    case "fraction_start":
    case "number_fraction":
      return "number_fraction";
    default:
      return "number_exponent";
  }
}
