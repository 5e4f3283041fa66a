import type { JsonSchema } from "@sluice/contracts/native-route";
import { type Html, html } from "../platform/html.ts";

/** Deeper fields are part of the schema that is linked, or of the type "object". */
const depthMax = 3;
const largestExact = Number.MAX_SAFE_INTEGER;

/** A schema for people: a table of its fields, or a line if it has none. Schemas it refers to are links on the page. */
export function schemaBlock(schema: JsonSchema): Html {
  const forms = formsOf(schema);
  if (forms.length > 1 && forms.every((form) => fieldsOf(form).length > 0)) {
    return html`<p>One of ${forms.length} forms:</p>${forms.map(fieldTable)}`;
  }
  return fieldsOf(schema).length === 0 ? html`<p>${typeOf(schema)}</p>` : fieldTable(schema);
}

/** What a value may be, in words. */
export function typeOf(schema: JsonSchema): Html {
  const { $ref, const: only, enum: choices, type } = schema;
  if ($ref !== undefined) {
    const name = String($ref).split("/").at(-1) ?? "";
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  if (only !== undefined || Array.isArray(choices)) {
    return joined(
      ((choices as unknown[] | undefined) ?? [only]).map((each) => html`<code>${JSON.stringify(each)}</code>`),
    );
  }
  const forms = formsOf(schema);
  if (forms.length > 1) {
    return joined(forms.map(typeOf));
  }
  switch (type) {
    case "array":
      return arrayType(schema);
    case "object":
      return objectType(schema);
    case undefined:
      return html`anything`;
    default:
      return plainType(schema);
  }
}

function arrayType(schema: JsonSchema): Html {
  const items = schema["items"] as JsonSchema | undefined;
  const bounds = boundsText(schema, "minItems", "maxItems");
  return html`array${items === undefined ? "" : html` of ${typeOf(items)}`}${bounds === "" ? "" : `, ${bounds}`}`;
}

function objectType({ title, additionalProperties: values }: JsonSchema): Html {
  const hasForm = typeof values === "object" && values !== null && Object.keys(values).length > 0;
  return html`${title === undefined ? "object" : String(title)}${hasForm ? html` of ${typeOf(values as JsonSchema)}` : ""}`;
}

function plainType(schema: JsonSchema): Html {
  const { type, format, pattern } = schema;
  const kinds: Readonly<Record<string, string>> = {
    "date-time": "timestamp",
    date: "date",
    uri: "URL",
    email: "e-mail address",
  };
  const name = kinds[String(format)] ?? (Array.isArray(type) ? type.join(" or ") : String(type));
  const length = boundsText(schema, "minLength", "maxLength");
  const rules = [
    ...(length === "" ? [] : [html`${length} characters`]),
    ...(rangeText(schema) === "" ? [] : [html`${rangeText(schema)}`]),
    ...(pattern === undefined ? [] : [html`matching <code>${String(pattern)}</code>`]),
  ];
  return html`${name}${rules.map((rule) => html`, ${rule}`)}`;
}

function boundsText(schema: JsonSchema, least: string, most: string): string {
  const [from, to] = [schema[least] as number | undefined, schema[most] as number | undefined];
  const shown = (value: number): string => value.toLocaleString("en");
  if (from !== undefined && to !== undefined) {
    return from === to ? `exactly ${shown(to)}` : `${shown(from)} to ${shown(to)}`;
  }
  return to === undefined ? (from === undefined ? "" : `at least ${shown(from)}`) : `at most ${shown(to)}`;
}

/** The range of a number; that of every exact integer says nothing. */
function rangeText(schema: JsonSchema): string {
  const { exclusiveMinimum, minimum, maximum } = schema as Readonly<Record<string, number | undefined>>;
  const bound = maximum === largestExact ? undefined : maximum;
  const above = exclusiveMinimum === undefined || exclusiveMinimum === -largestExact ? "" : `above ${exclusiveMinimum}`;
  const rest = boundsText({ from: minimum === -largestExact ? undefined : minimum, to: bound }, "from", "to");
  return [above, rest].filter((text) => text !== "").join(", ");
}

function joined(parts: readonly Html[]): Html {
  return html`${parts.map((part, index) => html`${index === 0 ? "" : index === parts.length - 1 ? " or " : ", "}${part}`)}`;
}

/** The alternatives of a schema; itself if it has none. */
function formsOf(schema: JsonSchema): readonly JsonSchema[] {
  return (schema["anyOf"] ?? schema["oneOf"] ?? [schema]) as readonly JsonSchema[];
}

type Field = { readonly name: string; readonly schema: JsonSchema; readonly isRequired: boolean };

/** The fields of an object and, after each, those of an object in it: `items[].name`. */
function fieldsOf(schema: JsonSchema, prefix = "", depth = 1): readonly Field[] {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const required = (schema["required"] ?? []) as readonly string[];
  return Object.entries(properties).flatMap(([name, field]) => {
    const own = { name: prefix + name, schema: field, isRequired: required.includes(name) };
    const inner = formsOf(field).filter(({ type }) => type !== "null");
    const [only] = inner;
    if (only === undefined || inner.length > 1 || depth === depthMax) {
      return [own];
    }
    const item = only["type"] === "array" ? (only["items"] as JsonSchema | undefined) : only;
    return [own, ...fieldsOf(item ?? {}, `${own.name}${item === only ? "" : "[]"}.`, depth + 1)];
  });
}

function fieldTable(schema: JsonSchema): Html {
  const rows = fieldsOf(schema).map(({ name, schema: field, isRequired }) => {
    const { description, default: usual } = field;
    const note = description === undefined ? null : html`<p>${String(description)}</p>`;
    const unsent = usual === undefined ? null : html`, <code>${JSON.stringify(usual)}</code> if not sent`;
    return html`<tr><th scope="row"><code>${name}</code></th><td>${isRequired ? "required" : "optional"}</td><td>${typeOf(field)}${unsent}${note}</td></tr>`;
  });
  return html`<div class="doc-table"><table><thead><tr><th scope="col">Field</th><th scope="col">Presence</th><th scope="col">Value</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}
