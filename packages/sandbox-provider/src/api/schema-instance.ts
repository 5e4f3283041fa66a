/** Makes a small valid instance of a JSON schema, for tool arguments and for structured output. */
import { patternInstance } from "./pattern-instance.ts";

type Schema = { readonly [keyword: string]: unknown };

type Context = {
  readonly root: unknown;
  readonly depth: number;
  /** The name of the value, so that generated texts say what they are for. */
  readonly name: string;
};

const depthOfOptional = 3;
const depthMax = 24;
const itemsMax = 100;

/** Always returns a value; for an unsatisfiable or endless schema, that value is not valid. */
export function schemaInstance(schema: unknown): unknown {
  return instanceOf(schema, { root: schema, depth: 0, name: "value" });
}

function instanceOf(schema: unknown, context: Context): unknown {
  if (context.depth > depthMax) {
    return null;
  }
  const resolved = flatten(schema, context);
  if ("const" in resolved) {
    return resolved["const"];
  }
  if (Array.isArray(resolved["enum"])) {
    return resolved["enum"][0];
  }
  switch (typeOf(resolved, context)) {
    case "object":
      return objectInstance(resolved, context);
    case "array":
      return arrayInstance(resolved, context);
    case "integer":
      return numberInstance(resolved, true);
    case "number":
      return numberInstance(resolved, false);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return stringInstance(resolved, context.name);
  }
}

/** Follows references and folds `allOf` and one branch of `anyOf` or `oneOf` into the schema itself. */
function flatten(schema: unknown, context: Context): Schema {
  let flat = isSchema(schema) ? schema : {};
  for (let hop = 0; typeof flat["$ref"] === "string" && hop < depthMax; hop += 1) {
    const { $ref: reference, ...rest } = flat;
    flat = merge(resolveReference(String(reference), context.root), rest);
  }
  const { allOf, anyOf, oneOf, ...own } = flat;
  let merged: Schema = own;
  for (const part of asList(allOf)) {
    merged = merge(merged, flatten(part, { ...context, depth: context.depth + 1 }));
  }
  for (const branches of [asList(anyOf), asList(oneOf)]) {
    if (branches.length > 0 && context.depth <= depthMax) {
      merged = merge(merged, flatten(chooseBranch(branches, context), { ...context, depth: context.depth + 1 }));
    }
  }
  return merged;
}

/** The first branch. Near the depth limit of a recursive schema, the branch that ends the recursion. */
function chooseBranch(branches: readonly unknown[], context: Context): unknown {
  const isDeep = context.depth > depthOfOptional;
  const ending = branches.find((branch) => isSchema(branch) && (branch["type"] === "null" || "const" in branch));
  const flatBranch = branches.find((branch) => isSchema(branch) && !("$ref" in branch) && branch["type"] !== "object");
  return isDeep ? (ending ?? flatBranch ?? branches[0]) : branches[0];
}

function resolveReference(reference: string, root: unknown): Schema {
  let target: unknown = root;
  for (const segment of reference.split("/").slice(1)) {
    const key = decodeURIComponent(segment).replaceAll("~1", "/").replaceAll("~0", "~");
    target = isSchema(target) || Array.isArray(target) ? (target as Schema)[key] : undefined;
  }
  return isSchema(target) ? target : {};
}

function merge(left: Schema, right: Schema): Schema {
  const merged: Record<string, unknown> = { ...left, ...right };
  if (isSchema(left["properties"]) && isSchema(right["properties"])) {
    merged["properties"] = { ...left["properties"], ...right["properties"] };
  }
  if (Array.isArray(left["required"]) && Array.isArray(right["required"])) {
    merged["required"] = [...new Set([...left["required"], ...right["required"]])];
  }
  return merged;
}

function typeOf(schema: Schema, context: Context): unknown {
  const { type } = schema;
  if (Array.isArray(type)) {
    const isDeep = context.depth > depthOfOptional;
    return isDeep && type.includes("null") ? "null" : (type.find((name) => name !== "null") ?? "null");
  }
  if (type !== undefined) {
    return type;
  }
  if ("properties" in schema || "required" in schema || "additionalProperties" in schema) {
    return "object";
  }
  if ("items" in schema || "prefixItems" in schema) {
    return "array";
  }
  return "minimum" in schema || "maximum" in schema || "multipleOf" in schema ? "number" : "string";
}

