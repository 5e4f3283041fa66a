import { isJsonObject, type JsonObject } from "@sluice/messages-conversion/json";
import { ConversionError } from "./model.ts";

/** Reads the fields of an object that a client sent; errors name the field by its path. `null` counts as absent. */
export class FieldReader {
  readonly #holder: JsonObject;
  /** The path of the object, empty for the request itself. */
  readonly at: string;

  /** @throws ConversionError if the value is not an object */
  constructor(value: unknown, at: string) {
    if (!isJsonObject(value)) {
      throw wrongType(at, "an object", value);
    }
    this.#holder = value;
    this.at = at;
  }

  /** The object itself. */
  get value(): JsonObject {
    return this.#holder;
  }

  pathOf(name: string): string {
    return this.at === "" ? name : `${this.at}.${name}`;
  }

  /** The value as it came, or null. */
  get(name: string): unknown {
    return this.#holder[name] ?? null;
  }

  has(name: string): boolean {
    return this.get(name) !== null;
  }

  /** @throws ConversionError unless it is a string or absent */
  text(name: string): string | null {
    const value = this.get(name);
    if (value === null || typeof value === "string") {
      return value;
    }
    throw wrongType(this.pathOf(name), "a string", value);
  }

  /** @throws ConversionError unless it is a string */
  requiredText(name: string): string {
    return this.text(name) ?? this.#missing(name);
  }

  /** @throws ConversionError unless it is a string with at least one character */
  requiredName(name: string): string {
    const value = this.requiredText(name);
    if (value === "") {
      throw new ConversionError(`'${this.pathOf(name)}' must not be empty.`, this.pathOf(name));
    }
    return value;
  }

  /** @throws ConversionError unless it is one of the values or absent */
  oneOf<const T extends string>(name: string, values: readonly T[]): T | null {
    const value = this.text(name);
    if (value === null) {
      return null;
    }
    const found = values.find((entry) => entry === value);
    if (found === undefined) {
      throw new ConversionError(`'${this.pathOf(name)}' must be one of: ${values.join(", ")}.`, this.pathOf(name));
    }
    return found;
  }

  /** @throws ConversionError unless it is a boolean or absent */
  flag(name: string): boolean | null {
    const value = this.get(name);
    if (value === null || typeof value === "boolean") {
      return value;
    }
    throw wrongType(this.pathOf(name), "a boolean", value);
  }

  /** @throws ConversionError unless it is a number or absent */
  number(name: string): number | null {
    const value = this.get(name);
    if (value === null || (typeof value === "number" && Number.isFinite(value))) {
      return value;
    }
    throw wrongType(this.pathOf(name), "a number", value);
  }

  /** @throws ConversionError unless it is an integer of at least 1 or absent */
  positiveInteger(name: string): number | null {
    const value = this.number(name);
    if (value === null || (Number.isSafeInteger(value) && value >= 1)) {
      return value;
    }
    throw new ConversionError(`'${this.pathOf(name)}' must be an integer of at least 1.`, this.pathOf(name));
  }

  /** @throws ConversionError unless it is an object or absent */
  object(name: string): FieldReader | null {
    const value = this.get(name);
    return value === null ? null : new FieldReader(value, this.pathOf(name));
  }

  /** The entries, or null. @throws ConversionError unless it is a list or absent */
  list(name: string): readonly unknown[] | null {
    const value = this.get(name);
    if (value === null) {
      return null;
    }
    if (Array.isArray(value)) {
      return value;
    }
    throw wrongType(this.pathOf(name), "an array", value);
  }

  /** A reader of each entry. @throws ConversionError unless it is a list of objects or absent */
  objects(name: string): readonly FieldReader[] {
    const path = this.pathOf(name);
    return (this.list(name) ?? []).map((entry, index) => new FieldReader(entry, `${path}[${index}]`));
  }

  #missing(name: string): never {
    const path = this.pathOf(name);
    throw new ConversionError(`Missing required parameter: '${path}'.`, path);
  }
}

/** The error of a value that is not what its field needs. */
export function wrongType(param: string, expected: string, value: unknown): ConversionError {
  const place = param === "" ? "The request" : `'${param}'`;
  return new ConversionError(`${place} must be ${expected}, not ${kindOf(value)}.`, param === "" ? null : param);
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) {
    return "null";
  }
  if (typeof value === "object") {
    return Array.isArray(value) ? "an array" : "an object";
  }
  return `a ${typeof value}`;
}
