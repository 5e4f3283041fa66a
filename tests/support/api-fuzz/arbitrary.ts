import fc from "fast-check";
import { anyWebAddress } from "../values/any-character.ts";

export type JsonSchema = Readonly<Record<string, unknown>>;

const lengthMax = 40;

/** Values that a schema allows, as far as it is specific. Anything it leaves open is arbitrary JSON. */
export function arbitraryOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  if ("const" in schema) {
    return fc.constant(schema["const"]);
  }
  if (Array.isArray(schema["enum"])) {
    return fc.constantFrom(...(schema["enum"] as unknown[]));
  }
  const choices = (schema["anyOf"] ?? schema["oneOf"]) as JsonSchema[] | undefined;
  if (choices !== undefined) {
    return fc.oneof(...choices.map(arbitraryOf));
  }
  const type = schema["type"];
  if (Array.isArray(type)) {
    return fc.oneof(...type.map((each: unknown) => arbitraryOf({ ...schema, type: each })));
  }
  switch (type) {
    case "string":
      return textOf(schema);
    case "integer":
    case "number":
      return numberOf(schema, type);
    case "boolean":
      return fc.boolean();
    case "null":
      return fc.constant(null);
    case "array":
      return fc.array(arbitraryOf((schema["items"] ?? {}) as JsonSchema), {
        minLength: Number(schema["minItems"] ?? 0),
        maxLength: Math.min(Number(schema["maxItems"] ?? 3), 3 + Number(schema["minItems"] ?? 0)),
      });
    case "object":
      return objectOf(schema);
    default:
      return fc.jsonValue({ maxDepth: 2 });
  }
}

/** One in this many optional fields is present, so that not all of them have to be right at once. */
const optionalOneIn = 3;

function objectOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const required = new Set((schema["required"] ?? []) as string[]);
  const properties = Object.entries((schema["properties"] ?? {}) as Record<string, JsonSchema>);
  const fields = properties.map(([name, each]) => {
    const present = arbitraryOf(each).map((value): [string, unknown][] => [[name, value]]);
    const absent = fc.constant<[string, unknown][]>([]);
    return required.has(name)
      ? present
      : fc.oneof({ arbitrary: absent, weight: optionalOneIn - 1 }, { arbitrary: present, weight: 1 });
  });
  return fc.tuple(...fields).map((parts) => Object.fromEntries(parts.flat()));
}

const formats: Readonly<Record<string, () => fc.Arbitrary<string>>> = {
  "date-time": () => moments().map((date) => date.toISOString()),
  date: () => moments().map((date) => date.toISOString().slice(0, 10)),
  uuid: () => fc.uuid(),
  email: () => fc.emailAddress(),
  uri: () => anyWebAddress,
};

function moments(): fc.Arbitrary<Date> {
  return fc.date({ min: new Date("2001-01-01"), max: new Date("2099-12-31"), noInvalidDate: true });
}

function textOf({ format, pattern, minLength = 0, maxLength = lengthMax }: JsonSchema): fc.Arbitrary<string> {
  const ofFormat = formats[String(format)];
  if (ofFormat !== undefined) {
    return ofFormat();
  }
  // Look-ahead can't be generated, and is satisfied only by the known values.
  if (typeof pattern === "string" && !/\(\?[=!<]/.test(pattern)) {
    return fc.stringMatching(new RegExp(pattern));
  }
  const least = Number(minLength);
  return fc.string({
    unit: "grapheme",
    minLength: least,
    maxLength: Math.max(least, Math.min(Number(maxLength), lengthMax)),
  });
}

function numberOf(schema: JsonSchema, type: "integer" | "number"): fc.Arbitrary<number> {
  const bound = (name: string, exclusive: string, step: number): number | undefined => {
    const value = schema[name] ?? (exclusive in schema ? Number(schema[exclusive]) + step : undefined);
    return value === undefined ? undefined : Number(value);
  };
  const min = bound("minimum", "exclusiveMinimum", 1) ?? -1_000_000;
  const max = bound("maximum", "exclusiveMaximum", -1) ?? 1_000_000;
  return type === "integer"
    ? fc.integer({ min: Math.max(min, Number.MIN_SAFE_INTEGER), max: Math.min(max, Number.MAX_SAFE_INTEGER) })
    : fc.double({ min, max, noNaN: true });
}
