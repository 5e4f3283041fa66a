/*
 * Values in the binary format of `COPY`. A value that its type can't hold throws, so that its row goes another way.
 */
const daysUntil2000 = 10_957;
const dayMs = 86_400_000;
const bigintType = 20;
const digitsOfGroup = 4;
const negative = 0x4000;

/** One value after its length, by the name of its type. @throws RangeError, TypeError or SyntaxError for one that is not of the type */
export function copyValue(type: string, value: unknown): Buffer {
  if (value === null) {
    return int4(-1);
  }
  const encode = encoders[type];
  if (encode === undefined) {
    throw new TypeError(`values of type ${type} are not copied`);
  }
  const bytes = encode(value);
  return Buffer.concat([int4(bytes.length), bytes]);
}

const encoders: Readonly<Record<string, (value: unknown) => Buffer>> = {
  text: (value) => Buffer.from(textOf(value)),
  boolean: (value) => {
    if (typeof value !== "boolean") {
      throw new TypeError("not a boolean");
    }
    return Buffer.from([value ? 1 : 0]);
  },
  integer: (value) => int4(Number(integerOf(value))),
  bigint: (value) => int8(integerOf(value)),
  "bigint[]": (value) => bigints(textOf(value)),
  date: (value) => int4(dayOf(textOf(value))),
  numeric: (value) => numeric(textOf(value)),
};

/** As a JSON text it would be refused, too. */
function textOf(value: unknown): string {
  if (typeof value !== "string" || !value.isWellFormed() || value.includes("\0")) {
    throw new TypeError("not a text that the database can hold");
  }
  return value;
}

/** A number, or a text where a number is not exact. */
function integerOf(value: unknown): bigint {
  if (Number.isSafeInteger(value) || (typeof value === "string" && /^-?\d+$/.test(value))) {
    return BigInt(value as number | string);
  }
  throw new TypeError("not an integer");
}

function int4(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function int2s(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(2 * values.length);
  for (const [index, value] of values.entries()) {
    bytes.writeInt16BE(value, 2 * index);
  }
  return bytes;
}

function int8(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64BE(value);
  return bytes;
}

/** A list of one dimension, from the text of an array that is not empty. */
function bigints(literal: string): Buffer {
  const ids = literal.slice(1, -1).split(",").map(integerOf);
  const head = [1, 0, bigintType, ids.length, 1].map(int4);
  return Buffer.concat([...head, ...ids.flatMap((id) => [int4(8), int8(id)])]);
}

/** Days since 2000. */
function dayOf(day: string): number {
  const atMs = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(`${day}T00:00:00Z`) : Number.NaN;
  if (!Number.isFinite(atMs) || new Date(atMs).toISOString().slice(0, day.length) !== day) {
    throw new RangeError("not a day");
  }
  return atMs / dayMs - daysUntil2000;
}

/** A decimal in groups of four digits, with the place of the first group and the number of decimals. */
function numeric(text: string): Buffer {
  const parts = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text);
  if (parts === null) {
    throw new TypeError("not a decimal");
  }
  const [, sign = "", whole = "", decimals = ""] = parts;
  const before = "0".repeat((digitsOfGroup - (whole.length % digitsOfGroup)) % digitsOfGroup);
  const after = "0".repeat((digitsOfGroup - (decimals.length % digitsOfGroup)) % digitsOfGroup);
  const digits = `${before}${whole}${decimals}${after}`.match(/\d{4}/g) ?? [];
  let weight = Math.ceil(whole.length / digitsOfGroup) - 1;
  const groups = digits.map(Number);
  while (groups[0] === 0) {
    groups.shift();
    weight -= 1;
  }
  while (groups.at(-1) === 0) {
    groups.pop();
  }
  const isZero = groups.length === 0;
  return int2s([groups.length, isZero ? 0 : weight, sign === "" || isZero ? 0 : negative, decimals.length, ...groups]);
}
