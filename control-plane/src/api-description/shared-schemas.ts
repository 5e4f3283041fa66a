import type { JsonSchema } from "@sluice/contracts/native-route";

/** Below this size, a reference is hardly shorter than what it refers to. */
const lengthMin = 100;

/**
 * Gives schemas names, so that programs made of the description have types with names, and what is used in several places is
 * written only once: schemas with a `title`, whole requests and responses, and those that several places use. The name is the
 * title, or comes from the operation or the field where the schema was first found.
 */
export class SharedSchemas {
  /**
   * How many places use a schema, by its text. If a schema is nested in a repeated one, its places within that one
   * count once.
   */
  readonly #places = new Map<string, number>();
  readonly #names = new Map<string, string>();
  /** The shared schemas by name; complete once every schema has gone through `share`. */
  readonly schemas: Record<string, JsonSchema>;

  /** @param schemas the schemas that already have a name */
  constructor(schemas: Readonly<Record<string, JsonSchema>>) {
    this.schemas = { ...schemas };
  }

  /** Counts a schema. Every schema has to be counted before the first one is shared. */
  count(schema: JsonSchema): void {
    const text = JSON.stringify(schema);
    const before = this.#places.get(text) ?? 0;
    this.#places.set(text, before + 1);
    // A schema without a name is written out each time, and so are its parts.
    if (before === 0 || !deservesName(schema, text)) {
      mapParts(schema, "", (part) => {
        this.count(part);
        return part;
      });
    }
  }

  /**
   * The schema with references in place of what it shares with others. @param hint the text that its name is derived
   * from
   */
  share(schema: JsonSchema, hint: string): JsonSchema {
    const text = JSON.stringify(schema);
    const isShared = (this.#places.get(text) ?? 0) >= 2 || schema["title"] !== undefined;
    return deservesName(schema, text) && isShared ? this.name(schema, hint) : this.#shareParts(schema, hint);
  }

  /** A reference to the schema of a whole request or response, or the schema if it is hardly longer. */
  name(schema: JsonSchema, hint: string): JsonSchema {
    const text = JSON.stringify(schema);
    if (!deservesName(schema, text)) {
      return this.#shareParts(schema, hint);
    }
    const known = this.#names.get(text);
    if (known !== undefined) {
      return refTo("schemas", known);
    }
    const name = freeName(this.schemas, asName(String(schema["title"] ?? hint)));
    this.#names.set(text, name);
    // Reserves the name before the nested schemas are named, which could otherwise take it.
    this.schemas[name] = schema;
    this.schemas[name] = this.#shareParts(schema, name);
    return refTo("schemas", name);
  }

  #shareParts(schema: JsonSchema, hint: string): JsonSchema {
    return mapParts(schema, hint, (part, name) => this.share(part, name));
  }
}

export const refTo = (kind: "schemas" | "responses" | "parameters", name: string): JsonSchema => ({
  $ref: `#/components/${kind}/${name}`,
});

/** The name, or the name with a number appended if it is taken. */
export function freeName(taken: Readonly<Record<string, unknown>>, name: string): string {
  let free = name;
  for (let number = 2; Object.hasOwn(taken, free); number += 1) {
    free = `${name}${number}`;
  }
  return free;
}

/** Turns `some_field` into `SomeField`. */
export function asName(text: string): string {
  const words = text.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join("");
}

/** A nullable schema is named without its null. */
function deservesName(schema: JsonSchema, text: string): boolean {
  const forms = schema["anyOf"];
  const mayBeNull = Array.isArray(forms) && forms.length === 2 && forms.some((form: JsonSchema) => isNull(form));
  return text.length >= lengthMin && !mayBeNull;
}

const isNull = ({ type }: JsonSchema): boolean => type === "null";

type MapPart = (part: JsonSchema, name: string) => JsonSchema;

/** A copy with each directly nested schema mapped by a function that gets its name. */
function mapParts(schema: JsonSchema, name: string, map: MapPart): JsonSchema {
  const changed: Record<string, unknown> = { ...schema };
  for (const keyword of ["properties", "patternProperties"]) {
    const fields = schema[keyword] as Readonly<Record<string, JsonSchema>> | undefined;
    if (fields !== undefined) {
      changed[keyword] = Object.fromEntries(Object.entries(fields).map(([field, part]) => [field, map(part, field)]));
    }
  }
  for (const keyword of ["items", "additionalProperties"]) {
    const part = schema[keyword];
    if (typeof part === "object" && part !== null) {
      changed[keyword] = map(part as JsonSchema, `${name}_item`);
    }
  }
  for (const keyword of ["anyOf", "oneOf", "allOf", "prefixItems"]) {
    const parts = schema[keyword] as readonly JsonSchema[] | undefined;
    if (parts !== undefined) {
      changed[keyword] = parts.map((part) => map(part, name));
    }
  }
  return changed;
}
