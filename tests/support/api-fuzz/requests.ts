import type { Operation } from "@sluice/control-plane/api-description/model.ts";
import fc from "fast-check";
import { arbitraryOf, type JsonSchema } from "./arbitrary.ts";

/** A request as sent. */
export type FuzzedRequest = {
  readonly target: string;
  readonly body: { readonly type: string; readonly text: string } | null;
  /** For the report of a failure. */
  readonly label: string;
};

/** How a request is modified; the variants that get furthest come most often. */
const kinds = [
  ...["sound", "known", "known", "known", "known", "odd", "odd", "odd_known", "odd_known"],
  ...["extra", "missing", "odd_body", "odd_path"],
] as const;

type Named = { readonly name: string; readonly in: string; readonly schema: JsonSchema };

/** Values that no field accepts: too small, too large, of another type, not text, endlessly nested. */
const oddities: readonly unknown[] = [
  ...["", " ", "\0", "abc\0def", "\ud800", "a\udfffb", "\u202eabc", "x".repeat(3_000), "%00", "'; drop table plan; --"],
  ...["-1", "0", "1e3", "9223372036854775808", "1".repeat(400), "NaN", "Infinity", "0001-01-01", "2026-02-30"],
  ...["2026-13-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "Mars/Olympus", "../../etc/passwd", "\u{1f600}"],
  ...[0, -1, 1, 0.5, 1e308, -(2 ** 63), 2 ** 53, Number.MAX_SAFE_INTEGER, true, false, null],
  ...[[], {}, [null], [[]], ["\0"], { $ne: null }, { "\0": 1 }, { length: 1e9 }],
];

/** Whole bodies that are not objects, or can't be parsed. */
const oddBodies: readonly string[] = [
  ...["", "null", "[]", '"x"', "1e999", "{", '{"a":1}{', "\ufeff{}", '{"__proto__":{"isSuper":true}}'],
  ...['{"constructor":{"prototype":{"x":1}}}', "{}"],
  `{"x":${"[".repeat(20_000)}${"]".repeat(20_000)}}`,
  `{"x":${'{"x":'.repeat(5_000)}1${"}".repeat(5_000)}}`,
];

/** Real values by field name, so that some requests get further than a 404; undefined omits the field. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

export type FuzzPlan = { readonly count: number; readonly seed: number; readonly known: KnownValues };

/** Requests for an operation: valid ones, those with one fault, and completely wrong ones. */
export function requestsOf(path: string, method: string, operation: Operation, plan: FuzzPlan): FuzzedRequest[] {
  const parameters = (operation.parameters ?? []) as unknown as readonly Named[];
  const inPath = parameters.filter((each) => each.in === "path");
  const fields = method === "get" ? fieldsOf(parameters.filter((each) => each.in === "query")) : bodyOf(operation);
  const arbitrary = fc.record({
    path: fc.record(Object.fromEntries(inPath.map(({ name, schema }) => [name, arbitraryOf(schema)]))),
    fields: arbitraryOf(fields),
    odd: fc.constantFrom(...oddities),
    oddBody: fc.constantFrom(...oddBodies),
    at: fc.nat({ max: 1_000 }),
    kind: fc.constantFrom(...kinds),
  });
  const drawn = fc.sample(arbitrary, { seed: plan.seed, numRuns: plan.count });
  return drawn.map((draw) => toRequest(path, method, operation, { draw: draw as Draw, known: plan.known }));
}

function fieldsOf(parameters: readonly Named[]): JsonSchema {
  return { type: "object", properties: Object.fromEntries(parameters.map(({ name, schema }) => [name, schema])) };
}

type Content = Record<string, { readonly schema: JsonSchema }>;

const contentOf = ({ requestBody }: Operation): Content => (requestBody?.["content"] ?? {}) as Content;

function bodyOf(operation: Operation): JsonSchema {
  const content = contentOf(operation);
  return (content["application/json"] ?? Object.values(content)[0])?.schema ?? {};
}

type Draw = {
  readonly path: Readonly<Record<string, unknown>>;
  readonly fields: unknown;
  readonly odd: unknown;
  readonly oddBody: string;
  readonly at: number;
  readonly kind: string;
};

function toRequest(
  path: string,
  method: string,
  operation: Operation,
  { draw, known }: { readonly draw: Draw; readonly known: KnownValues },
): FuzzedRequest {
  const { kind, odd, at } = draw;
  const fields = changed(draw, known);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = kind === "odd_path" ? odd : kind === "known" ? known[name]?.[0] : undefined;
    return encoded(value ?? draw.path[name]);
  });
  const type = Object.keys(contentOf(operation))[at % Math.max(1, Object.keys(contentOf(operation)).length)];
  const label = `${method.toUpperCase()} ${path} ${kind}`;
  if (method === "get" || type === undefined) {
    const query = kind === "odd_body" ? "?%ff=%zz&&=&a=1&a=2" : `?${toQuery(fields)}`;
    return { target: `${filled}${query}`, body: null, label };
  }
  const body = kind === "odd_body" ? { type, text: draw.oddBody } : toBody(type, fields);
  return { target: filled, body, label };
}

const boundary = "a-boundary-of-tests";

function toBody(type: string, fields: unknown): { readonly type: string; readonly text: string } {
  if (type === "application/x-www-form-urlencoded") {
    return { type, text: toQuery(fields) };
  }
  if (type === "multipart/form-data") {
    const parts = Object.entries((fields ?? {}) as object).map(
      ([name, value]) => `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${asText(value)}\r\n`,
    );
    return { type: `${type}; boundary=${boundary}`, text: `${parts.join("")}--${boundary}--\r\n` };
  }
  return { type, text: JSON.stringify(fields) ?? "" };
}

function changed({ kind, fields, odd, at }: Draw, known: KnownValues): unknown {
  if (typeof fields !== "object" || fields === null) {
    return fields;
  }
  const whole: Record<string, unknown> = { ...fields };
  const names = Object.keys(whole);
  const chosen = names[at % Math.max(1, names.length)];
  if (kind === "known" || kind === "odd_known") {
    for (const name of names) {
      const values = known[name];
      if (values?.length === 0) {
        delete whole[name];
      } else if (values !== undefined) {
        whole[name] = values[at % values.length];
      }
    }
  }
  if ((kind === "odd" || kind === "odd_known") && chosen !== undefined) {
    whole[chosen] = odd;
  }
  if (kind === "extra") {
    whole["no_such_field"] = odd;
  }
  if (kind === "missing" && chosen !== undefined) {
    delete whole[chosen];
  }
  return whole;
}

function toQuery(fields: unknown): string {
  const entries = Object.entries((fields ?? {}) as object).map(([name, value]): [string, string] => [
    name,
    asText(value),
  ]);
  return new URLSearchParams(entries).toString();
}

const asText = (value: unknown): string => (typeof value === "string" ? value.toWellFormed() : JSON.stringify(value));

function encoded(value: unknown): string {
  const text = encodeURIComponent(asText(value));
  // An empty or climbing segment would be another path.
  return text === "" || text === "." || text === ".." ? "x" : text;
}
