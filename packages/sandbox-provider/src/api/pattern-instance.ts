/**
 * Makes a text that a regular expression matches, for the `pattern` keyword. It understands literals, classes, groups,
 * alternatives, quantifiers and anchors, which is what schemas use, and ignores look-around and back-references.
 */
type Cursor = {
  readonly source: string;
  at: number /** How often an open-ended quantifier repeats. */;
  readonly generosity: number;
};

const classes: Readonly<Record<string, string>> = {
  d: "0",
  w: "a",
  s: " ",
  D: "a",
  W: "-",
  S: "a",
  n: "\n",
  t: "\t",
  r: "\r",
};
const candidates = "a0A-_. z9Z@#!/:+~é";

/** The text is at least `lengthMin` long if the pattern leaves room for that. */
export function patternInstance(pattern: string, lengthMin: number): string {
  let text = "";
  for (const generosity of [1, 2, 4, 8, 16, 32, 64, Math.max(1, lengthMin)]) {
    text = alternatives({ source: pattern, at: 0, generosity });
    if (text.length >= lengthMin) {
      break;
    }
  }
  return text;
}

/** Reads the first alternative and skips the others. */
function alternatives(cursor: Cursor): string {
  const first = sequence(cursor);
  while (cursor.source[cursor.at] === "|") {
    cursor.at += 1;
    sequence(cursor);
  }
  return first;
}

function sequence(cursor: Cursor): string {
  let text = "";
  while (cursor.at < cursor.source.length && !"|)".includes(cursor.source.charAt(cursor.at))) {
    const atom = readAtom(cursor);
    text += atom.repeat(readQuantifier(cursor));
  }
  return text;
}

function readAtom(cursor: Cursor): string {
  const character = cursor.source.charAt(cursor.at);
  cursor.at += 1;
  switch (character) {
    case "^":
    case "$":
      return "";
    case ".":
      return "a";
    case "[":
      return readClass(cursor);
    case "(":
      return readGroup(cursor);
    case "\\":
      return readEscape(cursor);
    default:
      return character;
  }
}

function readEscape(cursor: Cursor): string {
  const escaped = cursor.source.charAt(cursor.at);
  cursor.at += 1;
  if (escaped === "b" || escaped === "B") {
    return "";
  }
  const property = /^\{[^}]*\}/.exec(cursor.source.slice(cursor.at))?.[0];
  if (/p/i.test(escaped) && property !== undefined) {
    cursor.at += property.length;
    return memberOf(`\\${escaped}${property}`);
  }
  return classes[escaped] ?? escaped;
}

function readGroup(cursor: Cursor): string {
  const prefix = /^\?(?:[:=!]|<[=!]|<[^>]+>)/.exec(cursor.source.slice(cursor.at))?.[0] ?? "";
  cursor.at += prefix.length;
  const text = alternatives(cursor);
  cursor.at += 1;
  return /[=!]$/.test(prefix) ? "" : text;
}

/** Tests some characters against the class itself, so that ranges and negation need no interpretation here. */
function readClass(cursor: Cursor): string {
  const start = cursor.at - 1;
  let isFirst = true;
  while (cursor.at < cursor.source.length && (isFirst || cursor.source[cursor.at] !== "]")) {
    isFirst &&= cursor.source[cursor.at] === "^";
    cursor.at += cursor.source[cursor.at] === "\\" ? 2 : 1;
  }
  cursor.at += 1;
  return memberOf(cursor.source.slice(start, cursor.at));
}

/** A character in the class; an empty text for a class that is empty or broken. */
function memberOf(source: string): string {
  const matcher = compile(`^${source}$`, "u") ?? compile(`^${source}$`, "");
  const literal = source.slice(1, -1).replace(/^\^|\\/g, "");
  return [...candidates, ...literal].find((character) => matcher?.test(character)) ?? "";
}

function compile(source: string, flags: string): RegExp | null {
  try {
    return new RegExp(source, flags);
  } catch {
    return null;
  }
}

function readQuantifier(cursor: Cursor): number {
  const match = /^(?:[*+?]|\{(\d+)(,?)(\d*)\})\??/.exec(cursor.source.slice(cursor.at));
  if (match === null) {
    return 1;
  }
  cursor.at += match[0].length;
  const [whole, low, comma, high] = match;
  if (low === undefined) {
    return whole.startsWith("?") ? 1 : cursor.generosity;
  }
  const least = Number(low);
  const most = comma === "" ? least : high === "" ? Number.POSITIVE_INFINITY : Number(high);
  return Math.min(most, Math.max(least, cursor.generosity));
}