function objectInstance(schema: Schema, context: Context): Record<string, unknown> {
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const required = asList(schema["required"]).map(String);
  const optional = context.depth < depthOfOptional ? Object.keys(properties) : [];
  const names = Object.keys(properties).filter((name) => required.includes(name) || optional.includes(name));
  const entries = [...new Set([...names, ...required])].map((name): [string, unknown] => [
    name,
    instanceOf(properties[name], { ...context, depth: context.depth + 1, name }),
  ]);
  for (let extra = 1; entries.length < asNumber(schema["minProperties"], 0) && extra <= itemsMax; extra += 1) {
    const name = `key${extra}`;
    entries.push([name, instanceOf(schema["additionalProperties"], { ...context, depth: context.depth + 1, name })]);
  }
  return Object.fromEntries(entries);
}

function arrayInstance(schema: Schema, context: Context): unknown[] {
  const prefix = asList(schema["prefixItems"]);
  const isShallow = context.depth < depthOfOptional && schema["items"] !== false;
  const wanted = Math.max(asNumber(schema["minItems"], 0), prefix.length > 0 ? prefix.length : Number(isShallow));
  const length = Math.min(wanted, asNumber(schema["maxItems"], itemsMax), itemsMax);
  return Array.from({ length }, (_, index) => {
    const item = instanceOf(prefix[index] ?? schema["items"], { ...context, depth: context.depth + 1 });
    return schema["uniqueItems"] === true ? vary(item, prefix[index] ?? schema["items"], index) : item;
  });
}

/** Items of a set must differ: numbers count up, texts get a number, an enumeration continues with its next member. */
function vary(item: unknown, schema: unknown, index: number): unknown {
  const members = isSchema(schema) ? asList(schema["enum"]) : [];
  if (members.length > 0) {
    return members[index % members.length];
  }
  if (index === 0) {
    return item;
  }
  if (typeof item === "number") {
    return item + index * (isSchema(schema) ? asNumber(schema["multipleOf"], 1) : 1);
  }
  return typeof item === "string" ? `${item}${index}` : item;
}

function numberInstance(schema: Schema, isWhole: boolean): number {
  const step = asNumber(schema["multipleOf"], 1);
  const unit = isWhole && !Number.isInteger(step) ? 1 : step;
  const low = Math.max(asNumber(schema["minimum"], -Infinity), asNumber(schema["exclusiveMinimum"], -Infinity));
  const high = Math.min(asNumber(schema["maximum"], Infinity), asNumber(schema["exclusiveMaximum"], Infinity));
  const isAllowed = (value: number): boolean =>
    value >= low && value <= high && value !== schema["exclusiveMinimum"] && value !== schema["exclusiveMaximum"];
  const near = Number.isFinite(low) ? low : Number.isFinite(high) ? Math.min(high, unit) : unit;
  const candidates = [unit, Math.ceil(near / unit) * unit, Math.ceil(near / unit) * unit + unit];
  candidates.push(Math.floor(near / unit) * unit, Math.floor(near / unit) * unit - unit);
  if (!(isWhole || "multipleOf" in schema)) {
    candidates.push(near, (low + high) / 2);
  }
  return candidates.find(isAllowed) ?? unit;
}

const formats: Readonly<Record<string, string>> = {
  "date-time": "2026-01-02T03:04:05Z",
  date: "2026-01-02",
  time: "03:04:05Z",
  duration: "P1D",
  email: "sandbox@example.com",
  hostname: "sandbox.example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com/sandbox",
  url: "https://example.com/sandbox",
  uuid: "018f4e7a-0000-7000-8000-000000000000",
};

function stringInstance(schema: Schema, name: string): string {
  const format = typeof schema["format"] === "string" ? formats[schema["format"]] : undefined;
  if (format !== undefined) {
    return format;
  }
  if (typeof schema["pattern"] === "string") {
    return patternInstance(schema["pattern"], asNumber(schema["minLength"], 0));
  }
  const text = `sandbox ${name}`.padEnd(asNumber(schema["minLength"], 0), ".");
  return text.slice(0, asNumber(schema["maxLength"], text.length));
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function asNumber(value: unknown, fallback: number): number {
  return typeof value === "number" ? value : fallback;
}
