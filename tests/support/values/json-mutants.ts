/** Texts near the border between what is accepted as the body of a call and what is not. */

type Random = () => number;

const keys = [
  '"model"',
  '"messages"',
  '"a"',
  '"b:c"',
  '"m\\u006fdel"',
  '"\\u006dodel"',
  '"__proto__"',
  '"constructor"',
];
const rareKeys = ['""', '"0"', '"model "', '"\\"model"', '"mod\\/el"', '"a\\u003ab"', '"é"', '"中:"', '"model\\\\"'];
const strings = [
  '"text"',
  '"a: b, c: d"',
  '"\\"model\\": 1"',
  '"\\\\"',
  '"x\\"model"',
  '"\\u003a"',
  '"\\u003A:"',
  '"model"',
];
const rareStrings = [
  '"é:"',
  '"😀"',
  '"\\ud83d"',
  '"\\\\u003a"',
  '"{\\"a\\":1}"',
  '"\\u0000"',
  '"\\n\\t"',
  '"[{,:}]"',
  '""',
];
const others = ["0", "-1.5e3", "true", "false", "null", "{}", "[]", "1e999", "12345678901234567890"];
const spaces = ["", "", "", "", " ", "\n", "\t \r"];
const noise = [
  '"',
  "\\",
  "{",
  "}",
  "[",
  "]",
  ":",
  ",",
  " ",
  "\u0000",
  "a",
  "1",
  "\\u003a",
  "\ufeff",
  '"model":',
  '"a":1,',
];

const pick = <Item>(items: readonly Item[], random: Random): Item => items[Math.floor(random() * items.length)] as Item;
const times = (most: number, random: Random): number => Math.floor(random() * (most + 1));

function listOf(most: number, random: Random, item: () => string): string {
  return Array.from({ length: times(most, random) }, item).join(",");
}

function valueText(depth: number, random: Random): string {
  const kind = random();
  if (depth > 0 && kind < 0.25) {
    return objectText(depth - 1, random);
  }
  if (depth > 0 && kind < 0.4) {
    return `[${listOf(3, random, () => spaced(valueText(depth - 1, random), random))}]`;
  }
  return pick(kind < 0.65 ? strings : kind < 0.85 ? others : rareStrings, random);
}

function objectText(depth: number, random: Random): string {
  const member = () => {
    const key = pick(random() < 0.8 ? keys : rareKeys, random);
    return `${spaced(key, random)}:${spaced(valueText(depth, random), random)}`;
  };
  return `{${pick(spaces, random)}${listOf(4, random, member)}}`;
}

function spaced(text: string, random: Random): string {
  return `${pick(spaces, random)}${text}${pick(spaces, random)}`;
}

/** A text about as deep, or with about as many fields, as the limits allow. */
function borderText(random: Random): string {
  const kind = random();
  if (kind < 0.5) {
    const depth = 60 + times(8, random);
    return `{"a":${"[".repeat(depth)}${pick(strings, random)}${"]".repeat(depth)}}`;
  }
  if (kind < 0.8) {
    const fields = Array.from({ length: 998 + times(4, random) }, (_, index) => `"k${index}":${index % 10}`);
    return `{${fields.join(",")}}`;
  }
  return `{"a":"${":".repeat(16_378 + times(12, random))}"}`;
}

/** Some bytes of a text replaced, removed, or repeated. */
export function mutate(bytes: Buffer, random: Random): Buffer {
  const at = times(bytes.length, random);
  const until = Math.min(bytes.length, at + times(random() < 0.7 ? 1 : 12, random));
  const kind = random();
  const text =
    kind < 0.5
      ? Buffer.from(pick(noise, random))
      : kind < 0.7
        ? bytes.subarray(at, until + 1)
        : kind < 0.8
          ? Buffer.from([times(255, random)])
          : Buffer.alloc(0);
  return Buffer.concat([bytes.subarray(0, at), text, bytes.subarray(until)]);
}

/** The body of a call that may be valid, may name a field twice in any spelling, or may be broken in any place. */
export function bodyMutant(random: Random): Buffer {
  const text = random() < 0.004 ? borderText(random) : objectText(random() < 0.1 ? 6 : 3, random);
  let bytes: Buffer = Buffer.from(spaced(text, random));
  for (let turns = random() < 0.5 ? 0 : times(3, random); turns > 0; turns -= 1) {
    bytes = mutate(bytes, random);
  }
  return bytes;
}
